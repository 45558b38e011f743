export { type APIServiceExportController, type APIServiceExportOptions, createAPIServiceExport } from './export-controller.js';
export { type SyncConfig, type SyncPlan, type StopReason, planSyncs } from './plan-syncs.js';
export { OBJECTS_IN_SYNC } from './objects-in-sync.js';
export type { RunningSync } from './sync-set.js';
export { createFinalizerRelease } from './finalizer-release.js';
