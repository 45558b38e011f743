import { type Pause, pausedProblem, pauseOf } from '@hawser/konnector-sync';

import type { Action, Decision } from './decision.js';
import type { Observed } from './observed.js';
import type { Policies } from './policies.js';

/**
 * The pause on a pair: by the consumer's object, or by a binding whose claims select it. An unclaimed copy may be of
 * any binding, so every pause counts. The provider's object cannot pause.
 */
export function pauseOfPair(
  { cached, claimedBy }: Pick<Observed, 'cached' | 'claimedBy'>,
  policies: Policies,
): Pause | undefined {
  const own = pauseOf(cached.consumer?.metadata ?? {}, 'object');
  if (own !== undefined) return own;
  const bindings = [...claimedBy.consumer, ...claimedBy.provider];
  return (bindings.length === 0 ? [...policies.keys()] : bindings)
    .map((binding) => policies.get(binding)?.pause)
    .find((pause) => pause !== undefined);
}

/** Limits a decision under a pause. Reading goes on, so only held writes are reported. Pure. */
export function obeyPause(decision: Decision, pause: Pause | undefined): Decision {
  if (pause === undefined || !decision.actions.some(isWrite)) return decision;
  return {
    actions: [],
    withheld: decision.actions,
    verdict: { kind: 'held', ...pausedProblem(pause, 'APIServiceBinding') },
  };
}

function isWrite({ type }: Action): boolean {
  switch (type) {
    case 'read':
    case 'proveGone':
      return false;
    case 'requestNamespace':
    case 'shareNamespace':
    case 'markOriginal':
    case 'recordRewritten':
    case 'createCopy':
    case 'patchCopy':
    case 'deleteCopy':
      return true;
  }
}
