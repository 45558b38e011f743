export { type BindingController, type BindingOptions, createBindingController } from './binding-controller.js';
export { type Assignment, assign, type Rule, rulesFor, rulesOf } from './routes.js';
export type { BoundSync } from './running-syncs.js';
export { createPullController, type PullOptions } from './pull-controller.js';
