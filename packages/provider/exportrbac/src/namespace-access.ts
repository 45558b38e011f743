import { isTerminating, type KubeObject } from '@hawser/client';
import { isClusterNamespace } from '@hawser/klutch';
import { apiServiceNamespaceKey, type Dialect } from '@hawser/kube-bind';
import { sharedNamespaceAnnotation } from './marks.js';
import type { ObservedConsumer, ServiceNamespace } from './observed.js';
import type { Refusal } from './refusal.js';

/** The existing service namespaces of a consumer. */
export interface NamespaceAccess {
  /** Namespaces where it may have rights. */
  readonly open: readonly string[];
  readonly closed: readonly Refusal[];
  /** Subset of `open` named as on the consumer; others may have them too: isolation None, whatever it is called now. */
  readonly shared: readonly string[];
  /**
   * Subset of `open` where everything belongs to this consumer, with any mark: made for it, and never assigned to
   * another. Claimed objects bear no mark, and a consumer's leftovers stay.
   */
  readonly undivided: readonly string[];
}

/** Selects the assigned namespaces where a consumer may have rights. */
export function namespaceAccessOf(
  dialect: Dialect,
  observed: Pick<ObservedConsumer, 'clusterNamespace' | 'serviceNamespaces'>,
): NamespaceAccess {
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

/** Whether the namespace was made for this consumer (under isolation None: for any), or the operator has opened it. */
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
