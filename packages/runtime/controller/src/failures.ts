import { type BackoffOptions, type Clock, type Random, backoffDelay } from '@hawser/clock';

import { createEfforts } from './efforts.js';
import type { Problem } from './problem.js';

/** A step that an API server keeps refusing, or that keeps being undone. */
export interface Failure {
  /** How often in a row. */
  readonly attempts: number;
  /** When it is tried again at the latest, in milliseconds since the epoch; undefined: as soon as something happens to the object, or its back-off is over. */
  readonly nextAttempt: number | undefined;
}

/** What a refusal means to a person. */
export interface Meaning<P extends Problem = Problem> {
  /** Waiting alone does not help. */
  readonly atOnce: P | undefined;
  /** It should pass, and is a problem if it has happened eight times in a row. Undefined where a server as a whole is out of order. */
  readonly later: P | undefined;
}

/** What is told of an object, whatever its last look says. */
export interface Standing {
  readonly problem: Problem;
  /** Look again after this many milliseconds: the problem may be over by then. */
  readonly forMs: number;
}

/** A step that gets nowhere. */
export interface Undone {
  /** How often it was taken in a row. */
  readonly attempts: number;
  /** What was told when it was taken last; undefined: nothing yet. */
  readonly problem: Problem | undefined;
}

export interface FailuresOptions<Step> {
  /**
   * The same text for a step that has to be taken a second time only if the first had no effect, or was undone: with everything that may change in between for a good reason. Undefined: a
   * step that may be repeated, such as a read. Default: all may.
   */
  readonly effortOf?: ((step: Step) => string | undefined) | undefined;
  /** Spreads what is parked. Default: it is not spread. */
  readonly random?: Random | undefined;
}

/**
 * Steps that failed, by the object's key. A step that waiting alone does not help is parked after some tries: whatever happens to the object, the same
 * step is tried ever less often, after five minutes at most. Another step for the object is tried at once. A step that is taken, and is wanted again each time, is parked in the same way.
 * A failure is forgotten when the same step succeeds, when its object is gone, or ten minutes after its last wait; not because the object looks well in between.
 */
export interface Failures<Step> {
  /** Returns what is to be told by now, too. */
  failed<P extends Problem>(
    key: string,
    step: Step,
    meaning: Meaning<P>,
  ): Failure & { readonly problem: P | undefined };
  /** In how many milliseconds the step may be tried; 0: now. */
  waits(key: string, step: Step): number;
  /** The server took the step. */
  succeeded(key: string, step: Step): void;
  /** Of a step that is wanted: whether it was taken so often already that this gets nowhere. If so, `tellUndone` is due, unless there is a `problem` already. Ask {@link waits} after it. */
  undone(key: string, step: Step): Undone | undefined;
  /**
   * What to tell about it. `undoneLater`: what was written was there for a while, so that an object that looks well proves nothing; the problem stands until the step was not taken for some
   * time. Otherwise the answers to the writes lacked it already.
   */
  tellUndone(key: string, step: Step, problem: Problem, undoneLater: boolean): void;
  /** The object has gone from step to step without an end, and this was the last one. */
  stalled(key: string, step: Step, problem: Problem): Failure;
  /** What to tell of an object that looks well: a step that is still `wanted` is refused, or a write was undone just now. */
  standing(key: string, wanted: readonly Step[]): Standing | undefined;
  /** Of the object's steps, the one that failed last. */
  get(key: string): Failure | undefined;
  /** The object is no more. */
  gone(key: string): void;
  /** What these keys stand for is no more. */
  forget(isGone: (key: string) => boolean): void;
  /** Something has changed that may let all of them succeed. */
  retryAll(): void;
  /** Something has changed that may let the refused steps of this object succeed: they may be tried at once. Their count stays. */
  retry(key: string): void;
  /** As {@link retryAll}, for the steps of these keys, those too that are undone or have no end: a person asks for it. */
  retryNow(isAsked: (key: string) => boolean): void;
}

const TRIES_BEFORE_PARKING = 3;
const TRIES_BEFORE_TELLING = 8;
const PARKED: BackoffOptions = { initialMs: 1_000, capMs: 300_000, jitter: 0.2 };
const MEMORY_MS = 600_000;
const STALLED = 'stalled/';
/** Of one object; a step that fails is forgotten for the newest. */
const STEPS = 8;
/** So many objects are remembered before those whose time is over are forgotten. */
const SWEEP_AT = 1_024;

interface Known extends Failure {
  /** What was done is undone after a while: the problem stands for as long as the effort is remembered. */
  readonly effort: string | undefined;
  readonly problem: Problem | undefined;
  /** On the monotonic clock: the other may be set. */
  readonly notBeforeMs: number | undefined;
  readonly atMs: number;
}

/** `textOf`: the same text for the same step with the same content. */
export function createFailures<Step>(
  clock: Clock,
  textOf: (step: Step) => string,
  { effortOf = () => undefined, random = () => 0 }: FailuresOptions<Step> = {},
): Failures<Step> {
  /** By key and step, the latest last. */
  const failures = new Map<string, Map<string, Known>>();
  const efforts = createEfforts(clock, random);
  let sweepAt = SWEEP_AT;

  const idOf = (key: string, effort: string): string => `${key}\u0000${effort}`;
  const keyOfId = (id: string): string => id.slice(0, id.indexOf('\u0000'));
  const isOver = (known: Known): boolean => (known.notBeforeMs ?? known.atMs) + MEMORY_MS < clock.monotonic();
  const stepsOf = (key: string): Map<string, Known> | undefined => {
    const steps = failures.get(key);
    if (steps === undefined) return undefined;
    for (const [text, known] of steps) if (isOver(known)) steps.delete(text);
    if (steps.size === 0) failures.delete(key);
    return steps;
  };
  const remember = (key: string, text: string, known: Known): void => {
    const steps = failures.get(key) ?? new Map<string, Known>();
    steps.delete(text);
    steps.set(text, known);
    for (const oldest of steps.keys()) if (steps.size > STEPS) steps.delete(oldest);
    failures.set(key, steps);
    if (failures.size < sweepAt) return;
    for (const other of [...failures.keys()]) stepsOf(other);
    sweepAt = Math.max(SWEEP_AT, 2 * failures.size);
  };
  const remove = (key: string, text: string): void => {
    const steps = failures.get(key);
    if (steps?.delete(text) === true && steps.size === 0) failures.delete(key);
  };
  const park = (
    key: string,
    text: string,
    attempts: number,
    problem: Problem | undefined,
    parkedMs: number | undefined,
    effort?: string,
  ): Failure => {
    const nextAttempt = parkedMs === undefined ? undefined : clock.now() + parkedMs;
    const nowMs = clock.monotonic();
    remember(key, text, {
      attempts,
      nextAttempt,
      effort,
      problem,
      notBeforeMs: parkedMs === undefined ? undefined : nowMs + parkedMs,
      atMs: nowMs,
    });
    return { attempts, nextAttempt };
  };
  const retry = (steps: Map<string, Known>, concerned: (text: string) => boolean): void => {
    for (const [text, known] of steps)
      if (known.nextAttempt !== undefined && concerned(text))
        steps.set(text, { ...known, nextAttempt: clock.now(), notBeforeMs: clock.monotonic() });
  };
  const parkedMs = (attempts: number): number => Math.ceil(backoffDelay(PARKED, attempts, random));

  return {
    failed(key, step, { atOnce, later }) {
      const text = textOf(step);
      const attempts = (stepsOf(key)?.get(text)?.attempts ?? 0) + 1;
      const problem = atOnce ?? (attempts < TRIES_BEFORE_TELLING ? undefined : later);
      const parked =
        problem === undefined || attempts < TRIES_BEFORE_PARKING
          ? undefined
          : parkedMs(attempts - TRIES_BEFORE_PARKING + 1);
      return { ...park(key, text, attempts, problem, parked), problem };
    },
    waits(key, step) {
      const effort = effortOf(step);
      const repeated = effort === undefined ? 0 : efforts.waits(idOf(key, effort));
      const steps = stepsOf(key);
      if (steps === undefined) return repeated;
      const text = textOf(step);
      return Math.max(
        repeated,
        ...[text, `${STALLED}${text}`].map((known) => (steps.get(known)?.notBeforeMs ?? 0) - clock.monotonic()),
      );
    },
    succeeded(key, step) {
      const effort = effortOf(step);
      if (effort !== undefined) efforts.done(idOf(key, effort));
      if (failures.has(key)) remove(key, textOf(step));
    },
    undone(key, step) {
      const effort = effortOf(step);
      const attempts = effort === undefined ? 0 : efforts.times(idOf(key, effort));
      if (effort === undefined || attempts === 0) return undefined;
      const known = stepsOf(key)?.get(`undone/${effort}`);
      return { attempts, problem: known?.attempts === attempts ? known.problem : undefined };
    },
    tellUndone(key, step, problem, undoneLater) {
      const effort = effortOf(step);
      if (effort === undefined) return;
      const id = idOf(key, effort);
      park(key, `undone/${effort}`, efforts.times(id), problem, efforts.waits(id), undoneLater ? effort : undefined);
    },
    stalled(key, step, problem) {
      // Not forgotten with the success of the step: each of them succeeds.
      const before = [...(stepsOf(key) ?? [])].flatMap(([text, { attempts }]) =>
        text.startsWith(STALLED) ? [attempts] : [],
      );
      // Of the object, not of the step: the next time it may be another one that was the last.
      const attempts = Math.max(0, ...before) + 1;
      return park(key, `${STALLED}${textOf(step)}`, attempts, problem, parkedMs(attempts));
    },
    standing(key, wanted) {
      const steps = stepsOf(key);
      if (steps === undefined) return undefined;
      for (const step of wanted) {
        const known = steps.get(textOf(step));
        if (known?.problem !== undefined)
          return { problem: known.problem, forMs: Math.max(0, (known.notBeforeMs ?? 0) - clock.monotonic()) };
      }
      for (const { effort, problem } of steps.values()) {
        const forMs = effort === undefined ? 0 : efforts.forgottenIn(idOf(key, effort));
        if (problem !== undefined && forMs > 0) return { problem, forMs };
      }
      return undefined;
    },
    get: (key) => [...(stepsOf(key)?.values() ?? [])].at(-1),
    gone(key) {
      failures.delete(key);
    },
    forget(isGone) {
      for (const key of failures.keys()) if (isGone(key)) failures.delete(key);
    },
    retryAll() {
      for (const steps of failures.values()) retry(steps, () => true);
      efforts.retryAll();
    },
    retry(key) {
      const steps = failures.get(key);
      if (steps !== undefined) retry(steps, (text) => !text.startsWith(STALLED) && !text.startsWith('undone/'));
    },
    retryNow(isAsked) {
      for (const [key, steps] of failures) if (isAsked(key)) retry(steps, () => true);
      efforts.retryAll((id) => isAsked(keyOfId(id)));
    },
  };
}
