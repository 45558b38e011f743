import type { KubeObject, ObjectKey } from '@hawser/client';

import type { Decision } from './decision.js';
import type { Observed } from './observed.js';
import { RELEASE } from './marks.js';
import { held } from './verdicts.js';

/** Relation of a sync to an object. */
export type ObjectRoute =
  /**
   * It serves the object. `waitsFor`: a message if another sync must first let go of its copy before the object may go.
   */
  | { readonly kind: 'served'; readonly waitsFor?: string | undefined }
  /** It serves the object as long as the copy stays, although no rule leads here any more. */
  | { readonly kind: 'kept'; readonly message: string; readonly waitsFor?: string | undefined }
  /** The object will move here: this sync prepares a copy, and marks the object when the copy is ready. */
  | { readonly kind: 'staged'; readonly readyMark: { readonly key: string; readonly value: string } }
  /** The object has moved away, or will not move here any more: its copy goes, and then these marks of the object. */
  | { readonly kind: 'released'; readonly marks: readonly string[] }
  /** Another sync serves the object, or none. Nothing is written for it. */
  | { readonly kind: 'left'; readonly message?: string | undefined };

/**
 * Divides the objects of one API among the syncs that watch them. The same snapshot gives each object to one sync at
 * most.
 */
export interface Router {
  /** Called for each look. */
  of(object: KubeObject): ObjectRoute;
  /** Whether this sync handles a copy of that name without an object. */
  seesToOrphan(key: ObjectKey): boolean;
}

/** Reason for an object whose copy is not where the rules lead. */
export const OBJECTS_ELSEWHERE = 'ObjectsElsewhere';

/** Serves all objects. */
export const everyObject: Router = { of: () => ({ kind: 'served' }), seesToOrphan: () => true };

/** Decides about an object that is being deleted and waits for its other copies. */
export function decideWaiting({ consumer, route }: Observed): Decision | undefined {
  const waitsFor = route?.kind === 'served' || route?.kind === 'kept' ? route.waitsFor : undefined;
  if (waitsFor === undefined || consumer?.metadata.deletionTimestamp === undefined) return undefined;
  const reason = consumer.metadata.annotations?.[RELEASE] ?? '';
  return reason === '' ? held(OBJECTS_ELSEWHERE, waitsFor, 'operator') : undefined;
}

/** Decides about a pair by its route alone; undefined: look further. */
export function decideLeft({ consumer, memory, route, seesToOrphan = true }: Observed): Decision | undefined {
  if (consumer === undefined)
    // If the object slipped away from this sync, this sync handles its copy.
    return seesToOrphan || memory.slippedAway !== undefined ? undefined : { actions: [], verdict: { kind: 'absent' } };
  if (route?.kind !== 'left') return undefined;
  return route.message === undefined
    ? { actions: [], verdict: { kind: 'notSelected' } }
    : held(OBJECTS_ELSEWHERE, route.message, 'operator');
}

/** Adds a report to an object that is in step, but not where the rules lead. */
export function tellKept(decision: Decision, { route }: Observed): Decision {
  const { kind } = decision.verdict;
  if (route?.kind !== 'kept' || (kind !== 'inStep' && kind !== 'rewritten')) return decision;
  return {
    ...decision,
    verdict: { kind: 'held', reason: OBJECTS_ELSEWHERE, message: route.message, actor: 'operator' },
  };
}
