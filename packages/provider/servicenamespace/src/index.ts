export { type ServiceNamespaceOptions, createServiceNamespaceController } from './service-namespace-controller.js';
export type { NamespaceRights } from './namespace-rights.js';
export type { ReclaimPolicy } from './observed.js';
export { createdByAnnotation } from './marks.js';
