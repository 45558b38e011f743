import { controllerOf, type KubeObject } from '@hawser/client';
import { apiServiceNamespaceKey, type APIServiceNamespace, type Dialect, hawserAnnotations } from '@hawser/kube-bind';

/** A provider namespace in which a consumer has copies. */
export interface CopyNamespace {
  readonly namespace: string;
  /** The consumer namespace that it represents; empty: none, it is the cluster namespace. */
  readonly consumerNamespace: string;
  /** Isolation None: other consumers, and the provider, may have objects there too. */
  readonly isShared: boolean;
}

/** The namespaces in which one consumer can have copies, by fields that only the provider writes. Pure. */
export function copyNamespacesOf(
  dialect: Dialect,
  clusterNamespace: string,
  own: readonly KubeObject[],
  serviceNamespaces: readonly APIServiceNamespace[],
): readonly CopyNamespace[] {
  const copyNamespaces = new Map<string, CopyNamespace>([
    [clusterNamespace, { namespace: clusterNamespace, consumerNamespace: '', isShared: false }],
  ]);
  // Only under None a namespace has its name on the consumer.
  for (const {
    metadata: { name },
    status,
  } of serviceNamespaces)
    if (status?.namespace === name)
      copyNamespaces.set(name, { namespace: name, consumerNamespace: name, isShared: true });
  for (const { metadata } of own) {
    const [, consumerNamespace = ''] = ownerOf(dialect, metadata.annotations)?.split('/', 2) ?? [];
    if (
      consumerNamespace !== '' &&
      metadata.annotations?.[dialect.annotations.apiServiceNamespace] ===
        apiServiceNamespaceKey(clusterNamespace, consumerNamespace)
    ) {
      copyNamespaces.set(metadata.name, { namespace: metadata.name, consumerNamespace, isShared: false });
    }
  }
  return [...copyNamespaces.values()];
}

/** The APIServiceNamespace that a namespace was made for, as `<cluster namespace>/<consumer namespace>`. */
export function ownerOf(
  dialect: Dialect,
  annotations: Readonly<Record<string, string>> | undefined,
): string | undefined {
  return annotations?.[dialect.annotations.apiServiceNamespace];
}

/** Whether an object on the provider is a copy of one consumer. */
export type Belonging =
  /** A copy of another consumer, or no copy. */
  | { readonly kind: 'none' }
  /**
   * It is where only this consumer has copies, or names this consumer, but has marks that its copy would not have
   * there.
   */
  | { readonly kind: 'foreign' }
  /** `identity`: of the consumer cluster, if a konnector recorded it. `isNamed`: it names its original. */
  | { readonly kind: 'own'; readonly identity: string | undefined; readonly isNamed: boolean };

const none: Belonging = { kind: 'none' };

/** Whether an object inherited its marks: an operator passed them to a child, or a person cloned a copy. */
function isInherited(object: KubeObject, copyNamespace: CopyNamespace | undefined): boolean {
  if (controllerOf(object) !== undefined) return true;
  const { name, annotations } = object.metadata;
  const original = annotations?.[hawserAnnotations.consumerObject]?.split('/').slice(1) ?? [];
  const originalName = original.at(-1);
  if (originalName === undefined) return false;
  if (copyNamespace === undefined) return !name.endsWith(originalName);
  return (
    name !== originalName ||
    (original.length > 1 && copyNamespace.consumerNamespace !== '' && original[0] !== copyNamespace.consumerNamespace)
  );
}

/**
 * Determines the owner of an object. Pure.
 * @param copyNamespace of an object in a namespace; undefined: it is cluster-scoped
 * @param prefix of the names of cluster-scoped copies; empty: any name
 */
export function belongingOf(
  dialect: Dialect,
  clusterNamespace: string,
  copyNamespace: CopyNamespace | undefined,
  prefix: string,
  copy: KubeObject,
): Belonging {
  const { marks, annotations: keys } = dialect;
  const annotations = copy.metadata.annotations ?? {};
  if (!marks.ofAnyCopy.some((key) => annotations[key] !== undefined)) return none;
  const named = annotations[keys.clusterNamespace];
  if ((copyNamespace === undefined || copyNamespace.isShared) && named !== clusterNamespace) return none;
  const isOwn =
    dialect.isCopy(copy) &&
    marks.isOfConsumer(copy, { clusterNamespace, consumerNamespace: copyNamespace?.consumerNamespace ?? '' });
  if (
    !isOwn ||
    isInherited(copy, copyNamespace) ||
    (copyNamespace === undefined && !copy.metadata.name.startsWith(prefix))
  )
    return { kind: 'foreign' };
  return {
    kind: 'own',
    identity: annotations[hawserAnnotations.consumerIdentity],
    isNamed: marks.uidIsOptional || (annotations[marks.consumerUID] ?? '') !== '',
  };
}
