export { clientEventWriter } from './client-event-writer.js';
export type { Cluster, Controller, ControllerContext } from './controller.js';
export { type Failed, type Priority, type Queue, type QueueOptions, type Result, done, park } from './queue.js';
export { createQueue } from './keyed-queue.js';
export { coalesce } from './coalesce.js';
export {
  type Failure,
  type Failures,
  type FailuresOptions,
  type Meaning,
  type Standing,
  type Undone,
  createFailures,
} from './failures.js';
export { type Efforts, createEfforts } from './efforts.js';
export { missingRight } from './missing-right.js';
export { type Obstacle, type Obstacles, type ObstaclesOptions, createObstacles } from './obstacles.js';
export type { Actor, ObjectProblem, Problem } from './problem.js';
export {
  type DeletionBudget,
  type DeletionBudgetOptions,
  type HeldDeletions,
  createDeletionBudget,
} from './deletion-budget.js';
export { type Problems, createProblems } from './problems.js';
export { type Setup, controller } from './declared-controller.js';
export type { Acted, Action, ActionOf, Decision, Outcome, Reconciler, Refused, Subject } from './reconciler.js';
export { type ChangeKind, type ToKeys, type WatchOptions, generationChanged, toOwnKey, toOwnerKey } from './watches.js';
export type { WatchSpec, Watched, WatchedStatus } from './watched.js';
export { createOrRead } from './create-or-read.js';
export { createController } from './create-controller.js';
export { ControllerError, type ControllerErrorCode } from './controller-error.js';
export type { Owned, Scope } from './scope.js';
export { WriteBudget, type WriteBudgetOptions } from './write-budget.js';
export { StaleError } from './stale-error.js';
export { Turns } from './turns.js';
export { writesUndone } from './writes-undone.js';
