export {
  type APIServiceExportController,
  type APIServiceExportOptions,
  type ParkedObject,
  createAPIServiceExport,
} from './export-controller.js';
export { heldSchemaOf } from './held-schema.js';
export type { OrphanOptions } from './binding-policies.js';
export {
  type ExportSnapshot,
  type ResourceSnapshot,
  type SyncConfig,
  type SyncPlan,
  type StopReason,
  planSyncs,
  resourceNames,
} from './plan-syncs.js';
export { readProviderScope } from './provider-scope.js';
export { type WriterShares, createWriterShares } from '@hawser/konnector-sync';
export type { RunningSync } from './sync-set.js';
