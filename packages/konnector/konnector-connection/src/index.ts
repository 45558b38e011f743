export { readConsumerIdentity, readProviderIdentity } from './cluster-identities.js';
export type { ProviderConnection, SecretKeyRef } from './connection.js';
export { fillInformers } from './fill-informers.js';
export { type NamedReading, type NamedWatches, createNamedWatches, deniedError } from './named-watches.js';
export { type SchemaOutcomes, createSchemaOutcomes } from './schema-outcomes.js';
export { type MutableServedBindings, type ServedBindings, createServedBindings } from './served-bindings.js';
export { tellConditions } from './tell.js';
