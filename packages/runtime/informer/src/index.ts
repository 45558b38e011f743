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
export { compareResourceVersions, isNotNewer, isOlder } from './resource-version.js';
export type { ReflectedCache, ReflectedList } from './reflected-cache.js';
export { Reflector } from './reflector.js';
export type { ReflectorObserver, ReflectorOptions } from './reflector-options.js';
export type { RelistReason } from './reflector-machine.js';
export { yieldToEventLoop } from './yield-to-event-loop.js';
