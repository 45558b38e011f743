import { isApiError } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Problem, createFailures } from '@hawser/controller';
import { PairLoop, type PairRole, type PairTypes, type RunOutcome } from '@hawser/pair';

import type { PlannedWrite } from './preview-client.js';

/** How a pair stands before the first write, and what keeps the next one from being done. */
export interface Rehearsed<T extends PairTypes> {
  readonly verdict: T['decision']['verdict'];
  readonly obstacle?: Problem | undefined;
  /** Passing trouble, such as a server that cannot be reached. */
  readonly failure?: Error | undefined;
}

export interface RehearseOptions<T extends PairTypes> {
  readonly key: string;
  /** The konnector's own, on clients that only take notes. */
  readonly role: PairRole<T>;
  /** What the clients have noted so far. */
  readonly writes: readonly PlannedWrite[];
  /** Whatever is done from now on is held back by a pause or a policy. */
  readonly withholding: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Has the loop of the konnector keep one pair in step. What its process remembers of the pair it begins without; of that, Events tell. */
export async function rehearse<T extends PairTypes>({
  key,
  role,
  writes,
  withholding,
  clock,
  signal,
}: RehearseOptions<T>): Promise<Rehearsed<T>> {
  let first: T['decision'] | undefined;
  const loop = new PairLoop(role, {
    failures: createFailures<T['action']>(clock, role.steps.textOf, { effortOf: role.steps.effortOf }),
    taken: (_, { decision }) => {
      if (writes.length > 0) first ??= decision;
    },
  });
  // Writes that nothing waits for are planned, too.
  const outcome = await run();
  if ('obstacle' in outcome) return outcome;
  switch (outcome.kind) {
    case 'settled':
      withholding();
      // Each by itself: what one of them would change is not carried on to the next.
      for (const one of outcome.decision.withheld ?? [])
        await role.act(one, key, signal).catch((error: unknown) => {
          if (!isApiError(error)) throw error;
        });
      return { verdict: (first ?? outcome.decision).verdict };
    case 'waiting':
    case 'parked':
      return { verdict: (first ?? outcome.decision).verdict };
    case 'gone':
    case 'failed': {
      if (!(outcome.error instanceof Error)) throw outcome.error;
      const verdict = first?.verdict ?? role.decide(outcome.observed).verdict;
      return { verdict, obstacle: role.words.refused(outcome.action, outcome.error).atOnce, failure: outcome.error };
    }
  }
  /** What cannot be handled, whatever throws, is held: the other pairs are told of as well. */
  async function run(): Promise<RunOutcome<T> | (Rehearsed<T> & { readonly obstacle: Problem | undefined })> {
    try {
      return await loop.run(key, true, signal);
    } catch (error) {
      const problem = role.words.unhandled(error, Infinity);
      if (problem === undefined) throw error;
      return {
        verdict: first?.verdict ?? { kind: 'held', ...problem },
        obstacle: first === undefined ? undefined : problem,
      };
    }
  }
}
