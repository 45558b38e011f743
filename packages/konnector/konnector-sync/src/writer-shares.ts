import type { Clock } from '@hawser/clock';

/**
 * Divides writers among the syncs of a process. A sync that works alone may use all its writers; beside others it uses
 * a third. Its requests in flight stand before the others' in the API servers' queues. So a backlog at full width would
 * delay every single change of another sync.
 */
export interface WriterShares {
  join(): WriterShare;
}

/** The share of one sync. */
export interface WriterShare {
  /** One of its objects has changed. */
  active(): void;
  /** Writers that may run now, out of `concurrency`; at least one. */
  limit(concurrency: number): number;
}

/** Others count as working for this long after the last change of their objects. */
const ACTIVE_MS = 10_000;
const SHARE = 3;

export function createWriterShares(clock: Clock): WriterShares {
  let latest: { readonly share: WriterShare; at: number } | undefined;
  /** Last change of any share but the latest. */
  let othersAt = -Infinity;
  return {
    join() {
      const share: WriterShare = {
        active() {
          const at = clock.monotonic();
          if (latest?.share === share) {
            latest.at = at;
            return;
          }
          if (latest !== undefined) othersAt = latest.at;
          latest = { share, at };
        },
        limit(concurrency) {
          const at = latest === undefined || latest.share === share ? othersAt : latest.at;
          return clock.monotonic() - at < ACTIVE_MS ? Math.ceil(concurrency / SHARE) : concurrency;
        },
      };
      return share;
    },
  };
}
