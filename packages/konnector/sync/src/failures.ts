import { createHash } from 'node:crypto';

import type { Clock } from '@hawser/clock';
import { canonical } from '@hawser/json';

import type { Action } from './decision.js';

/** A step that an API server keeps refusing. */
export interface Failure {
  /** How often in a row. */
  readonly attempts: number;
  /** When it is tried again at the latest, in milliseconds since the epoch; undefined: as soon as something happens to the object, or its back-off is over. */
  readonly nextAttempt: number | undefined;
}

/** Steps that failed, by the object's key. */
export interface Failures {
  /** `lasting`: waiting alone does not help. Such a step is parked after some tries: whatever happens to the object, the same step is tried ever less often. */
  failed(key: string, action: Action, lasting: (attempts: number) => boolean): Failure;
  /** In how many milliseconds the step may be tried; 0: now. */
  waits(key: string, action: Action): number;
  /** The step was done. Without one: nothing is to be done any more. */
  succeeded(key: string, action?: Action): void;
  get(key: string): Failure | undefined;
  /** Something has changed that may let all of them succeed. */
  retryAll(): void;
}

const TRIES_BEFORE_PARKING = 3;
const FIRST_MS = 1_000;
const CAP_MS = 300_000;

export function createFailures(clock: Clock): Failures {
  const failures = new Map<string, Failure & { readonly step: string }>();
  return {
    failed(key, action, lasting) {
      const step = stepOf(action);
      const known = failures.get(key);
      const attempts = known?.step === step ? known.attempts + 1 : 1;
      const parked = attempts >= TRIES_BEFORE_PARKING && lasting(attempts);
      const nextAttempt = parked ? clock.now() + Math.min(CAP_MS, FIRST_MS * 2 ** (attempts - TRIES_BEFORE_PARKING)) : undefined;
      const failure = { step, attempts, nextAttempt };
      failures.set(key, failure);
      return failure;
    },
    waits(key, action) {
      const known = failures.get(key);
      return known?.nextAttempt === undefined || known.step !== stepOf(action) ? 0 : Math.max(0, known.nextAttempt - clock.now());
    },
    succeeded(key, action) {
      const known = failures.get(key);
      if (known !== undefined && (action === undefined || known.step === stepOf(action))) failures.delete(key);
    },
    get: (key) => failures.get(key),
    retryAll() {
      for (const [key, failure] of failures) if (failure.nextAttempt !== undefined) failures.set(key, { ...failure, nextAttempt: clock.now() });
    },
  };
}

/** The same text for the same step with the same content. */
function stepOf(action: Action): string {
  if (action.type === 'createCopy' || action.type === 'patchCopy') return `${action.type}/${action.wantedHash}`;
  if (action.type !== 'writeStatus') return action.type;
  return `${action.type}/${createHash('sha256').update(canonical(action.copy['status'] ?? null)).digest('hex')}`;
}
