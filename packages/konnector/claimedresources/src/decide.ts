import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { hawserAnnotations } from '@hawser/kube-bind';
import { WANTED_HASH } from '@hawser/konnector-sync';

import { decideContent, drifting } from './decide-content.js';
import type { Decision } from './decision.js';
import { kubeBindMarks } from './kube-bind-marks.js';
import { IDENTITY, type Marks, ORIGIN, type Ownership, type Side, originUid, otherSide } from './marks.js';
import { type Observed, type PairSettings, versionOf } from './observed.js';
import { belongingOf, isDedicated, isWrittenByKonnector, namelessCopy } from './origin.js';
import { type Policies, mayBeAdopted, policyFor } from './policies.js';
import { held, notClaimed, on, progressing, standing, write } from './verdicts.js';
import { type Place, contentHash, copyOf, originMarks, wantedContent } from './wanted.js';

/** Decides about one pair. Pure. An object belongs to the side that its marks prove, and to nobody where they contradict each other. */
export function decide(observed: Observed, settings: PairSettings, policies: Policies = new Map()): Decision {
  const { consumer, provider } = observed.cached;
  if (consumer !== undefined && provider !== undefined)
    return decideBoth(observed, settings, { consumer, provider }, policies);
  if (consumer !== undefined) return decideOne(observed, settings, 'consumer', consumer, policies);
  if (provider !== undefined) return decideOne(observed, settings, 'provider', provider, policies);
  return standing({ kind: 'absent' });
}

function decideOne(
  observed: Observed,
  settings: PairSettings,
  side: Side,
  object: KubeObject,
  policies: Policies,
): Decision {
  const marks = marksOf(settings);
  const isClaimed = observed.claimedBy[side].length > 0;
  switch (marks.roleOf(object, side)) {
    case 'original':
      return isClaimed ? keepInStep(observed, settings, side, object, undefined, policies) : notClaimed;
    case 'labelled':
      return isClaimed
        ? held(
            'ClaimedObjectUndecided',
            `${on(side, observed)} is ${marks.inWords(otherSide(side))}, and there is no such object on the ${otherSide(side)}: whose it is cannot be told, and it is left alone. Remove the label, or the object.`,
            side,
          )
        : notClaimed;
    case 'copy':
      return decideCopyAlone(observed, settings, side, object, policies);
  }
}

function decideBoth(
  observed: Observed,
  settings: PairSettings,
  pair: Readonly<Record<Side, KubeObject>>,
  policies: Policies,
): Decision {
  const ownership = ownershipOf(observed, settings, pair);
  const owner = ownership.kind === 'undecided' ? undefined : ownership.owner;
  const isClaimed =
    owner === undefined
      ? observed.claimedBy.consumer.length + observed.claimedBy.provider.length > 0
      : observed.claimedBy[owner].length > 0;
  if (!isClaimed) return notClaimed;
  if (ownership.kind === 'proven') {
    const { owner: of } = ownership;
    const side = otherSide(of);
    const belonging = belongingOf(observed, { ...settings, marks: marksOf(settings) }, policies, side, pair[side]);
    if (belonging === 'clone' || belonging === 'owned' || belonging === 'elsewhere') {
      if (policyFor(observed.claimedBy[of], policies).conflicts === 'Skip') return notClaimed;
      return belonging === 'elsewhere'
        ? ofAnotherCluster(observed, settings, pair[side])
        : marksOfAnother(observed, side, pair[side], belonging);
    }
    // Nothing but this consumer's objects stands in its own namespaces: an original that was made anew finds its copy again.
    if (
      belonging === 'ours' ||
      belonging === 'nameless' ||
      (belonging === 'unknown' && isDedicated(observed, settings.clusterNamespace))
    )
      return keepInStep(observed, settings, of, pair[of], pair[side], policies);
    return of === 'provider'
      ? held(
          'ClaimedByAnotherProvider',
          `${on('consumer', observed)} is the copy of an object of another provider, and is left alone. Have one of the providers use another name or claim.`,
          'operator',
        )
      : held(
          'ClaimedByAnotherConsumer',
          `${on('provider', observed)} is the copy of another consumer's object, and is left alone. The provider has to keep the consumers apart, or one of them has to use another name.`,
          'provider',
        );
  }
  if (ownership.kind === 'occupied') return decideConflict(observed, settings, ownership.owner, pair, policies);
  return held(
    'ClaimedObjectUndecided',
    `Both sides have ${observed.consumerNamespace}/${observed.name}, and nothing proves which one is the original: both are left alone. Delete or rename the one that is not wanted.`,
    'consumer',
  );
}

const marksOf = ({ marks = kubeBindMarks }: PairSettings): Marks => marks;

/** What neither of the two says counts for the side that something is claimed on. */
function ownershipOf(
  { claimedBy }: Observed,
  settings: PairSettings,
  pair: Readonly<Record<Side, KubeObject>>,
): Ownership {
  const marks = marksOf(settings);
  const ownership = marks.ownershipOf(pair);
  if (
    ownership.kind !== 'occupied' ||
    claimedBy[ownership.owner].length > 0 ||
    marks.says(pair.consumer) !== undefined ||
    marks.says(pair.provider) !== undefined
  )
    return ownership;
  return { kind: 'occupied', owner: otherSide(ownership.owner) };
}

/** Somebody's object stands where the copy of the one that is `owner`'s would stand. */
function decideConflict(
  observed: Observed,
  settings: PairSettings,
  owner: Side,
  pair: Readonly<Record<Side, KubeObject>>,
  policies: Policies,
): Decision {
  const side = otherSide(owner);
  const marks = marksOf(settings);
  switch (policyFor(observed.claimedBy[owner], policies).conflicts) {
    case 'Skip':
      return notClaimed;
    case 'Fail':
      return exists(observed, side, isAdoptable(pair[side], marks, side) ? observed.claimedBy[owner] : []);
    case 'Adopt': {
      const found = pair[side];
      if (!isAdoptable(found, marks, side)) return exists(observed, side);
      const decision = keepInStep(observed, settings, owner, pair[owner], found, policies, true);
      // It would have to be made anew: what is somebody's is never deleted for that.
      return decision.actions[0]?.type === 'deleteCopy' ? exists(observed, side) : decision;
    }
  }
}

function isAdoptable(found: KubeObject, marks: Marks, side: Side): boolean {
  return mayBeAdopted(found) && marks.roleOf(found, side) === 'original' && marks.says(found) === undefined;
}

const identitiesOf = ({ consumerCluster, clusterNamespaceUid }: PairSettings): Readonly<Record<Side, string>> => ({
  consumer: consumerCluster,
  provider: clusterNamespaceUid,
});

/** A copy without an original. It goes only if its marks name the original of its place, and that is proven gone, whatever claims select today: its claim may have gone with what was claimed. */
function decideCopyAlone(
  observed: Observed,
  settings: PairSettings,
  side: Side,
  copy: KubeObject,
  policies: Policies,
): Decision {
  const from = otherSide(side);
  const marks = marksOf(settings);
  const isClaimed = observed.claimedBy[side].length > 0;
  const isPlaced = from === 'consumer' || observed.placement.kind === 'assigned';
  const belonging = belongingOf(observed, { ...settings, marks }, policies, side, copy);
  switch (belonging) {
    case 'clone':
    case 'owned':
      return isClaimed ? marksOfAnother(observed, side, copy, belonging) : notClaimed;
    case 'foreign':
      if (!isClaimed || side === 'provider') return notClaimed;
      return held(
        'ClaimedByAnotherProvider',
        `${on('consumer', observed)} is the copy of an object of another provider, and is left alone. Have one of the providers use another claim.`,
        'operator',
      );
    case 'elsewhere':
      return isClaimed ? ofAnotherCluster(observed, settings, copy) : notClaimed;
    case 'unknown':
      return isClaimed && observed.cacheReady[from] && isPlaced ? leftOver(observed, side) : notClaimed;
    case 'nameless':
    case 'ours': {
      if (!isPlaced) return progressing('namespace');
      if (!observed.cacheReady[from]) return progressing('cache');
      if (copy.metadata.deletionTimestamp !== undefined) return progressing('copyToGo');
      if (belonging === 'nameless') {
        const whole = currentContent(observed, side);
        if (whole === undefined) return write({ type: 'read', sides: [side] });
        if (!isWrittenByKonnector(whole, marks, side)) return isClaimed ? leftOver(observed, side) : notClaimed;
      }
      const held = missing(observed, settings, side, copy);
      return (
        held ??
        write(
          observed.originalGone === true
            ? { type: 'deleteCopy', side, copy, why: 'originalGone' }
            : { type: 'proveGone', side: from },
        )
      );
    }
  }
}

const DEFAULT_MISSING_GRACE_MS = 60_000;

/** A live 404 shows that the original is not there, and not that it was deleted: a restored backup loses objects, too. Undefined once the copy may go. */
function missing(
  { memory, now, deletion, ...observed }: Observed,
  { missingGraceMs = DEFAULT_MISSING_GRACE_MS }: PairSettings,
  side: Side,
  copy: KubeObject,
): Decision | undefined {
  const from = otherSide(side);
  const deleted = memory.deleted?.[from];
  if (deleted !== undefined && deleted === (originUid(copy, side) ?? memory.seen?.[from])) return undefined;
  const leftMs = Math.max(0, (memory.missingSince ?? now) + missingGraceMs - now);
  if (leftMs === 0 && deletion === 'allowed') return undefined;
  const outlook =
    deletion === 'held'
      ? 'It is kept: too many copies would go at once. See condition ClaimsInSync of the APIServiceBinding.'
      : 'The copy goes soon, unless the original is back by then.';
  const message = `The original of ${on(side, { memory, now, ...observed })} is missing on the ${from}, and its deletion was not seen. ${outlook}`;
  return {
    ...standing({ kind: 'orphan', owner: from, message }),
    ...(deletion === 'held' ? {} : { requeueAfterMs: leftMs }),
  };
}

function leftOver(observed: Observed, side: Side): Decision {
  const from = otherSide(side);
  return held(
    'ClaimedCopyLeftOver',
    `${on(side, observed)} is marked as the copy of an object that the ${from} no longer has. Nothing proves that a konnector made it and that it may go: it is kept. Delete it if it is not needed.`,
    'operator',
  );
}

/** Two clusters use one kubeconfig: the copy is the other one's, whose objects would be lost in it. */
function ofAnotherCluster(
  observed: Observed,
  { consumerCluster }: PairSettings,
  { metadata: { annotations } }: KubeObject,
): Decision {
  const cluster = annotations?.[IDENTITY.consumer] ?? '';
  const [binding = '<binding>'] = [...observed.claimedBy.consumer, ...observed.claimedBy.provider];
  const accept = `kubectl annotate apiservicebinding ${binding} --overwrite ${hawserAnnotations.formerConsumerIdentity}=${cluster}`;
  const message = `${on('provider', observed)} is the copy of an object in the consumer cluster with uid ${cluster}, and this cluster has uid ${consumerCluster}. It is left alone. Two clusters use the same kubeconfig: ask the provider for one for each. If this cluster has taken the place of the other one, its administrator accepts that by: ${accept}.`;
  return held('ClaimedByAnotherCluster', message, 'operator');
}

/** People clone objects with their annotations, and operators hand them down to children: such marks say nothing about the object that bears them. */
function marksOfAnother(observed: Observed, side: Side, object: KubeObject, belonging: 'clone' | 'owned'): Decision {
  const from = otherSide(side);
  const { annotations = {}, ownerReferences = [] } = object.metadata;
  const of = [annotations[ORIGIN[from].namespace], annotations[ORIGIN[from].name]]
    .filter((part) => part !== undefined)
    .join('/');
  const owner = ownerReferences.find(({ controller }) => controller === true);
  const why =
    belonging === 'owned'
      ? `${owner?.kind ?? 'A controller'} "${owner?.name ?? ''}" owns it as its controller`
      : `these marks belong to ${of === '' ? 'another object' : `the copy of ${of}`}`;
  const message = `${on(side, observed)} is marked as a copy, but ${why}. It is neither synced nor deleted. Remove its annotations ${ORIGIN[from].uid} and ${ORIGIN[from].namespace} and the mark that names the ${from} as its owner, or rename it.`;
  return held('ClaimedCopyMisleading', message, side);
}

function keepInStep(
  observed: Observed,
  settings: PairSettings,
  owner: Side,
  original: KubeObject,
  copy: KubeObject | undefined,
  policies: Policies,
  adopting = false,
): Decision {
  const { placement, memory, now, consumerNamespace } = observed;
  const protection = observed.protection[owner];
  if (protection !== undefined) return protectedObject(observed, owner, protection);
  if (original.metadata.deletionTimestamp !== undefined && copy === undefined) return progressing('originalToGo');
  if (placement.kind === 'unassigned') return requestNamespace(observed, settings);
  const side = otherSide(owner);
  if (copy === undefined && !observed.cacheReady[side]) return progressing('cache');
  if ((copy === undefined || adopting) && owner === 'provider' && observed.landing === 'unknown')
    return progressing('cache');
  if ((copy === undefined || adopting) && owner === 'provider' && observed.landing === 'closed')
    return closedNamespace(observed);
  // Before anything is read: what there are too many of shall cost next to nothing.
  if (copy === undefined && owner === 'provider' && observed.full !== undefined) return tooMany(observed.full);
  if (copy?.metadata.deletionTimestamp !== undefined) return progressing('copyToGo');
  if (copy !== undefined && observed.unshared !== undefined)
    return write({ type: 'shareNamespace', consumerNamespace, binding: observed.unshared });
  const from = versionOf(original);
  if (copy !== undefined && memory.inStep?.[owner] === from && memory.inStep[side] === versionOf(copy))
    return standing({ kind: 'inStep', owner });
  if (copy !== undefined && memory.parked?.from === from && memory.parked.until > now)
    return { ...standing(memory.parked.verdict), requeueAfterMs: memory.parked.until - now };
  // One that somebody keeps deleting.
  const holding =
    copy === undefined && memory.lastWrite?.from === from ? drifting(observed, side, original) : undefined;
  if (holding !== undefined) return holding;

  const contents = { original: currentContent(observed, owner), copy: currentContent(observed, side) };
  if (contents.original === undefined || (copy !== undefined && contents.copy === undefined)) {
    return write({ type: 'read', sides: copy === undefined ? [owner] : ['consumer', 'provider'] });
  }
  if (isCredential(contents.original))
    return protectedObject(observed, owner, 'it is a token of the cluster that it stands in');
  const marks = marksOf(settings);
  if (marks.says(original) !== owner)
    return write({ type: 'markOriginal', side: owner, original, saying: marks.saying(owner) });
  const place: Place = {
    namespaces: { consumer: consumerNamespace, provider: placement.namespace },
    identities: identitiesOf(settings),
    marks,
  };
  const policy = policyFor(observed.claimedBy[owner], policies);
  if (copy !== undefined && contents.copy !== undefined) {
    const decision = decideContent(observed, {
      owner,
      original: contents.original,
      copy: contents.copy,
      found: copy,
      place,
      policy,
      adopting,
    });
    // It would have to be made anew, and its marks do not say that it may go.
    return decision.actions[0]?.type === 'deleteCopy' &&
      namelessCopy(copy, side) &&
      !isWrittenByKonnector(contents.copy, marks, side)
      ? exists(observed, side)
      : decision;
  }
  const wanted = wantedContent(contents.original, owner, place);
  const hash = contentHash(wanted, original, policy.ignored);
  const made = copyOf(
    contents.original,
    owner,
    wanted,
    { ...originMarks(original, owner, place), [WANTED_HASH]: hash },
    place,
  );
  return write({
    type: 'createCopy',
    side,
    copy: made,
    from,
    hash,
    binding: observed.claimedBy[owner][0] ?? '',
    consumerNamespace,
  });
}

function currentContent({ cached, contents }: Observed, side: Side): UnstructuredObject | undefined {
  const [object, content] = [cached[side], contents?.[side]];
  return object !== undefined && content !== undefined && versionOf(object) === versionOf(content)
    ? content
    : undefined;
}

/** Secrets that are credentials of the cluster itself. */
function isCredential(object: UnstructuredObject): boolean {
  return (
    object.apiVersion === 'v1' &&
    object.kind === 'Secret' &&
    (object['type'] === 'kubernetes.io/service-account-token' || object['type'] === 'bootstrap.kubernetes.io/token')
  );
}

function requestNamespace(
  { placement, consumerNamespace, claimedBy, now }: Observed,
  { clusterNamespace, namespaceGraceMs }: PairSettings,
): Decision {
  const since = placement.kind === 'unassigned' ? placement.since : undefined;
  if (since === undefined)
    return write({ type: 'requestNamespace', consumerNamespace, binding: claimedBy.consumer[0] ?? '' });
  const leftMs = since + namespaceGraceMs - now;
  if (leftMs > 0) return { ...progressing('namespace'), requeueAfterMs: leftMs };
  const message = `The provider has not assigned a namespace to APIServiceNamespace ${clusterNamespace}/${consumerNamespace} yet. Claimed objects of this namespace wait for it.`;
  return progressing('namespace', { reason: 'NamespacePending', message, actor: 'provider' });
}

function protectedObject(observed: Observed, owner: Side, why: string): Decision {
  const message = `${on(owner, observed)} is claimed and not copied: ${why}. The provider has to claim something else.`;
  return held('ClaimedObjectProtected', message, 'provider');
}

/** The same for all objects of a namespace, so that it is told once. */
function closedNamespace({ consumerNamespace, claimedBy }: Observed): Decision {
  const [binding = ''] = claimedBy.provider;
  const message = `The provider has objects for namespace "${consumerNamespace}" of the consumer. Claims bring objects only into namespaces with bound objects of this provider, or that were made for it. If they are wanted there, annotate APIServiceBinding ${binding} with "${hawserAnnotations.claimNamespaces}: ${consumerNamespace}".`;
  return held('ClaimedNamespaceClosed', message, 'operator');
}

/** The same for each of them, so that it is told once. */
function tooMany({ binding, max }: NonNullable<Observed['full']>): Decision {
  const message = `The provider has more objects for the claims of APIServiceBinding ${binding} than the ${max} that may come to the consumer by the claims of one; those that are there stay and are kept in step. The provider has to claim fewer, or to delete some; or the operator of the konnector raises konnector.bounds.claimedObjectsPerBinding.`;
  return held('TooManyClaimedObjects', message, 'provider');
}

/** `adoptBy`: bindings whose conflict policy Adopt would let Hawser take it over; empty where no policy helps. */
function exists(observed: Observed, side: Side, adoptBy: readonly string[] = []): Decision {
  const adopt =
    adoptBy.length === 0
      ? ''
      : ` To let Hawser make this one a copy, with the content of the original, and all others that belong to nobody, the administrator of the consumer cluster sets the conflict policy Adopt: kubectl annotate apiservicebinding ${adoptBy.join(' ')} --overwrite ${hawserAnnotations.conflictPolicy}=Adopt.`;
  const message = `${on(side, observed)} was there before and is no copy: it is left alone, and the object of that name on the ${otherSide(side)} is not copied. Delete or rename one of the two.${adopt}`;
  return held('ClaimedObjectExists', message, side);
}
