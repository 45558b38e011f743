/** Whether this process takes part. Closed. */
export type ShardsState =
  /** `waitsFor`: the holder of the group's Lease, or the reason why it cannot take part. */
  | { readonly kind: 'joining'; readonly waitsFor?: string | undefined }
  | {
      readonly kind: 'serving';
      readonly since: number;
      /** The shards that it serves. */
      readonly shards: readonly number[];
      /** Number of living processes, itself included. */
      readonly members: number;
      /** Number of shards without a living holder. */
      readonly unowned: number;
    }
  | { readonly kind: 'stopped' };

/** The work for the units of shards. */
export interface ShardedWork {
  /**
   * The owned units have changed: begins the new ones, ends the lost ones. Resolves when no work of an unowned unit is
   * in flight any more: then another process may take it. May be called again before it has resolved.
   */
  settle(): Promise<void>;
}

/** One term of a process in the group. */
export interface ShardTerm {
  /**
   * Aborts before another process can take any shard of this one. Like the signal of a `Leadership`: pass it to
   * `Client.withWriteGuard`, and read `aborted` of this very signal.
   */
  readonly signal: AbortSignal;
  /** Whether this process serves the unit, which may be any text. Only `settle` announces changes. */
  owns(unit: string): boolean;
  /** Reports changes to the work; the first time at once. */
  follow(work: ShardedWork): void;
}

/** A process of a group that shares work by shards, with one Lease for each shard. */
export interface ShardMember {
  readonly state: ShardsState;
  /**
   * Milliseconds since the last proof that its shards are its own; 0: it has none. Keeps counting until the work of an
   * ended term has ended.
   */
  readonly staleness: number;
  /**
   * Takes part until `signal` aborts. Calls `lead` for each term; after the term's signal has aborted, waits for `lead`
   * before it takes part again. Releases its shards at the end. A `lead` that returns or fails ends the term. Rejects
   * only if it runs already.
   */
  run(lead: (term: ShardTerm) => Promise<void>, signal: AbortSignal): Promise<void>;
}
