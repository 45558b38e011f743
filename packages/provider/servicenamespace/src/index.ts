export { type ServiceNamespaceOptions, createServiceNamespaceController } from './service-namespace-controller.js';
export { createConsumerLimitsController } from './limits-controller.js';
export type { ConsumerLimits, LimitSpec } from './limits.js';
export type { NamespaceRights } from './namespace-rights.js';
export type { ReclaimPolicy } from './observed.js';
export { createdByAnnotation } from './marks.js';
