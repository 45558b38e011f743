import { type Resource, resourceName } from '@hawser/client';
import type { DeletionBudget, HeldDeletions } from '@hawser/controller';
import { hawserAnnotations } from '@hawser/kube-bind';

import type { Decision } from './decision.js';
import { type Side, otherSide } from './marks.js';
import type { ClaimedObjectProblem } from './verdict.js';

/** Copies of one resource with missing originals, submitted to the connection's budget. */
export interface MissingOriginals {
  answer(key: string): 'allowed' | 'held' | undefined;
  /** Updates the pair. `copy`: the one that would go. */
  settled(key: string, decision: Decision, copy: string | undefined): void;
  /** Notes that the copy has been deleted. */
  deleted(key: string): void;
  has(key: string): boolean;
  readonly keys: readonly string[];
  /** Withdraws all. */
  leave(): void;
}

export function createMissingOriginals(resource: Resource, budget: DeletionBudget): MissingOriginals {
  const waiting = new Map<string, Side>();
  const idOf = (key: string): string => `${resourceName(resource)} ${key} on the ${waiting.get(key) ?? 'consumer'}`;
  const withdraw = (key: string): void => {
    if (!waiting.has(key)) return;
    budget.withdraw(idOf(key));
    waiting.delete(key);
  };
  return {
    answer: (key) => (waiting.has(key) ? budget.answer(idOf(key)) : undefined),
    settled(key, { verdict, withheld }, copy) {
      // A paused pair waits as before.
      if (verdict.kind === 'held' && withheld?.[0]?.type === 'deleteCopy') return;
      if (verdict.kind !== 'orphan' || copy === undefined) {
        if (verdict.kind !== 'progressing') withdraw(key);
        return;
      }
      const side = otherSide(verdict.owner);
      if (waiting.get(key) !== side) withdraw(key);
      waiting.set(key, side);
      budget.waits(idOf(key), copy);
    },
    deleted(key) {
      if (!waiting.has(key)) return;
      budget.spend(idOf(key));
      waiting.delete(key);
    },
    has: (key) => waiting.has(key),
    get keys() {
      return [...waiting.keys()];
    },
    leave() {
      budget.leave([...waiting.keys()].map(idOf));
      waiting.clear();
    },
  };
}

/** Used where nothing is ever deleted. */
export const noMissing: MissingOriginals = {
  answer: () => undefined,
  settled: () => undefined,
  deleted: () => undefined,
  has: () => true,
  keys: [],
  leave: () => undefined,
};

/** Problem reported on every binding of the connection while deletions are held. */
export function heldDeletionsProblem(
  { count, token, examples }: HeldDeletions,
  perMinute: number,
): ClaimedObjectProblem {
  const more = count > examples.length ? `, and ${count - examples.length} more` : '';
  const message = `${count} claimed ${count === 1 ? 'copy' : 'copies'} would be deleted, because the originals are missing and no deletion of them was seen: ${examples.join(', ')}${more}. Up to ${perMinute} go in a minute; of more, none goes. If the originals were lost, restore them. If they are meant to be gone, annotate this binding with "${hawserAnnotations.approveDeletions}: ${token}".`;
  return { reason: 'ClaimedDeletionsHeld', message, actor: 'operator' };
}
