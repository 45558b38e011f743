export {
  type ConnectionController,
  type ConnectionOptions,
  createConnectionController,
} from './connection-controller.js';
export { readClusterIdentity } from './cluster-identity.js';
export { isReady } from './decide.js';
export type { Links, Offers, OffersSource, OpenedProvider, OpenProvider, ProviderLink } from './links.js';
export type { ConnectionState } from './connection-states.js';
export { statusPace } from './status-pace.js';
