import { type Pause, pausedProblem, pauseOf } from '@hawser/konnector-sync';

import type { Action, Decision } from './decision.js';
import type { Observed } from './observed.js';
import { claimantsOf, type Policies } from './policies.js';

/**
 * The pause on a pair: by the consumer's object, or by a binding whose claims select it. An unclaimed copy may be of
 * any binding, so every pause counts. The provider's object cannot pause.
 */
export function pauseOfPair(pair: Pick<Observed, 'cached' | 'claimedBy'>, policies: Policies): Pause | undefined {
  const own = pauseOf(pair.cached.consumer?.metadata ?? {}, 'object');
  if (own !== undefined) return own;
  return claimantsOrAll(pair, policies)
    .map((binding) => policies.get(binding)?.pause)
    .find((pause) => pause !== undefined);
}

/** The bindings whose claims select the pair; all, if none does. */
function claimantsOrAll(pair: Pick<Observed, 'claimedBy'>, policies: Policies): readonly string[] {
  const bindings = claimantsOf(pair);
  return bindings.length === 0 ? [...policies.keys()] : bindings;
}

/**
 * Leaves a pair alone if core.kbind.io serves the API of a binding that claims it. Without its marks both objects look
 * like originals, so the decision's own advice would mislead. Pure.
 */
export function leaveToCoreKbind(decision: Decision, pair: Pick<Observed, 'claimedBy'>, policies: Policies): Decision {
  const { verdict, actions } = decision;
  if (
    actions.length === 0 &&
    (verdict.kind === 'absent' || verdict.kind === 'notSelected' || verdict.kind === 'inStep')
  )
    return decision;
  const moved = claimantsOrAll(pair, policies)
    .map((binding) => ({ binding, connection: policies.get(binding)?.servedThrough }))
    .find(({ connection }) => connection !== undefined);
  if (moved === undefined) return decision;
  const message = `Nothing is written for the claims of APIServiceBinding ${moved.binding}: core.kbind.io serves its API, through Connection ${moved.connection}. Delete that APIServiceBinding, or give its API back with "hawser migrate ${moved.binding} --to v1".`;
  return {
    actions: [],
    withheld: actions,
    verdict: { kind: 'held', reason: 'ServedByCoreKbind', message, actor: 'operator' },
  };
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
