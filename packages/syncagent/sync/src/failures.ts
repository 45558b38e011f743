import { createHash } from 'node:crypto';

import type { Clock } from '@hawser/clock';
import { canonical } from '@hawser/json';

import type { Action } from './decision.js';

/** Steps that an API server keeps refusing, by the object's key. */
export interface Failures {
  /** `lasting`: waiting alone does not help. Such a step is parked after some tries: whatever happens to the object, the same step is tried ever less often. Returns how often it has failed in a row. */
  failed(key: string, action: Action, lasting: (attempts: number) => boolean): number;
  /** In how many milliseconds the step may be tried; 0: now. */
  waits(key: string, action: Action): number;
  /** The step was done. Without one: nothing is to be done any more. */
  succeeded(key: string, action?: Action): void;
  /** Something has changed that may let all of them succeed. */
  retryAll(): void;
}

const TRIES_BEFORE_PARKING = 3;
const FIRST_MS = 1_000;
const CAP_MS = 300_000;

export function createFailures(clock: Clock): Failures {
  const failures = new Map<string, { readonly step: string; readonly attempts: number; readonly nextAttempt: number | undefined }>();
  return {
    failed(key, action, lasting) {
      const step = stepOf(action);
      const known = failures.get(key);
      const attempts = known?.step === step ? known.attempts + 1 : 1;
      const parked = attempts >= TRIES_BEFORE_PARKING && lasting(attempts);
      failures.set(key, { step, attempts, nextAttempt: parked ? clock.now() + Math.min(CAP_MS, FIRST_MS * 2 ** (attempts - TRIES_BEFORE_PARKING)) : undefined });
      return attempts;
    },
    waits(key, action) {
      if (globalThis.hawserPlanted?.has('RE-41') === true) return 0;
      const known = failures.get(key);
      return known?.nextAttempt === undefined || known.step !== stepOf(action) ? 0 : Math.max(0, known.nextAttempt - clock.now());
    },
    succeeded(key, action) {
      const known = failures.get(key);
      if (known !== undefined && (action === undefined || known.step === stepOf(action))) failures.delete(key);
    },
    retryAll() {
      for (const [key, failure] of failures) if (failure.nextAttempt !== undefined) failures.set(key, { ...failure, nextAttempt: clock.now() });
    },
  };
}

/** The same text for the same step with the same content. */
function stepOf(action: Action): string {
  switch (action.type) {
    case 'create':
      return `create/${digest(action.object)}`;
    case 'patch':
      return `patch/${digest(action.patch)}`;
    case 'writeStatusBack':
    case 'writeStatusForward':
      return `${action.type}/${digest(action.status ?? null)}`;
    case 'addFinalizer':
    case 'releaseFinalizer':
    case 'adopt':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'delete':
    case 'forget':
      return action.type;
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64');
}
