import type { UnstructuredObject } from '@hawser/client';

import { decideContent } from './decide-content.js';
import { decideCreation } from './decide-creation.js';
import { decideDeletion, decideVanished, heldControlled, letGo, proving } from './decide-deletion.js';
import type { Decision } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { describe } from './keys.js';
import type { Observed, PairSettings } from './observed.js';
import { heldByOther, otherAgent } from './other-agent.js';
import { isOurs, isPending, ownershipOf } from './ownership.js';
import { inWords, pauseOf } from './pause.js';
import { held, waiting } from './verdicts.js';

/**
 * Decides about one source object and its copy. Pure: the same snapshot gives the same decision, so a preview calls
 * this very function.
 *
 * - Deletes a copy only after its object in kcp was read with a deletionTimestamp, or, if it is a related object, with
 *   its primary.
 * - Sets the finalizer before the copy is made, and releases it only when the copy is proven gone, or never was ours.
 * - Neither writes nor deletes a copy of another source or of another agent.
 * - A pair in step gives no action, and neither does a paused one.
 */
export function decide(observed: Observed, settings: PairSettings): Decision {
  const decision = decideUnpaused(observed, settings);
  // A released one is already out of our control.
  const pause = settings.letGo === true ? undefined : pauseOf(observed, settings.pause);
  if (pause === undefined || decision.actions.length === 0) return decision;
  const { message, actor } = inWords(pause, observed);
  return { ...held('Paused', message, actor), withheld: decision.actions };
}

function decideUnpaused(observed: Observed, settings: PairSettings): Decision {
  const { source, destination, memory } = observed;
  if (source === undefined) return decideVanished(observed, settings);
  const other = otherAgent(destination, settings);
  if (source.metadata.deletionTimestamp !== undefined || settings.forcedDeletion)
    return decideDeletion(observed, source, settings, other);
  if (settings.letGo === true) return letGo(observed, source, settings);
  // With a Go agent's marks in another place, and not written by an agent, it is no copy: an operator's child, or a
  // person's clone.
  const isNone =
    destination === undefined ||
    destination.metadata.uid === memory.gone ||
    (observed.standing === 'elsewhere' &&
      ownershipOf(observed, destination, settings) === 'foreign' &&
      !isPending(destination));
  const copy = isNone ? undefined : destination;
  if (!observed.selected) return decideNotSelected(observed, source, copy, settings);
  if (other !== undefined && copy !== undefined) return heldByOther(observed, source, copy, other, settings);
  if (copy !== undefined && observed.standing === 'controlled') return heldControlled(copy);
  if (copy !== undefined && observed.standing === 'elsewhere' && ownershipOf(observed, copy, settings) === 'unproven')
    return { ...waiting('proof'), actions: [{ type: 'confirmWritten', destination: copy }] };
  const rest =
    copy === undefined ? decideCreation(observed, source, settings) : decideContent(observed, source, copy, settings);
  // A held object gets no finalizer, unless it has a copy to protect.
  const protects =
    rest.actions.some(({ type }) => type !== 'confirmWritten' && type !== 'confirmAgreement') ||
    (copy !== undefined && isOurs(observed, copy, settings));
  return settings.finalizer && !hasFinalizer(source) && protects
    ? { ...rest, actions: [{ type: 'addFinalizer', source }, ...rest.actions] }
    : rest;
}

/**
 * Excluded objects are not written any more. An earlier copy stays, and so does the finalizer: it goes with its object.
 */
function decideNotSelected(
  observed: Observed,
  source: UnstructuredObject,
  copy: UnstructuredObject | undefined,
  settings: PairSettings,
): Decision {
  if (copy !== undefined) {
    return held(
      'NotSelected',
      `The filter of the PublishedResource does not select this object any more, but its copy ${describe(copy)} exists: it is kept and no longer updated, and goes with the object. Change the labels back, or delete the object.`,
      'consumer',
    );
  }
  if (!hasFinalizer(source)) return { actions: [], verdict: { kind: 'notSelected' } };
  return observed.memory.gone === undefined ? proving(observed) : letGo(observed, source, settings);
}
