import { controllerOf, type KubeObject, type ManagedFieldsEntry } from '@hawser/client';
import { ownedByKonnector } from '@hawser/konnector-sync';

import { IDENTITY, type Marks, ORIGIN, type Side, otherSide } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { type Policies, formerClustersFor } from './policies.js';

/**
 * Whose copy an object on one side is, by its marks and its place. Marks count only in the original's own place: clones
 * and operators' children inherit annotations.
 * - `ours`: the marks name the original of this place, in this cluster.
 * - `nameless`: the same, but the marks lack a name, as other konnectors' do. Kept in sync by its place, deleted only
 *   if a konnector has written them.
 * - `unknown`: nothing shows its original.
 * - `clone`: the marks belong to the copy of another object.
 * - `owned`: a controller owns the object.
 * - `foreign`: a copy for another provider or consumer.
 * - `otherCluster`: in a namespace of this consumer, with an original in another consumer cluster: two clusters share
 *   one kubeconfig, or this one has replaced the other.
 */
export type Belonging = 'ours' | 'nameless' | 'unknown' | 'clone' | 'owned' | 'foreign' | 'otherCluster';

/**
 * Whether the copy on `side` belongs to the original of this place. Pure. Other konnectors' copies do not name their
 * cluster; then the uid must prove it.
 */
export function belongingOf(
  observed: Observed,
  { consumerCluster, clusterNamespace, clusterNamespaceUid, marks }: PairSettings & { readonly marks: Marks },
  policies: Policies,
  side: Side,
  copy: KubeObject,
): Belonging {
  const { cached, consumerNamespace, placement, memory, name } = observed;
  const from = otherSide(side);
  const annotations = copy.metadata.annotations ?? {};
  const identity = annotations[IDENTITY[from]];
  const isOurCluster = identity === (from === 'consumer' ? consumerCluster : clusterNamespaceUid);
  const namespace =
    from === 'consumer' ? consumerNamespace : placement.kind === 'assigned' ? placement.namespace : undefined;
  const named = {
    namespace: annotations[ORIGIN[from].namespace],
    name: annotations[ORIGIN[from].name],
    uid: annotations[ORIGIN[from].uid],
  };
  if (controllerOf(copy) !== undefined) return 'owned';
  if (identity !== undefined && !isOurCluster && from === 'provider') return 'foreign';
  if ((named.name ?? name) !== name || observed.cloned?.[side] === true) return 'clone';
  if (namespace === undefined) return isOurCluster ? 'nameless' : 'unknown';
  if ((named.namespace ?? namespace) !== namespace) return isOurCluster ? 'clone' : 'foreign';
  if (isOurCluster) return named.name === undefined ? 'nameless' : 'ours';
  // A consumer cluster that was set up anew finds its copies again if its administrator says so.
  if (identity !== undefined)
    return isDedicated(observed, clusterNamespace) && !formerClustersFor(observed, policies).includes(identity)
      ? 'otherCluster'
      : 'unknown';
  // A copy that names only its side: its original must have been seen.
  if (named.namespace === undefined)
    return !marks.copiesNameOrigin && memory.seen?.[from] !== undefined
      ? 'nameless'
      : marks.copiesNameOrigin
        ? 'foreign'
        : 'unknown';
  return named.uid === cached[from]?.metadata.uid || named.uid === memory.seen?.[from] ? 'nameless' : 'unknown';
}

/**
 * Whether the provider's namespace is this consumer's alone: its name begins with the cluster namespace's. Under
 * isolation None consumers share namespaces.
 */
export function isDedicated({ placement }: Pick<Observed, 'placement'>, clusterNamespace: string): boolean {
  return placement.kind === 'assigned' && placement.namespace.startsWith(`${clusterNamespace}-`);
}

/** Whether the copy on `side` does not name its original. */
export function namelessCopy({ metadata: { annotations } }: KubeObject, side: Side): boolean {
  return annotations?.[ORIGIN[otherSide(side)].name] === undefined;
}

/** Whether the marks of an object on `side` name an object with another name. */
export function namesAnotherName({ metadata: { annotations, name } }: KubeObject, side: Side): boolean {
  return (annotations?.[ORIGIN[otherSide(side)].name] ?? name) !== name;
}

/** An API server stamps managedFields before the creation time. */
const TOLERANCE_MS = 2_000;

/**
 * Whether a konnector wrote the copy mark of `copy` (read in full) in this very object. A clone's marks come from its
 * maker, or are older than the clone.
 */
export function isWrittenByKonnector(
  { metadata: { managedFields = [], creationTimestamp = '' } }: KubeObject,
  marks: Marks,
  side: Side,
): boolean {
  const made = Date.parse(creationTimestamp);
  const isOfThisObject = ({ time }: ManagedFieldsEntry): boolean =>
    time === undefined || Number.isNaN(made) || Date.parse(time) >= made - TOLERANCE_MS;
  return ownedByKonnector(marks.markOfCopy(side), managedFields.filter(isOfThisObject));
}
