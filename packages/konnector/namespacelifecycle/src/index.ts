export { type NamespaceLifecycleOptions, createNamespaceLifecycle } from './namespacelifecycle.js';
export { NAMESPACES_IN_SYNC, type NamespaceReason } from './problems.js';
