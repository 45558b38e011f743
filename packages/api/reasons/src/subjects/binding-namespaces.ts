import type { Reason } from '../reason.js';

/** Of condition `NamespacesInSync` of a binding. */
export const namespaceReasons = [
  {
    reason: 'ProtectedNamespace',
    event: 'Warning',
    cause:
      "the provider asks for a namespace of the konnector's, or with a name of Kubernetes (`default`, `kube-…`); it is not made",
    actor: 'provider',
    remedy: 'withdraw the APIServiceNamespace; or the operator makes the namespace',
  },
  {
    reason: 'TooManyNamespaces',
    event: 'Warning',
    cause:
      'the provider asks for more namespaces than one provider may have made on the consumer (`konnector.bounds.namespacesPerProvider`, 100); what is there stays',
    actor: 'provider',
    remedy: 'withdraw some, and have them deleted on the consumer; or the operator raises the bound',
  },
  {
    reason: 'NamespaceCreationFailed',
    event: 'Warning',
    cause: "the consumer's API server refuses a namespace that the provider asks for, in its words",
    actor: 'operator',
    remedy: 'grant `create` on namespaces; tried again by itself',
  },
  {
    reason: 'NamespacesUnreadable',
    event: 'Warning',
    cause: 'the konnector may not read namespaces',
    actor: 'operator',
    remedy: 'grant `get`, `list` and `watch` on namespaces',
  },
  {
    reason: 'ServiceNamespaceInUse',
    event: 'Warning',
    cause: 'a namespace is gone, and its service namespace still holds the object that is named',
    actor: 'consumer',
    remedy:
      'make the namespace again to use what is there, or have it deleted on the provider; looked at again by itself',
  },
  {
    reason: 'ServiceNamespaceKept',
    event: 'Warning',
    cause: 'a namespace is gone, and Hawser cannot tell whether its service namespace is empty',
    actor: 'provider',
    remedy: 'grant `list` on what is exported; looked at again by itself',
  },
  {
    reason: 'ServiceNamespaceOfUnknownConsumer',
    event: 'Warning',
    cause:
      'a namespace does not exist, and its APIServiceNamespace does not say which consumer cluster made it, as those of the Go konnector',
    actor: 'consumer',
    remedy:
      'delete the APIServiceNamespace, or annotate it as the message says, if no other cluster uses the same kubeconfig',
  },
  {
    reason: 'ServiceNamespaceDeletionFailed',
    event: 'Warning',
    cause: 'a namespace is gone, and the provider refuses to have its APIServiceNamespace deleted',
    actor: 'provider',
    remedy: 'grant `delete` on APIServiceNamespaces; tried again by itself',
  },
] as const satisfies readonly Reason[];
