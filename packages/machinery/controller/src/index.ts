export type { Cluster, Controller, ControllerContext } from './controller.js';
export { type Priority, type Queue, type QueueOptions, type Result, done, park } from './queue.js';
export { createQueue } from './keyed-queue.js';
export { ControllerError, createController } from './create-controller.js';
export type { Owned, Scope } from './scope.js';
