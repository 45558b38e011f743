export { createAppClusterBindingController, type AppClusterBindingOptions } from './app-cluster-binding-controller.js';
export { konnectorRoles } from './decide.js';
export type { DeletionPolicy } from './deletion-policy.js';
