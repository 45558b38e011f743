/** Whether this process may write. Closed. */
export type LeaseState =
  | { readonly kind: 'following'; readonly leader?: string }
  | { readonly kind: 'leading'; readonly since: number }
  | { readonly kind: 'stopped' };

/** One term of leadership. */
export interface Leadership {
  /**
   * Aborts before another process can take the lease: renew deadline passed, lease lost, event loop stalled, or
   * released. Pass it to `Client.withWriteGuard`. Reading `aborted` checks the clock, so it is right in time even if no
   * timer could run. Derived signals (`AbortSignal.any`) learn of it only by event.
   */
  readonly signal: AbortSignal;
  /** Throws a LeaseError if the term is over. Checks the clock, like `signal.aborted`. */
  assertLeading(): void;
}

/** Campaigns for a coordination.k8s.io Lease, interoperable with client-go's leader election. */
export interface LeaderElector {
  readonly state: LeaseState;
  /**
   * Milliseconds since the last successful renewal while leading; 0 otherwise. Keeps counting until the work of an
   * ended term has ended. For the health check.
   */
  readonly staleness: number;
  /**
   * Campaigns until `signal` aborts. Calls `lead` for each term; after the term's signal has aborted, waits for `lead`
   * before it campaigns again. Releases the lease at the end, so another replica takes over at once. A `lead` that
   * returns or fails ends the term: releases the lease and campaigns again. Rejects only if it runs already.
   */
  run(lead: (leadership: Leadership) => Promise<void>, signal: AbortSignal): Promise<void>;
}
