import { type UnstructuredObject, isApiError, isConflict, isObjectNotFound } from '@hawser/client';

import { type ActResult, type PairPorts, act } from './act.js';
import { standingOf } from './choose-copy.js';
import { versionOf } from './decide-content.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { keyOf } from './keys.js';
import type { LastState, Observed, PairMemory, PairSettings, Placement, Standing } from './observed.js';

/** One source object and its copy while they are worked on. */
export interface PairView {
  source: UnstructuredObject | undefined;
  destination: UnstructuredObject | undefined;
  standing?: Standing | undefined;
  last: LastState;
  remembered: boolean;
  /** See {@link Observed.made}. */
  made?: string | undefined;
  memory: PairMemory;
  readonly placement: (object: UnstructuredObject) => Placement;
  readonly neededElsewhere: () => boolean;
  readonly others?: (() => 'none' | 'unknown') | undefined;
  readonly selected: boolean;
}

/** A step that failed, with what it was for. */
export class StepError extends Error {
  override readonly name = 'StepError';

  constructor(readonly action: Action, override readonly cause: unknown) {
    super(`${action.type} failed`, { cause });
  }
}

export interface PairRun {
  readonly settings: PairSettings;
  readonly ports: PairPorts;
  readonly now: () => number;
  /** Milliseconds for which this step is not to be tried. */
  readonly waits: (action: Action) => number;
  readonly acted: (action: Action, result: ActResult) => void;
  readonly signal: AbortSignal;
}

/** More steps than any sequence needs; a pair that is still not settled then comes back through the queue. */
const MAX_STEPS = 12;
const MAX_CONFLICTS = 3;

/**
 * Carries out steps until nothing is left to do, or nothing can be done before something happens. The view is as it is then. Rejects with a
 * {@link StepError}; a conflict is met by reading the side that refused, a few times.
 */
export async function runPair(view: PairView, { settings, ports, now, waits, acted, signal }: PairRun): Promise<Decision> {
  let conflicts = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    const decision = decide(observedOf(view, now()), settings);
    const [action, next] = decision.actions;
    if (action === undefined) return decision;
    const waitMs = waits(action);
    if (waitMs > 0) return { ...decision, requeueAfterMs: waitMs };
    try {
      const result = await act(action, ports, signal);
      take(view, action, result, now());
      acted(action, result);
      // What was pushed is what is remembered, whatever the other side has made of it.
      if (next?.type === 'storeSnapshot' && (action.type === 'patch' || result.remembered === true)) take(view, next, await act(next, ports, signal), now());
      if (result.wait === true) return { ...decision, actions: [] };
    } catch (error) {
      if (isConflict(error) && ++conflicts <= MAX_CONFLICTS) await readAgain(view, action, ports, signal);
      else if (isVanished(error, action, ports)) return { actions: [], verdict: { kind: 'progressing', waitingFor: 'cache' }, requeueAfterMs: 2_000 };
      else {
        // Whether a request without an answer was carried out is not known.
        if (action.type === 'create' && (!isApiError(error) || isApiError(error, 'InternalError', 'ServerTimeout', 'Timeout', 'Unreachable', 'Unavailable', 'Malformed'))) view.memory = { ...view.memory, attempted: true };
        throw new StepError(action, error);
      }
    }
  }
  return { actions: [], verdict: { kind: 'progressing', waitingFor: 'write' }, requeueAfterMs: 1_000 };
}

export function observedOf({ source, destination, standing, last, remembered, made, memory, placement, neededElsewhere, others, selected }: PairView, now: number): Observed {
  return { source, destination, standing, last, remembered, made, memory, placement, neededElsewhere, others, selected, now };
}

/** On which side of a pair an action writes or reads. */
export function endOf(action: Action): 'source' | 'destination' {
  switch (action.type) {
    case 'addFinalizer':
    case 'releaseFinalizer':
    case 'writeStatusBack':
      return 'source';
    case 'create':
    case 'adopt':
    case 'take':
    case 'confirmWritten':
    case 'patch':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'delete':
    case 'forget':
    case 'writeStatusForward':
      return 'destination';
  }
}

function take(view: PairView, action: Action, result: ActResult, now: number): void {
  if (result.source !== undefined) view.source = result.source ?? undefined;
  if (result.destination !== undefined) view.destination = result.destination ?? undefined;
  view.last = result.last ?? view.last;
  view.remembered = result.remembered ?? view.remembered;
  view.made = result.made ?? view.made;
  if (view.destination !== undefined && (action.type === 'create' || action.type === 'adopt' || action.type === 'confirmGone')) view.standing = standingOf(view.destination);
  view.memory = { ...view.memory, ...result.memory };
  if (action.type === 'patch' && action.correction) view.memory = { ...view.memory, corrections: latest(view.memory.corrections, now) };
  if (action.type === 'writeStatusBack') {
    const of = versionOf(action.destination);
    const before = view.memory.statusWritten;
    view.memory = { ...view.memory, statusWritten: { of, again: before?.of === of ? latest(before.again, now) : [] } };
  }
}

/** No more are asked for. */
function latest(times: readonly number[] | undefined, now: number): readonly number[] {
  return [...(times ?? []).slice(-4), now];
}

/** An object went while it was being written to: its event is on the way. */
function isVanished(error: unknown, action: Action, { source, destination }: PairPorts): boolean {
  switch (action.type) {
    case 'addFinalizer':
    case 'writeStatusBack':
      return isObjectNotFound(error, source.resource, keyOf(action.source));
    case 'adopt':
    case 'patch':
    case 'writeStatusForward': {
      const gone = isObjectNotFound(error, destination.resource, keyOf(action.destination));
      if (gone) destination.lost?.(action.destination);
      return gone;
    }
    case 'create':
    case 'take':
    case 'confirmWritten':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'delete':
    case 'forget':
    case 'releaseFinalizer':
      return false;
  }
}

/** After a conflict: what was decided about is old. Read the side that refused. */
async function readAgain(view: PairView, action: Action, ports: PairPorts, signal: AbortSignal): Promise<void> {
  const end = endOf(action);
  const known = view[end] ?? ('destination' in action ? action.destination : undefined);
  if (known === undefined) return;
  const { client, resource, observe } = ports[end];
  try {
    const live = await client.get(resource, keyOf(known), { signal });
    observe(live);
    if (action.type === 'adopt') view.memory = { ...view.memory, occupant: live };
    else view[end] = live;
  } catch (error) {
    if (!isObjectNotFound(error, resource, keyOf(known))) throw new StepError(action, error);
    if (action.type === 'adopt') view.memory = { ...view.memory, occupant: undefined };
    else view[end] = undefined;
  }
}
