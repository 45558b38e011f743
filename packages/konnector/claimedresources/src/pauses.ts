import { hawserAnnotations } from '@hawser/kube-bind';
import { type Pause, pauseOf } from '@hawser/konnector-sync';

import type { Action, Decision } from './decision.js';
import type { Observed } from './observed.js';
import type { Policies } from './policies.js';

/**
 * Who wants nothing to be written for this pair: the object of the consumer, or a binding whose claims ask for it. A copy that nobody claims any more
 * may be of any binding, so that each pause counts. What the provider's object says does not count.
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

/** What remains of a decision under a pause: reading goes on, so that only what is held back is told. Pure. */
export function obeyPause(decision: Decision, pause: Pause | undefined): Decision {
  if (pause === undefined || !decision.actions.some(isWrite)) return decision;
  const where = {
    object: 'this object',
    binding: 'the APIServiceBinding',
    connection: "the Secret with the provider's kubeconfig",
  }[pause.of];
  const message = `Nothing is written, because the annotation ${hawserAnnotations.paused} on ${where} says: "${pause.reason}". It goes on when the annotation is removed.`;
  return {
    actions: [],
    withheld: decision.actions,
    verdict: { kind: 'held', reason: 'Paused', message, actor: pause.of === 'object' ? 'consumer' : 'operator' },
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
