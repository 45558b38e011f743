import type { Recovery } from '@hawser/client';
import type { BackoffOptions, Clock, Random } from '@hawser/clock';
import type { Logger, Metrics } from '@hawser/telemetry';

/**
 * What a reconcile asks for. `done`: forget the key's failures. `requeue`: look again after `afterMs` although nothing happened.
 * A reconcile that throws is retried with back-off; an ApiError's Retry-After is honoured.
 * `park`: nothing to do until an event adds the key again; costs nothing, and the key's failures are kept.
 */
export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'requeue'; readonly afterMs: number; readonly priority?: Priority }
  | { readonly kind: 'park' };

/** A reconcile that failed with `error`, as if it had thrown it. Its back-off is no longer than `withinMs`: something else of the key has to be looked at by then. */
export interface Failed {
  readonly kind: 'error';
  readonly error: unknown;
  readonly withinMs?: number | undefined;
}

export const done: Result = { kind: 'done' };
export const park: Result = { kind: 'park' };

/** Keys of a higher priority are taken first; `background` work waits until nothing else does. */
export type Priority = 'urgent' | 'normal' | 'background';

export interface QueueOptions {
  /** Labels the workqueue_* metrics and logs. */
  readonly name: string;
  /** Worker slots. */
  readonly concurrency: number;
  /** How many of the slots may be used at present. Asked whenever a worker looks for a key, so it must be cheap. At least one is used. Default: all. */
  readonly limit?: () => number;
  /** Never called twice at once for the same key. `signal` aborts when the queue stops without draining. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Result | Failed>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default: 50 ms to 5 min. */
  readonly backoff?: BackoffOptions;
  /** Told about each failed reconcile, before its retry is scheduled. */
  readonly onFailure?: (key: string, error: unknown, failures: number) => void;
  /** In how many milliseconds what failed for a key is tried again, where `reconcile` waits for that itself. For the log: the longer of this and the back-off is told. */
  readonly retriesInMs?: (key: string) => number | undefined;
  /** Whose ends of outages let keys that back off because a server could not be reached go first: clients' `recovery`. */
  readonly recoveries?: readonly (Recovery | undefined)[] | undefined;
  /** Keys are taken, but no reconcile starts before this resolves: see `Scope.ready`. Default: at once. */
  readonly ready?: Promise<void>;
}

/** A deduplicating queue of keys with worker slots. */
export interface Queue {
  /** A key that waits already keeps its place (a higher priority moves it up); one that is being reconciled runs once more afterwards. Ends a key's back-off only if `resetBackoff`. */
  add(key: string, options?: { readonly priority?: Priority; readonly resetBackoff?: boolean }): void;
  /** The earlier of several delays wins. */
  addAfter(key: string, ms: number, priority?: Priority): void;
  /** A server works again. Keys that back off because one could not be reached go at once, before others: as many as there are slots first, then so many every 200 ms until none is left or one fails in the same way. */
  recovered(): void;
  /** What these keys wait for is there: those of them that rest until a time of their own go before others, paced as by {@link recovered}. Their failures stay. */
  release(keys: readonly string[]): void;
  /** Drops the key's failures and pending delay. */
  forget(key: string): void;
  /** Keys waiting, running and delayed. */
  readonly size: number;
  /** Resolves when nothing waits or runs (delayed keys do not count). */
  idle(): Promise<void>;
  /** Takes no more keys; resolves when running reconciles have ended. Aborts them when `graceMs` (default 5 000) is over. Idempotent. */
  stop(graceMs?: number): Promise<void>;
}
