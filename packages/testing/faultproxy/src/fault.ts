/** What goes wrong with a request. All times in milliseconds, all sizes in bytes of the body. */
export type Fault =
  /** The request reaches the server that much later. Adds up with other faults that match. */
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
   * The server acts, and the connection is reset: after the head and that much of the body of its answer, or, without `afterBytes`, before
   * any of it.
   */
  | { readonly kind: 'reset'; readonly afterBytes?: number }
  /** The answer ends in good order, but only this share of its body is sent (default 0.5): half a list. */
  | { readonly kind: 'truncate'; readonly share?: number }
  /** A watch delivers that many events (default 0), then an ERROR event with this status (default 410 Expired), and ends. */
  | {
      readonly kind: 'watch-error';
      readonly afterEvents?: number;
      readonly code?: number;
      readonly reason?: string;
      readonly message?: string;
    }
  /** A watch delivers that many events (default 0), then nothing more, and stays open. */
  | { readonly kind: 'silence'; readonly afterEvents?: number }
  /** The server acts, and its answer waits until `until` resolves. For what has to happen between the two, say the death of the client. */
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

/** Which requests are meant; every field that is given must match. */
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
  /** How many requests it hits before it is used up. Default: all. */
  readonly times?: number;
  readonly fault: Fault;
}

/** A fault that has been injected. */
export interface InjectedFault {
  /** Requests that it has hit. */
  readonly hits: number;
  /** Takes it back; requests that it has hit already stay as they are. */
  remove(): void;
}
