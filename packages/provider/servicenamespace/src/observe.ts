import type { KubeObject } from '@hawser/client';
import type { Memory } from './memory.js';
import type { NamespaceCaches } from './namespace-caches.js';
import type { Observed, Settings } from './observed.js';
import { assignedName, candidateNames, prefixesOf, unassignedName } from './placement.js';

/** Collects everything that the namespace of an APIServiceNamespace depends on, except the {@link counted} numbers. */
export function observe(
  settings: Settings,
  { serviceNamespaces, namespaces, exportsOf }: NamespaceCaches,
  { ownersRefused, exportsGone }: Memory,
  key: string,
): Observed {
  const [clusterNamespace = '', consumerNamespace = ''] = key.split('/', 2);
  const serviceNamespace = serviceNamespaces.get(key);
  const isUnassigned = assignedName(serviceNamespace) === undefined;
  const found = new Map<string, KubeObject>();
  // An assigned name is not judged again.
  const prefixes = settings.isolation === 'None' && isUnassigned ? prefixesOf(consumerNamespace) : [];
  for (const candidate of [
    ...candidateNames(settings, clusterNamespace, consumerNamespace, serviceNamespace),
    ...prefixes,
  ]) {
    const namespace = namespaces.get(candidate);
    if (namespace !== undefined) found.set(candidate, namespace);
  }
  const owners =
    serviceNamespace === undefined || ownersRefused.has(serviceNamespace.metadata.uid)
      ? []
      : exportsOf(clusterNamespace).filter(({ metadata: { uid = '' } }) => !exportsGone.has(uid));
  return {
    clusterNamespace,
    consumerNamespace,
    serviceNamespace,
    namespaces: found,
    made: 0,
    exports: owners.toSorted(
      (a, b) =>
        compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
        compareText(a.metadata.name, b.metadata.name),
    ),
  };
}

/**
 * Counts the consumer's namespaces, including those being made for its other APIServiceNamespaces. Only where it
 * matters.
 */
export function counted(
  settings: Settings,
  { madeFor }: NamespaceCaches,
  { underWay }: Memory,
  observed: Observed,
): Observed {
  const { clusterNamespace, serviceNamespace } = observed;
  if (assignedName(serviceNamespace) !== undefined) return observed;
  const cached = madeFor(clusterNamespace);
  return {
    ...observed,
    made: underWay.count(clusterNamespace, cached, unassignedName(settings, observed)),
    isUnsure: underWay.isUnsure(clusterNamespace, cached),
  };
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
