import type { Resource } from '@hawser/client';
import type { DeletionBudget } from '@hawser/controller';

import type { Verdict } from './decision.js';
import type { Observed } from './observed.js';
import type { PairMemories } from './pair-memories.js';

/** Requests the budget of a binding for the orphaned copies of one sync. */
export interface Orphans {
  answer(key: string): 'allowed' | 'held' | undefined;
  /** The present state of the pair. */
  settled(key: string, observed: Observed, verdict: Verdict): void;
  /** The orphan has been deleted. */
  deleted(key: string): void;
  /** The sync ends. */
  leave(): void;
}

export function createOrphans(resource: Resource, memories: PairMemories, budget: DeletionBudget): Orphans {
  /** The budget covers all resources of the binding. */
  const idOf = (key: string): string => `${resource.resource}.${resource.group} ${key}`;
  return {
    answer: (key) => budget.answer(idOf(key)),
    settled(key, { consumer, copy, now }, verdict) {
      const since = memories.get(key)?.orphanedSince;
      if (verdict.kind === 'orphan' && since === undefined) memories.remember(key, { orphanedSince: now });
      // A paused one remains an orphan.
      if (verdict.kind !== 'orphan' && !(consumer === undefined && verdict.kind === 'held') && since !== undefined)
        memories.remember(key, { orphanedSince: undefined });
      if (verdict.kind === 'orphan' && verdict.mayGo === true) budget.waits(idOf(key), copy?.metadata.uid ?? '');
      else budget.withdraw(idOf(key));
    },
    deleted(key) {
      budget.spend(idOf(key));
    },
    leave() {
      budget.leave(memories.orphans().map(idOf));
    },
  };
}
