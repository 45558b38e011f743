import { createHash } from 'node:crypto';
import type { Clock } from '@hawser/clock';

/** How things stand with what waits to be deleted. */
export interface HeldDeletions {
  /** How many wait. */
  readonly count: number;
  /** Names exactly those that wait: who repeats it approves their deletion, and no other. */
  readonly token: string;
  readonly examples: readonly string[];
}

/**
 * How many objects may be deleted, for all resources of a binding, or an export, together. More of them within a minute mean that something has gone wrong
 * rather than that somebody wants to have them deleted: then none is deleted until the operator approves it.
 */
export interface DeletionBudget {
  readonly perMinute: number;
  /** One that would be deleted; `id` names it for a person. */
  waits(id: string, uid: string): void;
  /** It is not to be deleted any more. */
  withdraw(id: string): void;
  /** Undefined: it does not wait. */
  answer(id: string): 'allowed' | 'held' | undefined;
  /** Nobody looks at these any more, for now: they wait no longer, and that says nothing about them. */
  leave(ids: readonly string[]): void;
  /** It has been deleted. */
  spend(id: string): void;
  /** `token` as in {@link HeldDeletions}. Anything else has no effect. */
  approve(token: string): void;
  /** All objects were looked at: if nothing waits, nothing is to be held. */
  surveyed(): void;
  /** Undefined: nothing is held. */
  readonly held: HeldDeletions | undefined;
  /** Told when {@link held} may be another; `released`: deletions that were held are so no more. */
  onChange(listener: (released: boolean) => void): { close(): void };
}

export interface DeletionBudgetOptions {
  readonly clock: Clock;
  /** Default 10. */
  readonly perMinute?: number | undefined;
  /** Whether deletions were held when this was last known, as before a restart. */
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
  /** A part of what waits. */
  const approved = new Set<string>();
  const listeners = new Set<(released: boolean) => void>();
  let spent: readonly number[] = [];
  let held = before;
  const tell = (released: boolean): void => {
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
    tell(was && !held);
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
