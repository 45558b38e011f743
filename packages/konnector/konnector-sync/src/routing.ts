import type { KubeObject, ObjectKey, UnstructuredObject } from '@hawser/client';

import type { Action, Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { RELEASE } from './marks.js';
import { belongingOf, isOfFormer } from './ownership.js';
import { held, progressing, waiting } from './verdicts.js';

/** Relation of a sync to an object. */
export type ObjectRoute =
  /** It serves the object. */
  | ({ readonly kind: 'served' } & Serving)
  /** It serves the object as long as the copy stays, although no rule leads here any more. */
  | ({ readonly kind: 'kept'; readonly message: string } & Serving)
  /** Nothing says who serves the object. If this sync has its copy, it notes that on the object, which is its own then. */
  | { readonly kind: 'unknown'; readonly note: RouteNote }
  /** The object will move here: this sync prepares a copy, and marks the object when the copy is ready. */
  | { readonly kind: 'staged'; readonly readyMark: { readonly key: string; readonly value: string } }
  /** The object has moved away, or will not move here any more: its copy goes, and then these marks of the object. */
  | { readonly kind: 'released'; readonly marks: readonly string[] }
  /** Another sync serves the object, or none. Nothing is written for it. */
  | { readonly kind: 'left'; readonly message?: string | undefined };

/** An annotation of an object that names the sync that serves it. */
export interface RouteNote {
  readonly key: string;
  readonly value: string;
}

interface Serving {
  /** A message if another sync must first let go of its copy before the object may go. */
  readonly waitsFor?: string | undefined;
  /** Where other syncs could take the object: what must be on it before it gets the finalizer. */
  readonly note?: RouteNote | undefined;
  /** Annotations of an earlier time that are no longer true: they go before it gets the finalizer. */
  readonly staleMarks?: readonly string[] | undefined;
  /** A message if it serves the object only by default, and so only if the copy is here. */
  readonly ifCopied?: string | undefined;
}

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

function servingOf(route: ObjectRoute | undefined): Serving {
  return route?.kind === 'served' || route?.kind === 'kept' ? route : {};
}

/** Whether another sync serves the object, or nobody knows who. */
export function isOfAnother(route: ObjectRoute | undefined): boolean {
  return route?.kind === 'left' || route?.kind === 'unknown';
}

/** Serves all objects. */
export const everyObject: Router = { of: () => ({ kind: 'served' }), seesToOrphan: () => true };

/** Decides about an object that is being deleted and waits for its other copies. */
export function decideWaiting({ consumer, route }: Observed): Decision | undefined {
  const { waitsFor } = servingOf(route);
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

/**
 * Decides about an object with a finalizer, of which nothing says who serves it: an admission or a person has removed
 * the note, or a konnector of another make never wrote it. Only the sync that has the copy may serve it: a second copy
 * would be at a provider that must not have it.
 */
export function decideUnknown(observed: Observed, settings: PairSettings, note: RouteNote): Decision {
  const { consumer, copy, copyCacheReady, memory, placement } = observed;
  const isHere =
    consumer !== undefined &&
    placement.kind === 'placed' &&
    copyCacheReady &&
    copy !== undefined &&
    copy.metadata.uid !== memory.copyGone &&
    belongingOf(copy, observed, settings).kind !== 'foreign' &&
    !isOfFormer(copy, consumer, settings);
  return isHere
    ? { actions: [noted(consumer, note)], verdict: progressing('write') }
    : { actions: [], verdict: { kind: 'notSelected' } };
}

/**
 * Decides about an object that is served only by default. `decide`: how an ordinary one is. A binding that ends lets
 * go of it: the one that has the copy serves it then.
 */
export function decideByDefault(observed: Observed, { draining }: PairSettings, decide: () => Decision): Decision {
  const { consumer, copy, copyCacheReady, memory, placement, route } = observed;
  const { ifCopied, note } = servingOf(route);
  if (consumer === undefined || ifCopied === undefined || draining !== undefined) return decide();
  if (placement.kind === 'placed' && !copyCacheReady) return waiting('cache');
  if (copy === undefined && memory.copyGone === undefined) return held(OBJECTS_ELSEWHERE, ifCopied, 'operator');
  const decision = decide();
  if (copy === undefined || consumer.metadata.deletionTimestamp !== undefined || note === undefined) return decision;
  const record: Action = { type: 'recordCopy', consumer, annotations: { [note.key]: note.value } };
  return { ...decision, actions: [...decision.actions, record] };
}

/** The step that must come before the finalizer; undefined: none. */
export function noteBeforeFinalizer({ consumer, route }: Observed): Action | undefined {
  const { note, staleMarks = [] } = servingOf(route);
  if (consumer === undefined) return undefined;
  const { annotations = {} } = consumer.metadata;
  const missing = note === undefined || annotations[note.key] === note.value ? undefined : note;
  const stale = staleMarks.filter((key) => Object.hasOwn(annotations, key));
  return missing === undefined && stale.length === 0 ? undefined : noted(consumer, missing, stale);
}

function noted(consumer: UnstructuredObject, note: RouteNote | undefined, stale: readonly string[] = []): Action {
  const gone = Object.fromEntries(stale.map((key) => [key, null]));
  return {
    type: 'recordRoute',
    consumer,
    annotations: { ...(note === undefined ? {} : { [note.key]: note.value }), ...gone },
  };
}

/** Adds a report to an object that is in step, but not where the rules lead. */
export function reportKept(decision: Decision, { route }: Observed): Decision {
  const { kind } = decision.verdict;
  if (route?.kind !== 'kept' || (kind !== 'inStep' && kind !== 'rewritten')) return decision;
  return {
    ...decision,
    verdict: { kind: 'held', reason: OBJECTS_ELSEWHERE, message: route.message, actor: 'operator' },
  };
}
