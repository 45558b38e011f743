import { isApiError, isObjectNotFound, keyOf, type UnstructuredObject, versionOf } from '@hawser/client';
import type { Failures } from '@hawser/controller';
import { type LoopRole, PairLoop, type PairSteps, type TakenStep } from '@hawser/pair';

import { type ActResult, type PairPorts, act, storeSnapshot } from './act.js';
import { standingOf } from './choose-copy.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { endOf } from './end-of.js';
import type { LastState, Observed, PairMemory, PairSettings, Placement, Standing } from './observed.js';
import { sideOf, stalledProblem, undoneProblem } from './problem-of.js';
import { effortOf, stepText } from './step-text.js';

/** State of one source object and its copy during work. */
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
  readonly isNeededByOthers: () => boolean;
  readonly others?: (() => 'none' | 'unknown') | undefined;
  readonly selected: boolean;
}

/** A failed step, with its purpose. */
export class StepError extends Error {
  override readonly name = 'StepError';

  constructor(
    readonly action: Action,
    override readonly cause: unknown,
  ) {
    super(`${action.type} failed`, { cause });
  }
}

export interface PairRun {
  readonly settings: PairSettings;
  readonly ports: PairPorts;
  readonly now: () => number;
  /** Failures of the pair, by this key. */
  readonly failures: Failures<Action>;
  readonly id: string;
  readonly acted: (action: Action, result: ActResult) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs steps until none is left, or until an event is needed. The view then has the final state. Rejects with a {@link
 * StepError}; answers a conflict by reading the refusing side, a few times.
 */
export async function runPair(view: PairView, run: PairRun): Promise<Decision> {
  const loop = new PairLoop<ViewTypes>(new ViewRole(view, run), { failures: run.failures });
  const outcome = await loop.run(run.id, false, run.signal);
  switch (outcome.kind) {
    case 'settled':
      return outcome.decision;
    case 'parked':
      // Without progress it stays so until a change.
      return {
        ...outcome.decision,
        ...(outcome.problem === undefined ? {} : { verdict: { kind: 'held', ...outcome.problem } }),
        requeueAfterMs: outcome.afterMs,
      };
    case 'waiting':
      return { ...outcome.decision, actions: [] };
    case 'gone':
      return { actions: [], verdict: { kind: 'progressing', waitingFor: 'cache' }, requeueAfterMs: LOOK_AGAIN_MS };
    case 'failed':
      if (outcome.action.type === 'create' && mayHaveBeenMade(outcome.error))
        view.memory = { ...view.memory, attempted: true };
      throw new StepError(outcome.action, outcome.error);
  }
}

/** Delay of the look after an object was deleted during a write: its event should be here by then. */
const LOOK_AGAIN_MS = 2_000;

interface ViewTypes {
  readonly action: Action;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly result: ActResult;
  /** The view holds it. */
  readonly learned: undefined;
}

/**
 * Role of one pair, as its view shows it. The copy of a related object is not cached, and of a published one more is
 * known than the caches hold.
 */
class ViewRole implements LoopRole<ViewTypes> {
  readonly nothingLearned = undefined;
  readonly steps: PairSteps<ViewTypes>;
  readonly words: LoopRole<ViewTypes>['words'];
  readonly #view: PairView;
  readonly #run: PairRun;

  constructor(view: PairView, run: PairRun) {
    const {
      settings: { origin },
      ports,
    } = run;
    this.#view = view;
    this.#run = run;
    this.steps = {
      textOf: stepText,
      effortOf,
      endpointOf: (action) => `${endOf(action)}/${action.type}`,
      clientOf: (action) => ports[endOf(action)].client,
      besides,
    };
    this.words = {
      undone: (_key, _observed, action, atOnce) =>
        Promise.resolve(undoneProblem(action, sideOf(action, origin), atOnce)),
      stalled: (action) => stalledProblem(action, sideOf(action, origin)),
    };
  }

  observe(): Observed {
    return observedOf(this.#view, this.#run.now());
  }

  decide(observed: Observed): Decision {
    return decide(observed, this.#run.settings);
  }

  act(action: Action, _: string, signal: AbortSignal): Promise<ActResult> {
    return act(action, this.#run.ports, signal);
  }

  learn(_: string, { action, result, decision }: TakenStep<ViewTypes>): undefined {
    const { ports, now, acted } = this.#run;
    take(this.#view, action, result, now());
    acted(action, result);
    // The pushed content is remembered, whatever the other side has changed in it.
    const next = decision.actions[decision.actions.indexOf(action) + 1];
    if (next?.type === 'storeSnapshot' && (action.type === 'patch' || result.remembered === true))
      take(this.#view, next, storeSnapshot(next, ports), now());
  }

  async readAgain(_: string, action: Action, __: undefined, signal: AbortSignal): Promise<undefined> {
    await readAgain(this.#view, action, this.#run.ports, signal);
  }

  isGone(error: unknown, action: Action): boolean {
    return isVanished(error, action, this.#run.ports);
  }
}

/** Whether a request without an answer may have been carried out. */
function mayHaveBeenMade(error: unknown): boolean {
  return (
    !isApiError(error) ||
    isApiError(error, 'InternalError', 'ServerTimeout', 'Timeout', 'Unreachable', 'Unavailable', 'Malformed')
  );
}

/**
 * A step that does not need the parked first one: without a finalizer, an existing copy still gets changes, but none is
 * created.
 */
function besides(parked: Action, { actions }: Decision): Action | undefined {
  return parked.type === 'addFinalizer' && actions.every(({ type }) => type !== 'create' && type !== 'adopt')
    ? actions[actions.indexOf(parked) + 1]
    : undefined;
}

export function observedOf(
  {
    source,
    destination,
    standing,
    last,
    remembered,
    made,
    memory,
    placement,
    isNeededByOthers,
    others,
    selected,
  }: PairView,
  now: number,
): Observed {
  return {
    source,
    destination,
    standing,
    last,
    remembered,
    made,
    memory,
    placement,
    isNeededByOthers,
    others,
    selected,
    now,
  };
}

function take(view: PairView, action: Action, result: ActResult, now: number): void {
  if (result.source !== undefined) view.source = result.source ?? undefined;
  if (result.destination !== undefined) view.destination = result.destination ?? undefined;
  view.last = result.last ?? view.last;
  view.remembered = result.remembered ?? view.remembered;
  view.made = result.made ?? view.made;
  if (
    view.destination !== undefined &&
    (action.type === 'create' ||
      action.type === 'adopt' ||
      action.type === 'confirmGone' ||
      action.type === 'confirmAgreement')
  )
    view.standing = standingOf(view.destination);
  view.memory = { ...view.memory, ...result.memory };
  if (action.type === 'patch' && action.correction)
    view.memory = { ...view.memory, corrections: latest(view.memory.corrections, now) };
  if (action.type === 'writeStatusBack') {
    const of = versionOf(action.destination);
    const before = view.memory.statusWritten;
    view.memory = { ...view.memory, statusWritten: { of, again: before?.of === of ? latest(before.again, now) : [] } };
  }
}

/** Keeps only as many as are needed. */
function latest(times: readonly number[] | undefined, now: number): readonly number[] {
  return [...(times ?? []).slice(-4), now];
}

/** Whether the object was deleted during a write to it: its event will follow. */
function isVanished(error: unknown, action: Action, { source, destination }: PairPorts): boolean {
  switch (action.type) {
    case 'addFinalizer':
    case 'writeStatusBack':
      return isObjectNotFound(error, source.resource, keyOf(action.source));
    case 'adopt':
    case 'patch':
    case 'writeStatusForward':
      return isObjectNotFound(error, destination.resource, keyOf(action.destination));
    case 'create':
    case 'take':
    case 'confirmHolder':
    case 'confirmWritten':
    case 'confirmAgreement':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'confirmDeletion':
    case 'delete':
    case 'forget':
    case 'releaseFinalizer':
      return false;
  }
}

/** After a conflict the decision is outdated: reads the refusing side. */
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
    if (!isObjectNotFound(error, resource, keyOf(known))) throw error;
    if (isOccupant) view.memory = { ...view.memory, occupant: undefined };
    else view[end] = undefined;
  }
}
