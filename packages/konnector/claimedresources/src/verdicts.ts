import type { Action, Decision } from './decision.js';
import type { Actor, Verdict } from './verdict.js';
import type { Side } from './marks.js';
import type { Observed } from './observed.js';
import type { ClaimReason } from './reasons.js';

export const notClaimed: Decision = { actions: [], verdict: { kind: 'notSelected' } };

/** A decision without actions. */
export function standing(verdict: Verdict): Decision {
  return { actions: [], verdict };
}

export function held(reason: ClaimReason, message: string, actor: Actor): Decision {
  return standing({ kind: 'held', reason, message, actor });
}

export function progressing(
  waitingFor: Extract<Verdict, { kind: 'progressing' }>['waitingFor'],
  overdue?: Extract<Verdict, { kind: 'progressing' }>['overdue'],
): Decision {
  return standing({ kind: 'progressing', waitingFor, overdue });
}

export function write(action: Action): Decision {
  return { actions: [action], verdict: { kind: 'progressing', waitingFor: 'write' } };
}

/** Names the pair's object on that side in words. */
export function on(side: Side, { consumerNamespace, name, placement }: Observed): string {
  const namespace = side === 'consumer' ? consumerNamespace : placement.kind === 'assigned' ? placement.namespace : '?';
  return `${namespace}/${name} on the ${side}`;
}
