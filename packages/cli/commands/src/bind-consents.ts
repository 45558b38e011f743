import { type BindPlan, type Consent, type Refusal, claimsUndecided } from '@hawser/bind';

import type { Terminal } from './task.js';

/** How to answer the claims of a provider, if a binding says yes or no to each. */
export type ConsentBy = 'ask' | 'accept' | 'reject';
export const consentBy = ['ask', 'accept', 'reject'] as const satisfies readonly ConsentBy[];

const answers: Readonly<Record<Exclude<ConsentBy, 'ask'>, Consent>> = { accept: 'Accepted', reject: 'Rejected' };

/** Answers given in advance to the claims of a plan. */
export function consentsWithoutAsking({ undecided = [] }: BindPlan, by: ConsentBy): ReadonlyMap<string, Consent> {
  return new Map(by === 'ask' ? [] : undecided.map((claim) => [claim, answers[by]]));
}

/** The answer to each of these claims of a provider; a refusal if no person can be asked. */
export async function consentsTo(
  name: string,
  claims: readonly string[],
  by: ConsentBy,
  { ask }: Terminal,
): Promise<ReadonlyMap<string, Consent> | Refusal> {
  const consents = new Map<string, Consent>();
  for (const claim of claims) {
    if (by !== 'ask') {
      consents.set(claim, answers[by]);
      continue;
    }
    const answer = await ask(
      `For ${name} the provider wants to read and write ${claim} on this cluster. Accept it? [y/N] `,
    );
    if (answer === undefined) return claimsUndecided(name, claims);
    consents.set(claim, /^y(?:es)?$/iu.test(answer.trim()) ? 'Accepted' : 'Rejected');
  }
  return consents;
}
