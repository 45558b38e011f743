import type { Decision } from './decision.js';
import type { Actor, Verdict } from './verdict.js';
import type { Side } from './marks.js';
import type { Observed } from './observed.js';
import type { ClaimReason } from './reasons.js';

export const notClaimed: Decision = { verdict: { kind: 'notClaimed' } };

export function held(reason: ClaimReason, message: string, actor: Actor): Decision {
  return { verdict: { kind: 'held', reason, message, actor } };
}

export function progressing(waitingFor: Extract<Verdict, { kind: 'progressing' }>['waitingFor'], overdue?: Extract<Verdict, { kind: 'progressing' }>['overdue']): Decision {
  return { verdict: { kind: 'progressing', waitingFor, overdue } };
}

export function write(action: Decision['action']): Decision {
  return { action, verdict: { kind: 'progressing', waitingFor: 'write' } };
}

/** The object of the pair on that side, in words. */
export function on(side: Side, { consumerNamespace, name, placement }: Observed): string {
  const namespace = side === 'consumer' ? consumerNamespace : placement.kind === 'assigned' ? placement.namespace : '?';
  return `${namespace}/${name} on the ${side}`;
}
