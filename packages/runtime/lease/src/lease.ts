/** Whether this process may write. Closed. */
export type LeaseState =
  | { readonly kind: 'following'; readonly leader?: string }
  | { readonly kind: 'leading'; readonly since: number }
  | { readonly kind: 'stopped' };

/** One term of leadership. */
export interface Leadership {
  /**
   * Aborts before the lease can be taken by somebody else: renew deadline passed, lease lost, event loop stalled, or released. Give it to
   * `Client.withWriteGuard`. Reading `aborted` looks at the clock, so it is true in time even if no timer has had a chance to run; what is
   * derived from it (`AbortSignal.any`) learns of it by event only.
   */
  readonly signal: AbortSignal;
  /** Throws a LeaseError if the term is over. Looks at the clock, like `signal.aborted`. */
  assertLeading(): void;
}

/** Campaigns for a coordination.k8s.io Lease, interoperable with client-go's leader election. */
export interface LeaderElector {
  readonly state: LeaseState;
  /** Milliseconds since the last successful renewal while leading; 0 otherwise. Goes on counting until the work of an ended term has ended. For the health check. */
  readonly staleness: number;
  /**
   * Campaigns until `signal` aborts; calls `lead` for each term and waits for it to end after its signal aborted before campaigning again.
   * On the way out the lease is released, so that another replica takes over at once. A `lead` that ends by itself, or fails, ends the term: the lease is
   * released and campaigned for again. Rejects only if it runs already.
   */
  run(lead: (leadership: Leadership) => Promise<void>, signal: AbortSignal): Promise<void>;
}
