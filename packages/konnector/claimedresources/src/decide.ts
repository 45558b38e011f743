import type { KubeObject } from '@hawser/client';

import type { Decision } from './decision.js';
import { type Ownership, type Side, otherSide } from './marks.js';
import { type Observed, type PairSettings, marksOf } from './observed.js';
import { belongingOf, isDedicated } from './origin.js';
import { type Policies, policyFor } from './policies.js';
import { held, notClaimed, on, standing } from './verdicts.js';
import { marksOfAnother, ofAnotherCluster } from './held-objects.js';
import { keepInStep } from './decide-in-step.js';
import { decideCopyAlone } from './decide-copy-alone.js';
import { decideConflict } from './decide-conflict.js';

/** Decides about one pair. Pure. An object belongs to the side that its marks prove; to neither if they conflict. */
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
    if (belonging === 'clone' || belonging === 'owned' || belonging === 'otherCluster') {
      if (policyFor(observed.claimedBy[of], policies).conflicts === 'Skip') return notClaimed;
      return belonging === 'otherCluster'
        ? ofAnotherCluster(observed, settings, pair[side])
        : marksOfAnother(observed, side, pair[side], belonging);
    }
    // A consumer's own namespaces hold only its objects: a recreated original finds its copy again.
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

/** Without marks on either object, the side of the claim counts. */
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
    marks.markedOwner(pair.consumer) !== undefined ||
    marks.markedOwner(pair.provider) !== undefined
  )
    return ownership;
  return { kind: 'occupied', owner: otherSide(ownership.owner) };
}
