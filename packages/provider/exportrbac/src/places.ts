import { isTerminating, type KubeObject } from '@hawser/client';
import { isClusterNamespace } from '@hawser/klutch';
import { apiServiceNamespaceKey, type Dialect } from '@hawser/kube-bind';
import { sharedNamespaceAnnotation } from './marks.js';
import type { ObservedConsumer, ServiceNamespace } from './observed.js';
import type { Refusal } from './refusal.js';

/** The service namespaces of a consumer that stand. */
export interface Places {
  /** Where it may have rights. */
  readonly open: readonly string[];
  readonly closed: readonly Refusal[];
  /** Those of `open` that have the names that they have on the consumer, so that other consumers may have them too: isolation None, whatever it is called now. */
  readonly shared: readonly string[];
  /**
   * Those of `open` in which all is this consumer's, whatever marks it bears: they were made for it, and no other consumer has them. Claimed objects bear no mark, and what a
   * consumer leaves behind stays.
   */
  readonly undivided: readonly string[];
}

/** Where a consumer may have rights, of the namespaces that are assigned to it. */
export function placesOf(
  dialect: Dialect,
  observed: Pick<ObservedConsumer, 'clusterNamespace' | 'serviceNamespaces'>,
): Places {
  const open = new Set<string>();
  const closed: Refusal[] = [];
  const shared = new Set<string>();
  const undivided = new Set<string>();
  for (const one of observed.serviceNamespaces) {
    const { consumerNamespace, name, namespace } = one;
    if (namespace === undefined || isTerminating(namespace)) continue;
    if (isOpen(dialect, observed, one)) {
      open.add(name);
      if (name === consumerNamespace) shared.add(name);
      if (isUndivided(dialect, observed, one)) undivided.add(name);
    } else {
      closed.push({ kind: 'foreignNamespace', namespace: name });
    }
  }
  return { open: [...open], closed, shared: [...shared], undivided: [...undivided] };
}

function isUndivided(
  dialect: Dialect,
  { clusterNamespace }: Pick<ObservedConsumer, 'clusterNamespace'>,
  { consumerNamespace, namespace, isShared }: ServiceNamespace,
): boolean {
  return (
    !isShared &&
    namespace !== undefined &&
    ownerOf(dialect, namespace) === apiServiceNamespaceKey(clusterNamespace, consumerNamespace) &&
    namespace.metadata.annotations?.[sharedNamespaceAnnotation] !== 'true'
  );
}

/** Whether the namespace was made for a consumer, this one or, under isolation None, any, or the operator has opened it. */
function isOpen(
  dialect: Dialect,
  { clusterNamespace }: Pick<ObservedConsumer, 'clusterNamespace'>,
  { consumerNamespace, name, namespace }: ServiceNamespace,
): boolean {
  if (namespace === undefined || isClusterNamespace(namespace)) return false;
  const owner = ownerOf(dialect, namespace);
  if (owner === apiServiceNamespaceKey(clusterNamespace, consumerNamespace)) return true;
  if (name !== consumerNamespace) return false;
  return owner !== undefined || namespace.metadata.annotations?.[sharedNamespaceAnnotation] === 'true';
}

function ownerOf({ annotations }: Dialect, { metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.apiServiceNamespace];
}
