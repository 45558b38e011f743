import type { Clock } from '@hawser/clock';

/**
 * How many objects each of several syncs writes at the same time. A sync that is alone at work may use all its writers; beside others it uses a third:
 * what one keeps in flight stands before the others' requests in the API servers' queues, so the backlog of one would delay every single change of
 * another by the time that its whole width takes.
 */
export interface WriterShares {
  join(): WriterShare;
}

/** The share of one sync. */
export interface WriterShare {
  /** Something has happened to one of its objects. */
  active(): void;
  /** Of `concurrency` writers, how many may write now; at least one. */
  limit(concurrency: number): number;
}

/** Others count as at work for so long after the last thing that happened to their objects. */
const ACTIVE_MS = 10_000;
const SHARE = 3;

export function createWriterShares(clock: Clock): WriterShares {
  let latest: { readonly share: WriterShare; at: number } | undefined;
  /** When last something happened to anybody but the latest. */
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
