import type { Recovery } from '@hawser/client';
import type { BackoffOptions, Clock, Random } from '@hawser/clock';
import type { Logger, Metrics } from '@hawser/telemetry';

/**
 * Result of a reconcile. `done`: forget the key's failures. `requeue`: look again after `afterMs` without an event.
 * `park`: wait for an event; costs nothing, and keeps the key's failures. A reconcile that throws is retried with
 * back-off, honouring an ApiError's Retry-After.
 */
export type Result =
  | { readonly kind: 'done' }
  | { readonly kind: 'requeue'; readonly afterMs: number; readonly priority?: Priority }
  | { readonly kind: 'park' };

/**
 * A reconcile that failed with `error`, as if it had thrown it. Its back-off is at most `withinMs`, because the key
 * needs another look by then.
 */
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
  /**
   * Slots in use at present. Called whenever a worker looks for a key, so it must be cheap. At least one is used.
   * Default: all.
   */
  readonly limit?: () => number;
  /** Never called twice at once for the same key. `signal` aborts when the queue stops without draining. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Result | Failed>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default: 50 ms to 5 min. */
  readonly backoff?: BackoffOptions;
  /** Called for each failed reconcile, before its retry is scheduled. */
  readonly onFailure?: (key: string, error: unknown, failures: number) => void;
  /**
   * Milliseconds until the next try of a key, where `reconcile` itself delays it. For the log, which shows the longer
   * of this and the back-off.
   */
  readonly retriesInMs?: (key: string) => number | undefined;
  /**
   * Clients' `recovery`: the end of an outage lets the keys go first that back off because of an unreachable server.
   */
  readonly recoveries?: readonly (Pick<Recovery, 'onRecovered'> | undefined)[] | undefined;
  /** Keys are accepted, but no reconcile starts before this resolves: see `Scope.ready`. Default: at once. */
  readonly ready?: Promise<void>;
}

/** A deduplicating queue of keys with worker slots. */
export interface Queue {
  /**
   * Adds a key. A waiting key keeps its place (a higher priority moves it up); a running one runs once more afterwards.
   * Ends the key's back-off only with `resetBackoff`.
   */
  add(key: string, options?: { readonly priority?: Priority; readonly resetBackoff?: boolean }): void;
  /** Adds a key after a delay; the earliest of several counts. */
  addAfter(key: string, ms: number, priority?: Priority): void;
  /**
   * A server works again. Releases keys that back off because of an unreachable server, before others: first as many as
   * there are slots, then as many every 200 ms. Stops when none is left, or when one fails in the same way.
   */
  recovered(): void;
  /**
   * The obstacle of these keys is gone: the resting ones go before others, paced as by {@link recovered}. Keeps their
   * failure counts.
   */
  release(keys: readonly string[]): void;
  /** Drops the key's failures and pending delay. */
  forget(key: string): void;
  /** Number of keys waiting, running and delayed. */
  readonly size: number;
  /** Resolves when nothing waits or runs (delayed keys do not count). */
  idle(): Promise<void>;
  /**
   * Takes no more keys; resolves when running reconciles have ended. Aborts them after `graceMs` (default 5 000).
   * Idempotent.
   */
  stop(graceMs?: number): Promise<void>;
}
