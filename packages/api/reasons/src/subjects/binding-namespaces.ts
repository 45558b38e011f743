import type { Reason } from '../reason.js';

/** Of condition `NamespacesInSync` of a binding. */
export const namespaceReasons = [
  {
    reason: 'ProtectedNamespace',
    event: 'Warning',
    cause:
      'the provider asks for a namespace of the konnector, or for a name that Kubernetes reserves (`default`, `kube-…`). The konnector does not create it',
    actor: 'provider',
    remedy: 'delete the APIServiceNamespace; or the operator creates the namespace',
  },
  {
    reason: 'TooManyNamespaces',
    event: 'Warning',
    cause:
      'the provider asks for more namespaces than one provider may have on the consumer (`konnector.bounds.namespacesPerProvider`, 100). Existing namespaces stay',
    actor: 'provider',
    remedy:
      'delete some APIServiceNamespaces, and have the namespaces deleted on the consumer; or the operator raises the bound',
  },
  {
    reason: 'NamespaceCreationFailed',
    event: 'Warning',
    cause: "the consumer's API server refuses a namespace that the provider asks for; the message quotes it",
    actor: 'operator',
    remedy: 'grant `create` on namespaces. The konnector retries',
  },
  {
    reason: 'NamespacesUnreadable',
    event: 'Warning',
    cause: 'the konnector lacks the right to read namespaces',
    actor: 'operator',
    remedy: 'grant `get`, `list` and `watch` on namespaces',
  },
  {
    reason: 'ServiceNamespaceInUse',
    event: 'Warning',
    cause:
      'a namespace of the consumer is gone, but its service namespace still holds the object that the message names',
    actor: 'consumer',
    remedy:
      'recreate the namespace to use its objects again, or have them deleted on the provider. The konnector checks again by itself',
  },
  {
    reason: 'ServiceNamespaceKept',
    event: 'Warning',
    cause: 'a namespace of the consumer is gone, and the konnector cannot tell whether its service namespace is empty',
    actor: 'provider',
    remedy: 'grant `list` on the exported resources. The konnector checks again by itself',
  },
  {
    reason: 'ServiceNamespaceOfUnknownConsumer',
    event: 'Warning',
    cause:
      'a namespace does not exist, and its APIServiceNamespace does not say which consumer cluster made it. Those of the Go konnector never say so',
    actor: 'consumer',
    remedy:
      'delete the APIServiceNamespace, or annotate it as the message says, if no other cluster uses the same kubeconfig',
  },
  {
    reason: 'ServiceNamespaceDeletionFailed',
    event: 'Warning',
    cause: "a namespace is gone, and the provider's API server refuses to delete its APIServiceNamespace",
    actor: 'provider',
    remedy: 'grant `delete` on APIServiceNamespaces. The konnector retries',
  },
] as const satisfies readonly Reason[];
