import type { KubeObject } from '@hawser/client';
import type { Decision } from './decision.js';
import { leftOver, marksOfAnother, ofAnotherCluster } from './held-objects.js';
import { currentContent } from './decide-in-step.js';
import { type Side, originUid, otherSide } from './marks.js';
import { type Observed, type PairSettings, marksOf } from './observed.js';
import { belongingOf, isWrittenByKonnector } from './origin.js';
import type { Policies } from './policies.js';
import { held, notClaimed, on, progressing, standing, write } from './verdicts.js';

/**
 * Decides about a copy without an original. It goes only if its marks name the original of its place, and that is
 * proven gone. Current claims do not matter: the claim may have gone with the claimed object.
 */
export function decideCopyAlone(
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
    case 'otherCluster':
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

const DEFAULT_MISSING_GRACE_MS = 60000;

/**
 * Gives the reason to keep the copy; undefined once it may go. A live 404 proves absence, not deletion: a restored
 * backup loses objects, too.
 */
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
