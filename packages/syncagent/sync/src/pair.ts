import { type UnstructuredObject, isApiError, isConflict, isObjectNotFound } from '@hawser/client';
import type { Failures, Problem } from '@hawser/controller';

import { type ActResult, type PairPorts, act } from './act.js';
import { standingOf } from './choose-copy.js';
import { versionOf } from './decide-content.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { endOf } from './end-of.js';
import { keyOf } from './keys.js';
import type { LastState, Observed, PairMemory, PairSettings, Placement, Standing } from './observed.js';
import { sideOf, stalledProblem, undoneProblem } from './problem-of.js';
import { effortOf } from './step-text.js';

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
  /** Of the pair, by this key. */
  readonly failures: Failures<Action>;
  readonly id: string;
  readonly acted: (action: Action, result: ActResult) => void;
  readonly signal: AbortSignal;
}

/** More steps than any sequence needs; a pair that is still not settled then is parked. */
const MAX_STEPS = 12;
const MAX_CONFLICTS = 3;

/**
 * Carries out steps until nothing is left to do, or nothing can be done before something happens. The view is as it is then. Rejects with a
 * {@link StepError}; a conflict is met by reading the side that refused, a few times.
 */
export async function runPair(view: PairView, { settings, ports, now, failures, id, acted, signal }: PairRun): Promise<Decision> {
  let conflicts = 0;
  let before: Action | undefined;
  for (let step = 0; ; step++) {
    const decision = decide(observedOf(view, now()), settings);
    const [first] = decision.actions;
    if (first === undefined) return decision;
    const parkedMs = waitOf(first, before);
    const [action, next] = parkedMs > 0 ? besides(first, decision) : decision.actions;
    const waitMs = action === undefined || action === first ? parkedMs : waitOf(action, before);
    if (action === undefined || waitMs > 0) return { ...decision, ...told(failures.undone(id, action ?? first)?.problem), requeueAfterMs: waitMs };
    if (step === MAX_STEPS) {
      const problem = stalledProblem(action, sideOf(action, settings.origin));
      const { nextAttempt = now() + 1_000 } = failures.stalled(id, action, problem);
      return { ...decision, ...told(problem), requeueAfterMs: Math.max(0, nextAttempt - now()) };
    }
    try {
      const result = await act(action, ports, signal);
      take(view, action, result, now());
      failures.succeeded(id, action);
      before = action;
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

  /** Milliseconds for which a step is not to be taken: it was refused, or it was taken again and again and gets nowhere, which is told. */
  function waitOf(action: Action, last: Action | undefined): number {
    const undone = failures.undone(id, action);
    if (undone !== undefined && undone.problem === undefined) {
      const atOnce = last !== undefined && effortOf(last) === effortOf(action);
      failures.tellUndone(id, action, undoneProblem(action, sideOf(action, settings.origin), atOnce), !atOnce);
    }
    return failures.waits(id, action);
  }
}

/** What gets no further stays so until something else lets it. */
function told(problem: Problem | undefined): Partial<Decision> {
  return problem === undefined ? {} : { verdict: { kind: 'held', ...problem } };
}

/** What can be done without the first step: where a finalizer cannot be had, a copy that is there goes on getting what changes, but none is made. */
function besides(first: Action, { actions }: Decision): readonly Action[] {
  return first.type === 'addFinalizer' && actions.every(({ type }) => type !== 'create' && type !== 'adopt') ? actions.slice(1) : [];
}

export function observedOf({ source, destination, standing, last, remembered, made, memory, placement, neededElsewhere, others, selected }: PairView, now: number): Observed {
  return { source, destination, standing, last, remembered, made, memory, placement, neededElsewhere, others, selected, now };
}

function take(view: PairView, action: Action, result: ActResult, now: number): void {
  if (result.source !== undefined) view.source = result.source ?? undefined;
  if (result.destination !== undefined) view.destination = result.destination ?? undefined;
  view.last = result.last ?? view.last;
  view.remembered = result.remembered ?? view.remembered;
  view.made = result.made ?? view.made;
  if (view.destination !== undefined && (action.type === 'create' || action.type === 'adopt' || action.type === 'confirmGone' || action.type === 'confirmAgreement')) view.standing = standingOf(view.destination);
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
    case 'confirmAgreement':
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
  // Not the copy yet.
  const isOccupant = action.type === 'adopt' || (action.type === 'confirmAgreement' && view.destination === undefined);
  const { client, resource, observe } = ports[end];
  try {
    const live = await client.get(resource, keyOf(known), { signal });
    if (!isOccupant) observe(live);
    if (isOccupant) view.memory = { ...view.memory, occupant: live };
    else view[end] = live;
  } catch (error) {
    if (!isObjectNotFound(error, resource, keyOf(known))) throw new StepError(action, error);
    if (isOccupant) view.memory = { ...view.memory, occupant: undefined };
    else view[end] = undefined;
  }
}
