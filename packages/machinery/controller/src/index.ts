export { clientEventWriter } from './client-event-writer.js';
export type { Cluster, Controller, ControllerContext } from './controller.js';
export { type Priority, type Queue, type QueueOptions, type Result, done, park } from './queue.js';
export { createQueue } from './keyed-queue.js';
export { coalesce } from './coalesce.js';
export { createController } from './create-controller.js';
export { ControllerError, type ControllerErrorCode } from './controller-error.js';
export type { Owned, Scope } from './scope.js';
export { WriteBudget, type WriteBudgetOptions } from './write-budget.js';
