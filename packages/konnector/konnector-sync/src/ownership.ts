import { controllerOf, type ObjectKey, objectKey, type OwnerReference, type UnstructuredObject } from '@hawser/client';
import type { PairDialect } from '@hawser/kube-bind';

import { CONSUMER_OBJECT, MARKS_OF_COPIES } from './marks.js';
import type { Observed, PairSettings } from './observed.js';

/** Input of a decision about ownership. */
export type OwnershipFacts = Pick<Observed, 'consumerKey' | 'otherOriginal'>;

/** Owner of an object in the place of a copy. */
export type Belonging =
  /**
   * Its marks identify it as the copy of the object of that place. `isNamed`: they name object and cluster; a Go
   * konnector's do not, and may be inherited.
   */
  { readonly kind: 'ours'; readonly isNamed: boolean } | { readonly kind: 'foreign'; readonly owner: ForeignOwner };

/** Why an object is not our copy. */
export type ForeignOwner =
  /** It has no marks, or those of another consumer of the provider. */
  | { readonly kind: 'other'; readonly clusterNamespace: string | undefined }
  /** It has the marks of another object: a person cloned a copy, or an operator passed its marks to a child. */
  | { readonly kind: 'object'; readonly name: string }
  /** It is the copy of an object in another consumer cluster with the same kubeconfig. */
  | { readonly kind: 'cluster'; readonly uid: string }
  /** A controller on the provider made it, or took it over; `isNamed`: although it names the object of its place. */
  | { readonly kind: 'controller'; readonly controller: OwnerReference; readonly isNamed: boolean };

/**
 * Determines the owner. An object is ours only if everything that it states about its original is true of the object of
 * its place (`spec/konnector.md §9.3`). Annotations alone prove nothing: people clone objects with them, and operators
 * pass them to children.
 */
export function belongingOf(
  found: UnstructuredObject,
  { consumerKey, otherOriginal }: OwnershipFacts,
  { dialect, clusterNamespace, consumerCluster, policy }: PairSettings,
): Belonging {
  const { annotations = {} } = found.metadata;
  if (!dialect.marks.isOfConsumer(found, { clusterNamespace, consumerNamespace: consumerKey.namespace ?? '' })) {
    return foreign({ kind: 'other', clusterNamespace: annotations[dialect.marks.ofOwner] });
  }
  const name = annotations[CONSUMER_OBJECT];
  if (name !== undefined && name !== objectMark(found, consumerKey)) return foreign({ kind: 'object', name });
  if (otherOriginal !== undefined) return foreign({ kind: 'object', name: objectMark(found, otherOriginal) });
  const cluster = annotations[dialect.marks.consumerCluster] ?? '';
  if (
    cluster !== '' &&
    consumerCluster !== '' &&
    cluster !== consumerCluster &&
    policy?.formerClusters?.includes(cluster) !== true
  )
    return foreign({ kind: 'cluster', uid: cluster });
  const isNamed = name !== undefined && cluster !== '';
  const controller = controllerOf(found);
  return controller === undefined ? { kind: 'ours', isNamed } : foreign({ kind: 'controller', controller, isNamed });
}

/** Whether a copy of ours was made for an earlier object of that name. */
export function isOfFormer(copy: UnstructuredObject, consumer: UnstructuredObject, { dialect }: PairSettings): boolean {
  const uid = copy.metadata.annotations?.[dialect.marks.consumerUID];
  return uid !== consumer.metadata.uid && !(uid === undefined && dialect.marks.uidIsOptional);
}

/** Whether a copy names the consumer cluster of its original. */
export function namesCluster({ metadata }: UnstructuredObject, { marks }: PairDialect): boolean {
  return (metadata.annotations?.[marks.consumerCluster] ?? '') !== '';
}

/**
 * Whether it is proven that a konnector made a copy of ours, so it may be deleted: it names its original, or its
 * managedFields show it. Undefined: they have not been read yet.
 */
export function isMadeByKonnector(
  copy: UnstructuredObject,
  isNamed: boolean,
  { maker }: Observed['memory'],
): boolean | undefined {
  if (isNamed) return true;
  return maker !== undefined && maker.uid === copy.metadata.uid ? maker.isKonnector : undefined;
}

/** Whether the object has no owner: no mark of any consumer in any dialect, however incomplete, and no controller. */
export function isUnowned(object: UnstructuredObject, { marks }: PairDialect): boolean {
  const { annotations = {} } = object.metadata;
  return (
    [...marks.ofAnyCopy, ...MARKS_OF_COPIES].every((mark) => !Object.hasOwn(annotations, mark)) &&
    controllerOf(object) === undefined
  );
}

/** Marks that identify a copy of `consumer`, besides its name. */
export function ownershipMarks(
  consumer: UnstructuredObject,
  { dialect, clusterNamespace, consumerCluster }: PairSettings,
): Record<string, string> {
  const { namespace = '', uid = '' } = consumer.metadata;
  return {
    ...dialect.marks.ofCopy({ clusterNamespace, consumerNamespace: namespace, consumerUID: uid }),
    [dialect.marks.consumerCluster]: consumerCluster,
  };
}

/** Names the consumer object of that key, of the kind of `object`. */
export function objectMark(
  { apiVersion, kind }: Pick<UnstructuredObject, 'apiVersion' | 'kind'>,
  key: ObjectKey,
): string {
  const slash = apiVersion.indexOf('/');
  return `${kind}${slash < 0 ? '' : `.${apiVersion.slice(0, slash)}`}/${objectKey(key)}`;
}

function foreign(owner: ForeignOwner): Belonging {
  return { kind: 'foreign', owner };
}
