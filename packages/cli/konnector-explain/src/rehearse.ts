import { isApiError } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Problem, createFailures } from '@hawser/controller';
import { PairLoop, type PairRole, type PairTypes, type RunOutcome } from '@hawser/pair';

import type { PlannedWrite } from './preview-client.js';

/** How a pair stands before the first write, and why the next one fails. */
export interface Rehearsed<T extends PairTypes> {
  readonly verdict: T['decision']['verdict'];
  readonly obstacle?: Problem | undefined;
  /** Passing trouble, such as an unreachable server. */
  readonly failure?: Error | undefined;
}

export interface RehearseOptions<T extends PairTypes> {
  readonly key: string;
  /** The konnector's own role, on clients that only take notes. */
  readonly role: PairRole<T>;
  /** Writes noted so far. */
  readonly writes: readonly PlannedWrite[];
  /** From this call on, a pause or a policy holds each write. */
  readonly withholding: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs the konnector's loop for one pair. It starts without the process's memory of the pair; Events report that. */
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
  // Plans also writes that nothing waits for.
  const outcome = await run();
  if ('obstacle' in outcome) return outcome;
  switch (outcome.kind) {
    case 'settled':
      withholding();
      // Each by itself: changes of one do not carry on to the next.
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
  /** Holds a pair that throws any error, to report on the other pairs as well. */
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
