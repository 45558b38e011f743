import { createHash } from 'node:crypto';
import type { Clock } from '@hawser/clock';

/** The deletions that wait for approval. */
export interface HeldDeletions {
  /** Number of waiting deletions. */
  readonly count: number;
  /** Identifies exactly these deletions: repeating it approves them, and no others. */
  readonly token: string;
  readonly examples: readonly string[];
}

/**
 * Limits deletions, for all resources of a binding or an export together. More than the limit within a minute are taken
 * for an error, not for a wish. Then nothing is deleted until the operator approves it.
 */
export interface DeletionBudget {
  readonly perMinute: number;
  /** Requests a deletion; `id` names the object for people. */
  waits(id: string, uid: string): void;
  /** Withdraws the request. */
  withdraw(id: string): void;
  /** The answer to a request. Undefined: none was made. */
  answer(id: string): 'allowed' | 'held' | undefined;
  /** Drops these requests for now, without a statement about the objects. */
  leave(ids: readonly string[]): void;
  /** Records that the object has been deleted. */
  spend(id: string): void;
  /** Approves by the `token` of {@link HeldDeletions}. Another token has no effect. */
  approve(token: string): void;
  /** Records that all objects were looked at: without a request, nothing is held. */
  surveyed(): void;
  /** Undefined: nothing is held. */
  readonly held: HeldDeletions | undefined;
  /** Called when {@link held} may have changed; `released`: held deletions may go now. */
  onChange(listener: (released: boolean) => void): { close(): void };
}

export interface DeletionBudgetOptions {
  readonly clock: Clock;
  /** Default 10. */
  readonly perMinute?: number | undefined;
  /** Whether deletions were held before, such as before a restart. */
  readonly held?: boolean | undefined;
}

export const DEFAULT_DELETIONS_PER_MINUTE = 10;
const WINDOW_MS = 60_000;
const EXAMPLES = 3;

export function createDeletionBudget({
  clock,
  perMinute = DEFAULT_DELETIONS_PER_MINUTE,
  held: before = false,
}: DeletionBudgetOptions): DeletionBudget {
  const waiting = new Map<string, string>();
  /** A part of the waiting requests. */
  const approved = new Set<string>();
  const listeners = new Set<(released: boolean) => void>();
  let spent: readonly number[] = [];
  let held = before;
  const notify = (released: boolean): void => {
    for (const listener of [...listeners]) listener(released);
  };
  const remove = (id: string): boolean => {
    const uid = waiting.get(id);
    waiting.delete(id);
    return uid !== undefined && approved.delete(uid);
  };
  const look = (): void => {
    spent = spent.filter((at) => at > clock.monotonic() - WINDOW_MS);
    const count = waiting.size - approved.size;
    const was = held;
    if (held ? count === 0 : count + spent.length > perMinute) held = !held;
    notify(was && !held);
  };
  return {
    perMinute,
    waits(id, uid) {
      if (waiting.get(id) === uid) return;
      remove(id);
      waiting.set(id, uid);
      look();
    },
    withdraw(id) {
      if (!waiting.has(id)) return;
      remove(id);
      look();
    },
    leave(ids) {
      for (const id of ids) remove(id);
    },
    answer(id) {
      const uid = waiting.get(id);
      return uid === undefined ? undefined : held && !approved.has(uid) ? 'held' : 'allowed';
    },
    spend(id) {
      if (!waiting.has(id)) return;
      if (!remove(id)) spent = [...spent, clock.monotonic()];
      look();
    },
    approve(token) {
      if (!held || waiting.size === approved.size || token !== tokenOf(waiting, approved)) return;
      for (const uid of waiting.values()) approved.add(uid);
      look();
    },
    surveyed() {
      if (held && waiting.size === 0) look();
    },
    get held() {
      if (!held || waiting.size === approved.size) return undefined;
      const ids = [...waiting].flatMap(([id, uid]) => (approved.has(uid) ? [] : [id]));
      return { count: ids.length, token: tokenOf(waiting, approved), examples: ids.sort().slice(0, EXAMPLES) };
    },
    onChange(listener) {
      listeners.add(listener);
      return {
        close: () => {
          listeners.delete(listener);
        },
      };
    },
  };
}

function tokenOf(waiting: ReadonlyMap<string, string>, approved: ReadonlySet<string>): string {
  const uids = [...waiting.values()].filter((uid) => !approved.has(uid)).sort();
  return `${uids.length}-${createHash('sha256').update(uids.join(' ')).digest('hex').slice(0, 8)}`;
}
