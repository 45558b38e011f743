import { type BackoffOptions, type Clock, type Random, backoffDelay } from '@hawser/clock';

import { createEfforts } from './efforts.js';
import type { Problem } from './problem.js';

/** A step that the API server keeps refusing, or that keeps being undone. */
export interface Failure {
  /** Failures in a row. */
  readonly attempts: number;
  /**
   * Latest time of the next try, in milliseconds since the epoch. Undefined: at the next change of the object, or after
   * its back-off.
   */
  readonly nextAttempt: number | undefined;
}

/** Meaning of a refusal for a person. */
export interface Meaning<P extends Problem = Problem> {
  /** Problem that waiting does not solve. */
  readonly atOnce: P | undefined;
  /**
   * Problem to report after eight failures in a row; before that it may pass. Undefined if a whole server is out of
   * order.
   */
  readonly later: P | undefined;
}

/** A problem to report whatever the object's last look says. */
export interface Standing {
  readonly problem: Problem;
  /** Look again after this many milliseconds: the problem may be over by then. */
  readonly forMs: number;
}

/** A step without lasting effect. */
export interface Undone {
  /** Times it was taken in a row. */
  readonly attempts: number;
  /** The problem reported at the last repetition; undefined: none yet. */
  readonly problem: Problem | undefined;
}

export interface FailuresOptions<Step> {
  /**
   * Key of a step for counting repetitions. A step with the same text repeats only if the first had no effect, or was
   * undone. The text must contain everything that may change for a good reason. Undefined: the step may repeat, such as
   * a read. Default: all may.
   */
  readonly effortOf?: ((step: Step) => string | undefined) | undefined;
  /** Spreads the retries of parked steps. Default: no spread. */
  readonly random?: Random | undefined;
}

/**
 * Remembers failed steps by the object's key, and decides when to retry them. A step that waiting does not help is
 * parked after some tries. Changes of the object then retry the same step with growing delays, up to five minutes.
 * Another step for the object may run at once. A step that succeeds and is needed again each time is parked in the same
 * way. A failure is forgotten when the same step succeeds, when its object is gone, or ten minutes after its last wait.
 * It is not forgotten because the object looks well in between.
 */
export interface Failures<Step> {
  /** Records a failure; also returns what to report by now. */
  failed<P extends Problem>(
    key: string,
    step: Step,
    meaning: Meaning<P>,
  ): Failure & { readonly problem: P | undefined };
  /** Milliseconds until the step may be tried; 0: now. */
  waits(key: string, step: Step): number;
  /** Records that the server accepted the step. */
  succeeded(key: string, step: Step): void;
  /**
   * Whether a needed step was repeated so often that it has no effect. If so, call `reportUndone`, unless it has a
   * `problem`. Call {@link waits} after it.
   */
  undone(key: string, step: Step): Undone | undefined;
  /**
   * Sets the problem of such a step. `undoneLater`: the written content stayed for a while, so an object that looks
   * well proves nothing; the problem stands until the step was not needed for some time. Otherwise the answers to the
   * writes already lacked the content.
   */
  reportUndone(key: string, step: Step, problem: Problem, undoneLater: boolean): void;
  /** Records that the object's steps follow each other without end, and that this was the last. */
  stalled(key: string, step: Step, problem: Problem): Failure;
  /**
   * What to report about an object that looks well: a step that is still `wanted` is refused, or a write was undone
   * just now.
   */
  standing(key: string, wanted: readonly Step[]): Standing | undefined;
  /** The latest failure of the object. */
  get(key: string): Failure | undefined;
  /** The object is gone. */
  gone(key: string): void;
  /** Forgets all keys for which `isGone` is true. */
  forget(isGone: (key: string) => boolean): void;
  /** A change may let all steps succeed: retry them. */
  retryAll(): void;
  /** A change may let the refused steps of this object succeed: allows a try at once. Keeps their count. */
  retry(key: string): void;
  /** Like {@link retryAll} for these keys, also for steps that are undone or without end: a person requests it. */
  retryNow(isAsked: (key: string) => boolean): void;
}

const TRIES_BEFORE_PARKING = 3;
const TRIES_BEFORE_TELLING = 8;
const PARKED: BackoffOptions = { initialMs: 1_000, capMs: 300_000, jitter: 0.2 };
const MEMORY_MS = 600_000;
const STALLED = 'stalled/';
/** Steps per object; a further one replaces the oldest. */
const STEPS = 8;
/** Number of objects from which on expired ones are forgotten. */
const SWEEP_AT = 1_024;

interface Known extends Failure {
  /** The key of a write that is undone after a while: the problem stands as long as the effort is remembered. */
  readonly effort: string | undefined;
  readonly problem: Problem | undefined;
  /** On the monotonic clock: the wall clock may be set. */
  readonly notBeforeMs: number | undefined;
  readonly atMs: number;
}

/** `textOf`: equal for the same step with the same content. */
export function createFailures<Step>(
  clock: Clock,
  textOf: (step: Step) => string,
  { effortOf = () => undefined, random = () => 0 }: FailuresOptions<Step> = {},
): Failures<Step> {
  /** Key → step → failure, the latest last. */
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
    reportUndone(key, step, problem, undoneLater) {
      const effort = effortOf(step);
      if (effort === undefined) return;
      const id = idOf(key, effort);
      park(key, `undone/${effort}`, efforts.times(id), problem, efforts.waits(id), undoneLater ? effort : undefined);
    },
    stalled(key, step, problem) {
      // The success of the step does not reset this: each of them succeeds.
      const before = [...(stepsOf(key) ?? [])].flatMap(([text, { attempts }]) =>
        text.startsWith(STALLED) ? [attempts] : [],
      );
      // Counts per object, not per step: the last step may differ each time.
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
