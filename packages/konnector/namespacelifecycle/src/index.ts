export { type NamespaceLifecycleOptions, createNamespaceLifecycle } from './namespacelifecycle.js';
