export { BindingStatuses, type StatusWritten } from './binding-statuses.js';
export {
  type ClusterIdentities,
  type ConnectionSides,
  readClusterIdentities,
  readConsumerIdentity,
  readProviderIdentity,
} from './cluster-identities.js';
export type { ProviderConnection, SecretKeyRef } from './connection.js';
export { fillInformers } from './fill-informers.js';
export { type NamedReading, type NamedWatches, createNamedWatches, deniedError, readNamed } from './named-watches.js';
export { type SchemaOutcomes, createSchemaOutcomes } from './schema-outcomes.js';
export { type MutableServedBindings, type ServedBindings, createServedBindings } from './served-bindings.js';
export { consumerUnit, unitOf } from './shard-unit.js';
export { conditionEvents, isUnreported, recordConditions, recordUndone } from './condition-events.js';
