/** A fault of a request. All times in milliseconds, all sizes in bytes of the body. */
export type Fault =
  /** The request reaches the server that much later. Adds to other matching faults. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** The proxy answers with this status and a Kubernetes `Status` body; the server never sees the request. */
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /**
   * The server acts, and the connection is reset: after the head and that much of the answer's body, or, without
   * `afterBytes`, before any of it.
   */
  | { readonly kind: 'reset'; readonly afterBytes?: number }
  /** The answer ends in good order, but only this share of its body is sent (default 0.5): half a list. */
  | { readonly kind: 'truncate'; readonly share?: number }
  /**
   * A watch delivers that many events (default 0), then an ERROR event with this status (default 410 Expired), and
   * ends.
   */
  | {
      readonly kind: 'watch-error';
      readonly afterEvents?: number;
      readonly code?: number;
      readonly reason?: string;
      readonly message?: string;
    }
  /** A watch delivers that many events (default 0), then nothing more, and stays open. */
  | { readonly kind: 'silence'; readonly afterEvents?: number }
  /**
   * The server acts, and its answer waits until `until` resolves. For an action in between, such as killing the client.
   */
  | { readonly kind: 'hold'; readonly until: (request: FaultedRequest) => Promise<void> }
  /** No answer at all; the connection stays open. The server never sees the request. */
  | { readonly kind: 'hang' };

/** The request that a fault has hit. */
export interface FaultedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly watch: boolean;
}

/** Selects requests; every given field must match. */
export interface RequestMatch {
  readonly method?: string;
  /** Tested against path and query. */
  readonly path?: RegExp;
  /** Whether the request is a watch. */
  readonly watch?: boolean;
}

export interface FaultRule {
  /** Default: every request. */
  readonly match?: RequestMatch;
  /** Number of requests that it hits. Default: all. */
  readonly times?: number;
  readonly fault: Fault;
}

/** An injected fault. */
export interface InjectedFault {
  /** Requests that it has hit. */
  readonly hits: number;
  /** Removes it; requests already hit stay as they are. */
  remove(): void;
}
