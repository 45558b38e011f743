import { IDENTITY, ORIGIN } from '@hawser/claimedresources';
import { type KubeObject, objectKey, type OwnerReference } from '@hawser/client';
import { annotations as core, labels as coreLabels } from '@hawser/core-kbind';
import { isWrittenByKonnector, markingOf, otherSide, type RuleSet, selects, type Side } from '@hawser/kbind-binding';
import { hawserAnnotations, hawserPrefix, labels } from '@hawser/kube-bind';

import type { Generation } from './pair-swap.js';

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
  readonly original: KubeObject;
  readonly copy: KubeObject;
  /** Generation whose marks the copy bears. */
  readonly marks: Generation;
}

/** Claimed objects of both sides, by namespace and name, as far as rules select one of them. */
export interface Found {
  readonly pairs: readonly ClaimPair[];
  /** Originals without an object in the place of the copy. */
  readonly alone: readonly { readonly side: Side; readonly object: KubeObject }[];
  /** On both sides, and neither is proven to be the copy of the other. */
  readonly undecided: readonly KubeObject[];
}

/** Merge patches of metadata; undefined: nothing to change. */
export interface ClaimPatches {
  readonly original: object | undefined;
  readonly copy: object | undefined;
}

const OWNER = labels.owner;
const REWRITTEN_HASH = `${hawserPrefix}rewritten-hash`;
const v1Keys: readonly string[] = [
  ...(['consumer', 'provider'] as const).flatMap((side) => [...Object.values(ORIGIN[side]), IDENTITY[side]]),
  hawserAnnotations.wantedHash,
  REWRITTEN_HASH,
];
const v2Keys: readonly string[] = [core.consumerClusterUID, core.relatedBinding];

/** Finds the claimed objects that the rules select, and their copies. Both lists are of one resource. Pure. */
export function findClaimed(
  objects: Readonly<Record<Side, readonly KubeObject[]>>,
  rules: RuleSet,
  terms: ClaimTerms,
): Found {
  const pairs: ClaimPair[] = [];
  const alone: Found['alone'][number][] = [];
  const undecided: KubeObject[] = [];
  const provider = new Map(objects.provider.map((object) => [objectKey(object), object]));
  const consumer = new Set(objects.consumer.map((object) => objectKey(object)));
  for (const object of objects.consumer) {
    const other = provider.get(objectKey(object));
    const isSelected = selects(rules, 'consumer', object);
    if (other === undefined) {
      if (isSelected && !isCopy(object, 'consumer', terms)) alone.push({ side: 'consumer', object });
      continue;
    }
    const pair = claimPairOf({ consumer: object, provider: other }, terms);
    if (pair === undefined) {
      if (isSelected || selects(rules, 'provider', other)) undecided.push(object);
    } else if (selects(rules, pair.owner, pair.original)) pairs.push(pair);
  }
  for (const object of objects.provider)
    if (!consumer.has(objectKey(object)) && selects(rules, 'provider', object) && !isCopy(object, 'provider', terms))
      alone.push({ side: 'provider', object });
  return { pairs, alone, undecided };
}

/**
 * The original and its copy among two objects of one place; undefined: the marks prove none (spec/konnector.md §10.2,
 * spec/kbind-v2.md §19).
 */
export function claimPairOf(objects: Readonly<Record<Side, KubeObject>>, terms: ClaimTerms): ClaimPair | undefined {
  for (const side of ['consumer', 'provider'] as const) {
    const owner = otherSide(side);
    const [copy, original] = [objects[side], objects[owner]];
    if (hasController(copy) || isCopy(original, owner, terms)) continue;
    if (isOlderCopy(copy, original, owner, terms)) return { owner, original, copy, marks: 'v1' };
    if (isNewerCopy(copy, terms)) return { owner, original, copy, marks: 'v2' };
  }
  return undefined;
}

/** A copy of `kube-bind.io` names the uid of its original. No uid is given twice. */
function isOlderCopy(
  { metadata: { annotations = {}, labels: its = {}, name, namespace } }: KubeObject,
  original: KubeObject,
  owner: Side,
  { identities }: ClaimTerms,
): boolean {
  const said = ORIGIN[owner];
  const { uid } = original.metadata;
  return (
    uid !== undefined &&
    annotations[said.uid] === uid &&
    (annotations[said.name] ?? name) === name &&
    (annotations[said.namespace] ?? namespace) === namespace &&
    its[OWNER] !== otherSide(owner) &&
    (annotations[IDENTITY[owner]] ?? identities[owner]) === (identities[owner] ?? annotations[IDENTITY[owner]])
  );
}

/** A copy of this binding, or one that a konnector made for a binding that is gone. */
function isNewerCopy(copy: KubeObject, { bindingUid, bindingUids, clusterUid }: ClaimTerms): boolean {
  if (clusterUid === '') return false;
  const owner = { bindingUID: bindingUid, consumerUID: clusterUid };
  const marking = markingOf(copy, owner, (uid) => bindingUids.has(uid));
  return marking === 'own' || (marking === 'former' && isWrittenByKonnector(copy));
}

/** Whether the object bears marks of a copy, of any original. */
function isCopy({ metadata: { annotations = {} } }: KubeObject, side: Side, terms: ClaimTerms): boolean {
  const isOlder = (annotations[ORIGIN[otherSide(side)].uid] ?? '') !== '';
  return isOlder || (terms.clusterUid !== '' && (annotations[core.relatedBinding] ?? '') !== '');
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
    original: originalPatch(pair, to),
    copy: isDone ? undefined : patchOf(copy, to === 'v2' ? newerMarks(copy, terms) : olderMarks(pair, terms)),
  };

  function originalPatch({ owner }: ClaimPair, generation: Generation): object | undefined {
    const wanted = generation === 'v1' ? owner : null;
    return (original.metadata.labels?.[OWNER] ?? null) === wanted
      ? undefined
      : patchOf(original, { labels: { [OWNER]: wanted } });
  }
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
  const { namespace = '', name, uid = '' } = original.metadata;
  const identity = identities[owner];
  return {
    labels: { ...without(metadata.labels, [coreLabels.managed]), [OWNER]: owner },
    annotations: {
      ...without(metadata.annotations, v2Keys),
      [ORIGIN[owner].namespace]: namespace,
      [ORIGIN[owner].name]: name,
      [ORIGIN[owner].uid]: uid,
      ...(identity === undefined ? {} : { [IDENTITY[owner]]: identity }),
    },
  };
}

/** Applies only to the object as it was read. */
function patchOf({ metadata: { uid, resourceVersion } }: KubeObject, marks: object): object {
  return { metadata: { uid, resourceVersion, ...marks } };
}

function without(found: Readonly<Record<string, string>> = {}, keys: readonly string[]): Record<string, null> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(found, key)).map((key) => [key, null]));
}

function hasController({ metadata: { ownerReferences = [] } }: KubeObject): boolean {
  return ownerReferences.some(({ controller }: OwnerReference) => controller === true);
}
