export type { ProviderConnection, SecretKeyRef } from './connection.js';
export { type MutableServedBindings, type ServedBindings, createServedBindings } from './served-bindings.js';
