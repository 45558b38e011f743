import type { KubeObject } from '@hawser/client';
import type { Decision } from './decision.js';
import { exists } from './held-objects.js';
import { keepInStep } from './decide-in-step.js';
import { type Marks, type Side, otherSide } from './marks.js';
import { type Observed, type PairSettings, marksOf } from './observed.js';
import { type Policies, mayBeAdopted, policyFor } from './policies.js';
import { notClaimed } from './verdicts.js';

/** Decides about another object in the place of the copy. `owner`: the side of the original. */
export function decideConflict(
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
      // It would have to be recreated; Hawser never deletes foreign objects for that.
      return decision.actions[0]?.type === 'deleteCopy' ? exists(observed, side) : decision;
    }
  }
}

function isAdoptable(found: KubeObject, marks: Marks, side: Side): boolean {
  return mayBeAdopted(found) && marks.roleOf(found, side) === 'original' && marks.markedOwner(found) === undefined;
}
