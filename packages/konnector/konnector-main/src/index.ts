export { type KonnectorMain, type KonnectorMainOptions, createKonnectorMain } from './konnector-main.js';
export type { ControllerSet, ControllerState, StartSet } from './controller-set.js';
export {
  OtherProviderError,
  type ProviderCredentials,
  type ProviderCredentialsOptions,
  createProviderCredentials,
} from './provider-credentials.js';
export type { ConnectionState } from './connections.js';
export type { ConnectionObserved, ConnectionPhase, Member } from './observed.js';
export { type BindingObserved, type IdentityMismatch, decideConditions } from './conditions.js';
export { type Identities, pinnedIn } from './identity-pins.js';
export { type SecretReading, SecretReader } from './secret-reading.js';
