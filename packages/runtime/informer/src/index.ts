export type {
  Informer,
  InformerHandle,
  InformerHandler,
  InformerSpec,
  InformerState,
  SharedInformers,
  Subscription,
} from './informer.js';
export { type CacheKey, type ClusterKey, type ClusterOf, clusterKey, parseClusterKey } from './cache-key.js';
export { ChangedShapes } from './changed-shapes.js';
export { InformerError, type InformerErrorCode } from './informer-error.js';
export { UnderWay } from './under-way.js';
export { type SharedInformersOptions, createSharedInformers } from './shared-informers.js';
export { compareResourceVersions } from './resource-version.js';
