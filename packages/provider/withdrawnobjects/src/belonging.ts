import type { KubeObject } from '@hawser/client';
import { apiServiceNamespaceKey, type APIServiceNamespace, type Dialect, hawserAnnotations } from '@hawser/kube-bind';

/** A namespace of the provider in which a consumer has copies. */
export interface Place {
  readonly namespace: string;
  /** Which namespace of the consumer it stands for; empty: for none, it is the cluster namespace. */
  readonly consumerNamespace: string;
  /** Isolation None: other consumers, and the provider, may have objects there too. */
  readonly isShared: boolean;
}

/** Where one consumer can have copies in namespaces, by what the provider alone writes. Pure. */
export function placesOf(
  dialect: Dialect,
  clusterNamespace: string,
  own: readonly KubeObject[],
  serviceNamespaces: readonly APIServiceNamespace[],
): readonly Place[] {
  const places = new Map<string, Place>([
    [clusterNamespace, { namespace: clusterNamespace, consumerNamespace: '', isShared: false }],
  ]);
  // Under None, and only there, a namespace has the name that it has on the consumer.
  for (const {
    metadata: { name },
    status,
  } of serviceNamespaces)
    if (status?.namespace === name) places.set(name, { namespace: name, consumerNamespace: name, isShared: true });
  for (const { metadata } of own) {
    const [, consumerNamespace = ''] = ownerOf(dialect, metadata.annotations)?.split('/', 2) ?? [];
    if (
      consumerNamespace !== '' &&
      metadata.annotations?.[dialect.annotations.apiServiceNamespace] ===
        apiServiceNamespaceKey(clusterNamespace, consumerNamespace)
    ) {
      places.set(metadata.name, { namespace: metadata.name, consumerNamespace, isShared: false });
    }
  }
  return [...places.values()];
}

/** Of a namespace: the APIServiceNamespace that it was made for, as `<cluster namespace>/<consumer namespace>`. */
export function ownerOf(
  dialect: Dialect,
  annotations: Readonly<Record<string, string>> | undefined,
): string | undefined {
  return annotations?.[dialect.annotations.apiServiceNamespace];
}

/** Whether an object on the provider is a copy of one consumer. */
export type Belonging =
  /** None of this consumer, or no copy at all. */
  | { readonly kind: 'none' }
  /** It stands where only this consumer has copies, or names this consumer, and bears marks that a copy of it there would not. */
  | { readonly kind: 'foreign' }
  /** `identity`: of the consumer cluster, where a konnector has written it down. `isNamed`: it says which object it is the copy of. */
  | { readonly kind: 'own'; readonly identity: string | undefined; readonly isNamed: boolean };

const none: Belonging = { kind: 'none' };

/** Whether the marks of an object are those of another one: an operator has handed them down to a child, or a person has cloned a copy. */
function isInherited(
  { metadata: { name, annotations, ownerReferences = [] } }: KubeObject,
  place: Place | undefined,
): boolean {
  if (ownerReferences.some(({ controller }) => controller === true)) return true;
  const original = annotations?.[hawserAnnotations.consumerObject]?.split('/').slice(1) ?? [];
  const originalName = original.at(-1);
  if (originalName === undefined) return false;
  if (place === undefined) return !name.endsWith(originalName);
  return (
    name !== originalName ||
    (original.length > 1 && place.consumerNamespace !== '' && original[0] !== place.consumerNamespace)
  );
}

/**
 * Whose an object is. Pure.
 * @param place of an object in a namespace; undefined: it is cluster-scoped
 * @param prefix with which the name of a cluster-scoped copy begins; empty: it may have any name
 */
export function belongingOf(
  dialect: Dialect,
  clusterNamespace: string,
  place: Place | undefined,
  prefix: string,
  copy: KubeObject,
): Belonging {
  const { marks, annotations: keys } = dialect;
  const annotations = copy.metadata.annotations ?? {};
  if (!marks.ofAnybody.some((key) => annotations[key] !== undefined)) return none;
  const named = annotations[keys.clusterNamespace];
  if ((place === undefined || place.isShared) && named !== clusterNamespace) return none;
  const isOwn =
    dialect.isCopy(copy) &&
    marks.isOfConsumer(copy, { clusterNamespace, consumerNamespace: place?.consumerNamespace ?? '' });
  if (!isOwn || isInherited(copy, place) || (place === undefined && !copy.metadata.name.startsWith(prefix)))
    return { kind: 'foreign' };
  return {
    kind: 'own',
    identity: annotations[hawserAnnotations.consumerIdentity],
    isNamed: marks.uidIsOptional || (annotations[marks.consumerUID] ?? '') !== '',
  };
}
