export { discoverCRD, type DiscoverOptions } from './discover-crd.js';
export type { GroupKind } from './find-resource.js';
export { DiscoveryError, type DiscoveryErrorCode } from './discovery-error.js';
