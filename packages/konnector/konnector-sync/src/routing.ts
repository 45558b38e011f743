import type { KubeObject, ObjectKey } from '@hawser/client';

import type { Decision } from './decision.js';
import type { Observed } from './observed.js';
import { RELEASE } from './marks.js';
import { held } from './verdicts.js';

/** Whether a sync is the one that serves an object. */
export type ObjectRoute =
  /** It is. `waitsFor`: a message if the object may not go before another sync has let go of its copy. */
  | { readonly kind: 'served'; readonly waitsFor?: string | undefined }
  /** It is for as long as the copy stays, although no rule leads here any more. */
  | { readonly kind: 'kept'; readonly message: string; readonly waitsFor?: string | undefined }
  /** The object is about to move here: this sync prepares a copy, and notes on the object when that is ready. */
  | { readonly kind: 'staged'; readonly readyMark: { readonly key: string; readonly value: string } }
  /** The object has moved from here, or is not to move here any more: its copy goes, and then these marks of the object. */
  | { readonly kind: 'released'; readonly marks: readonly string[] }
  /** Another sync is, or none. Nothing is written for it. */
  | { readonly kind: 'left'; readonly message?: string | undefined };

/** Divides the objects of one API among the syncs that watch them. The same snapshot gives each object to one sync at most. */
export interface Router {
  /** Asked anew for each look. */
  of(object: KubeObject): ObjectRoute;
  /** Whether this sync sees to a copy of that name that has no object. */
  seesToOrphan(key: ObjectKey): boolean;
}

/** Of an object whose copy is not where the rules lead. */
export const OBJECTS_ELSEWHERE = 'ObjectsElsewhere';

/** Serves all objects. */
export const everyObject: Router = { of: () => ({ kind: 'served' }), seesToOrphan: () => true };

/** An object that is deleted waits for the other copies that it has. */
export function decideWaiting({ consumer, route }: Observed): Decision | undefined {
  const waitsFor = route?.kind === 'served' || route?.kind === 'kept' ? route.waitsFor : undefined;
  if (waitsFor === undefined || consumer?.metadata.deletionTimestamp === undefined) return undefined;
  const reason = consumer.metadata.annotations?.[RELEASE] ?? '';
  return reason === '' ? held(OBJECTS_ELSEWHERE, waitsFor, 'operator') : undefined;
}

/** What is decided about a pair without looking at it further; undefined: nothing. */
export function decideLeft({ consumer, memory, route, seesToOrphan = true }: Observed): Decision | undefined {
  if (consumer === undefined)
    // Whose object slipped away from this sync, it sees to all the same.
    return seesToOrphan || memory.slippedAway !== undefined ? undefined : { actions: [], verdict: { kind: 'absent' } };
  if (route?.kind !== 'left') return undefined;
  return route.message === undefined
    ? { actions: [], verdict: { kind: 'notSelected' } }
    : held(OBJECTS_ELSEWHERE, route.message, 'operator');
}

/** An object that is in step, and not where the rules lead, says so. */
export function tellKept(decision: Decision, { route }: Observed): Decision {
  const { kind } = decision.verdict;
  if (route?.kind !== 'kept' || (kind !== 'inStep' && kind !== 'rewritten')) return decision;
  return {
    ...decision,
    verdict: { kind: 'held', reason: OBJECTS_ELSEWHERE, message: route.message, actor: 'operator' },
  };
}
