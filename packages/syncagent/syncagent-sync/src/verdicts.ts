import type { Actor } from '@hawser/controller';

import type { Decision, Verdict } from './decision.js';

export function held(reason: string, message: string, actor: Actor): Decision {
  return { actions: [], verdict: { kind: 'held', reason, message, actor } };
}

export function waiting(waitingFor: Extract<Verdict, { kind: 'progressing' }>['waitingFor']): Decision {
  return { actions: [], verdict: { kind: 'progressing', waitingFor } };
}

export const writing: Verdict = { kind: 'progressing', waitingFor: 'write' };
