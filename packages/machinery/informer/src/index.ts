export type { CacheKey, Informer, InformerHandle, InformerHandler, InformerSpec, InformerState, SharedInformers, Subscription } from './informer.js';
