import { IDENTITY, ORIGIN } from '@hawser/claimedresources';
import { controllerOf, type KubeObject, objectKey } from '@hawser/client';
import { annotations as core, labels as coreLabels } from '@hawser/core-kbind';
import { isWrittenByKonnector, markingOf, otherSide, type RuleSet, selects, type Side } from '@hawser/kbind-binding';
import { hawserAnnotations, labels } from '@hawser/kube-bind';

import { type Generation, without } from './pair-swap.js';

/** Values for the marks of claimed objects, in both generations. */
export interface ClaimTerms {
  /** Uid of the ClusterBinding; empty: there is none yet. */
  readonly bindingUid: string;
  /** Uids of all ClusterBindings and Bindings of the consumer. */
  readonly bindingUids: ReadonlySet<string>;
  /** Uid of the consumer cluster, as the Connection has pinned it. */
  readonly clusterUid: string;
  /** Identities of both sides in the marks of `kube-bind.io`; undefined: not known, so no copy names it. */
  readonly identities: Readonly<Record<Side, string | undefined>>;
}

/** A claimed object and its copy. Only metadata counts. */
export interface ClaimPair {
  /** Side of the original. */
  readonly owner: Side;
  /** Undefined: it is gone. */
  readonly original: KubeObject | undefined;
  readonly copy: KubeObject;
  /** Generation whose marks the copy bears. */
  readonly marks: Generation;
}

/** An object without one in the same place of the other side. */
export interface Alone {
  readonly side: Side;
  readonly object: KubeObject;
}

/** Claimed objects of both sides, by namespace and name, as far as rules select one of them. */
export interface Found {
  readonly pairs: readonly ClaimPair[];
  /** Originals without an object in the place of the copy. */
  readonly alone: readonly Alone[];
  /**
   * Selected copies of `kube-bind.io` that are not of this binding, or not proven to be: the other generation would
   * take them for originals.
   */
  readonly strays: readonly Alone[];
  /** On both sides, and neither is proven to be the copy of the other. */
  readonly undecided: readonly KubeObject[];
}

/** Merge patches of metadata; undefined: nothing to change. */
export interface ClaimPatches {
  readonly original: object | undefined;
  readonly copy: object | undefined;
}

const OWNER = labels.owner;
const v1Keys: readonly string[] = [
  ...(['consumer', 'provider'] as const).flatMap((side) => [...Object.values(ORIGIN[side]), IDENTITY[side]]),
  hawserAnnotations.wantedHash,
  hawserAnnotations.rewrittenHash,
];
const v2Keys: readonly string[] = [core.consumerClusterUID, core.relatedBinding];

/** Finds the claimed objects that the rules select, and their copies. Both lists are of one resource. Pure. */
export function findClaimed(
  objects: Readonly<Record<Side, readonly KubeObject[]>>,
  rules: RuleSet,
  terms: ClaimTerms,
): Found {
  const found = {
    pairs: [] as ClaimPair[],
    alone: [] as Alone[],
    strays: [] as Alone[],
    undecided: [] as KubeObject[],
  };
  const provider = new Map(objects.provider.map((object) => [objectKey(object), object]));
  const consumer = new Set(objects.consumer.map((object) => objectKey(object)));
  const onOneSide = (side: Side, object: KubeObject): void => {
    const orphan = orphanOf(object, side, terms);
    // A konnector would take the selected copy for an original.
    if (!selects(rules, side, object)) return;
    if (orphan !== undefined) found.pairs.push(orphan);
    else if (isOlder(object, side)) found.strays.push({ side, object });
    else if (side === 'consumer' || !isRelated(object)) found.alone.push({ side, object });
  };
  for (const object of objects.consumer) {
    const other = provider.get(objectKey(object));
    if (other === undefined) {
      onOneSide('consumer', object);
      continue;
    }
    const pair = claimPairOf({ consumer: object, provider: other }, terms);
    if (pair === undefined) {
      if (selects(rules, 'consumer', object) || selects(rules, 'provider', other)) found.undecided.push(object);
    } else if (selects(rules, pair.owner, pair.original)) found.pairs.push(pair);
  }
  for (const object of objects.provider) if (!consumer.has(objectKey(object))) onOneSide('provider', object);
  return found;
}

/**
 * The original and its copy among two objects of one place; undefined: the marks prove none (spec/konnector.md §10.2,
 * spec/kbind-v2.md §19).
 */
export function claimPairOf(
  objects: Readonly<Record<Side, KubeObject>>,
  terms: ClaimTerms,
): (ClaimPair & { readonly original: KubeObject }) | undefined {
  for (const side of ['consumer', 'provider'] as const) {
    const owner = otherSide(side);
    const [copy, original] = [objects[side], objects[owner]];
    if (controllerOf(copy) !== undefined || isOlder(original, owner) || isNewerCopy(original, terms)) continue;
    if (isOlderCopy(copy, original, owner, terms)) return { owner, original, copy, marks: 'v1' };
    if (isNewerCopy(copy, terms)) return { owner, original, copy, marks: 'v2' };
  }
  return undefined;
}

/** A copy of this binding whose original is gone. */
function orphanOf(copy: KubeObject, side: Side, terms: ClaimTerms): ClaimPair | undefined {
  const owner = otherSide(side);
  const pair = { owner, original: undefined, copy } as const;
  if (controllerOf(copy) !== undefined) return undefined;
  if (isOlder(copy, side) && namesLocation(copy, owner) && namesIdentity(copy, owner, terms))
    return { ...pair, marks: 'v1' };
  return isNewerCopy(copy, terms) ? { ...pair, marks: 'v2' } : undefined;
}

/** The copy names its original by uid, or by its place in this very cluster: an original may have been made anew. */
function isOlderCopy(copy: KubeObject, { metadata: { uid } }: KubeObject, owner: Side, terms: ClaimTerms): boolean {
  const { annotations = {}, labels: its = {} } = copy.metadata;
  const identity = annotations[IDENTITY[owner]];
  const isOfAnother =
    identity !== undefined && terms.identities[owner] !== undefined && !namesIdentity(copy, owner, terms);
  return (
    isOlder(copy, otherSide(owner)) &&
    its[OWNER] !== otherSide(owner) &&
    !isOfAnother &&
    namesLocation(copy, owner) &&
    ((uid !== undefined && annotations[ORIGIN[owner].uid] === uid) || namesIdentity(copy, owner, terms))
  );
}

/** Whether all that the marks say about the place of the original is true of the copy's own place. */
function namesLocation({ metadata: { annotations = {}, name, namespace } }: KubeObject, owner: Side): boolean {
  const origin = ORIGIN[owner];
  return (annotations[origin.name] ?? name) === name && (annotations[origin.namespace] ?? namespace) === namespace;
}

function namesIdentity({ metadata: { annotations = {} } }: KubeObject, owner: Side, terms: ClaimTerms): boolean {
  const identity = annotations[IDENTITY[owner]];
  const isNamed = annotations[ORIGIN[owner].name] !== undefined && annotations[ORIGIN[owner].namespace] !== undefined;
  return isNamed && identity !== undefined && identity === terms.identities[owner];
}

/** A copy of this binding, or one that a konnector made for a binding that is gone. */
function isNewerCopy(copy: KubeObject, { bindingUid, bindingUids, clusterUid }: ClaimTerms): boolean {
  if (clusterUid === '') return false;
  const owner = { bindingUID: bindingUid, consumerUID: clusterUid };
  const marking = markingOf(copy, owner, (uid) => bindingUids.has(uid));
  return marking === 'own' || (marking === 'former' && isWrittenByKonnector(copy));
}

/** Whether the object bears marks of a copy of `kube-bind.io`. */
function isOlder({ metadata: { annotations = {} } }: KubeObject, side: Side): boolean {
  return (annotations[ORIGIN[otherSide(side)].uid] ?? '') !== '';
}

/** Whether any binding of `core.kbind.io` marked it as its copy. */
function isRelated({ metadata: { annotations = {} } }: KubeObject): boolean {
  return (annotations[core.relatedBinding] ?? '') !== '';
}

/**
 * Turns the marks of a claimed object and its copy into those of `to`: at most one write each. A copy that a former
 * ClusterBinding made gets the uid of the present one. Pure.
 */
export function claimSwapOf(pair: ClaimPair, to: Generation, terms: ClaimTerms): ClaimPatches {
  const { original, copy, marks } = pair;
  const isOfBinding = copy.metadata.annotations?.[core.relatedBinding] === terms.bindingUid;
  const isDone = marks === to && (to === 'v1' || isOfBinding);
  return {
    original: original === undefined ? undefined : originalPatch(original, to === 'v1' ? pair.owner : null),
    copy: isDone ? undefined : patchOf(copy, to === 'v2' ? newerMarks(copy, terms) : olderMarks(pair, terms)),
  };
}

function originalPatch(original: KubeObject, owner: Side | null): object | undefined {
  return (original.metadata.labels?.[OWNER] ?? null) === owner
    ? undefined
    : patchOf(original, { labels: { [OWNER]: owner } });
}

function newerMarks({ metadata }: KubeObject, { bindingUid, clusterUid }: ClaimTerms): object {
  return {
    labels: { [coreLabels.managed]: 'true', ...without(metadata.labels, [OWNER]) },
    annotations: {
      ...without(metadata.annotations, v1Keys),
      [core.consumerClusterUID]: clusterUid,
      [core.relatedBinding]: bindingUid,
    },
  };
}

function olderMarks({ owner, original, copy: { metadata } }: ClaimPair, { identities }: ClaimTerms): object {
  const { namespace = '', name } = metadata;
  const uid = original?.metadata.uid;
  const identity = identities[owner];
  return {
    labels: { ...without(metadata.labels, [coreLabels.managed]), [OWNER]: owner },
    annotations: {
      ...without(metadata.annotations, v2Keys),
      [ORIGIN[owner].namespace]: namespace,
      [ORIGIN[owner].name]: name,
      // Without it, the copy of an original that is gone is left alone and reported.
      ...(uid === undefined ? {} : { [ORIGIN[owner].uid]: uid }),
      ...(identity === undefined ? {} : { [IDENTITY[owner]]: identity }),
    },
  };
}

/** Applies only to the object as it was read. */
function patchOf({ metadata: { uid, resourceVersion } }: KubeObject, marks: object): object {
  return { metadata: { uid, resourceVersion, ...marks } };
}
