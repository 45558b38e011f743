/** Whether this process takes part. Closed. */
export type ShardsState =
  /** `waitsFor`: who has the Lease of the group, or why it cannot take part. */
  | { readonly kind: 'joining'; readonly waitsFor?: string | undefined }
  | {
      readonly kind: 'serving';
      readonly since: number;
      /** The shards that it serves. */
      readonly shards: readonly number[];
      /** Processes that live, itself included. */
      readonly members: number;
      /** Shards that no living process holds. */
      readonly unowned: number;
    }
  | { readonly kind: 'stopped' };

/** What is done for the units of shards. */
export interface ShardedWork {
  /**
   * Other units are owned than before: begin with those that have come, end those that have gone. Resolves when nothing of a unit that is not owned is in flight any
   * more: then another process may have it. May be called again before it has resolved.
   */
  settle(): Promise<void>;
}

/** One term of a process in the group. */
export interface ShardTerm {
  /**
   * Aborts before another process can take any shard that this one holds. Like the signal of a `Leadership`: give it to `Client.withWriteGuard`, and read
   * `aborted` of this very signal.
   */
  readonly signal: AbortSignal;
  /** Whether this process serves the unit, which may be any text. Changes without notice but for `settle`. */
  owns(unit: string): boolean;
  /** Has the work told of changes, at once for the first time. */
  follow(work: ShardedWork): void;
}

/** A process of a group that shares work by shards, with one Lease for each shard. */
export interface ShardMember {
  readonly state: ShardsState;
  /** Milliseconds since the last proof that its shards are its own; 0 while it has none. Goes on counting until the work of an ended term has ended. */
  readonly staleness: number;
  /**
   * Takes part until `signal` aborts; calls `lead` for each term and waits for it to end after its signal aborted before it takes part again. On the way out its shards are
   * released. A `lead` that ends by itself, or fails, ends the term. Rejects only if it runs already.
   */
  run(lead: (term: ShardTerm) => Promise<void>, signal: AbortSignal): Promise<void>;
}
