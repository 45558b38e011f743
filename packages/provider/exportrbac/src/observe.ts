import type { PendingNamespaces } from './namespace-rights.js';
import type { ObservedConsumer, ServiceNamespace } from './observed.js';
import type { RightsCaches } from './rights-caches.js';

/** Collects everything that a consumer's rights depend on, including namespaces about to be assigned. */
export function observe(caches: RightsCaches, pending: PendingNamespaces, clusterNamespace: string): ObservedConsumer {
  const { boundSchemas, exports, namespaces, roles } = caches;
  return {
    clusterNamespace,
    namespace: namespaces.get(clusterNamespace),
    prefixSharedWith: caches.prefixSharedWith(clusterNamespace),
    exports: exports.list(clusterNamespace),
    requests: caches.requestsOf(clusterNamespace),
    boundSchemas: new Map(boundSchemas?.list(clusterNamespace).map((schema) => [schema.metadata.name, schema])),
    serviceNamespaces: namesOf(caches, pending, clusterNamespace).map(
      ([consumerNamespace, namespace]): ServiceNamespace => ({
        consumerNamespace,
        name: namespace,
        isShared: caches.assignedTo(namespace).some((other) => other.metadata.namespace !== clusterNamespace),
        namespace: namespaces.get(namespace),
      }),
    ),
    bindings: caches.bindingsOf(clusterNamespace),
    roles: { get: (role: string) => roles.get(role) },
    policy: caches.policy(),
  };
}

/** Pending names by APIServiceNamespace, without assigned or unwanted ones. */
function namesOf(
  { serviceNamespaces }: RightsCaches,
  pending: PendingNamespaces,
  clusterNamespace: string,
): readonly (readonly [string, string])[] {
  const found = serviceNamespaces.list(clusterNamespace);
  const assigned = found.flatMap(({ metadata, status }) =>
    status?.namespace === undefined || status.namespace === '' ? [] : [[metadata.name, status.namespace] as const],
  );
  for (const [consumerNamespace] of assigned) pending.forget(clusterNamespace, consumerNamespace);
  for (const { consumerNamespace } of pending.of(clusterNamespace)) {
    if (!found.some(({ metadata }) => metadata.name === consumerNamespace))
      pending.forget(clusterNamespace, consumerNamespace);
  }
  return [...assigned, ...pending.of(clusterNamespace).map((one) => [one.consumerNamespace, one.namespace] as const)];
}
