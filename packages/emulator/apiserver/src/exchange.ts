import type { ApiResponse, ApiRequest, RequestInfo } from './parts.js';
import type { Headers } from './handlers/answer.js';

/**
 * Receives an answer in pieces: `head` once, then any number of `data`, then `end` or `fail`; nothing after an abort.
 */
export interface ResponseSink {
  head(status: number, headers: Headers): void;
  data(chunk: string): void;
  end(): void;
  /** The connection broke. Possible at any time, also before `head`. */
  fail(error: Error): void;
}

/** A request in progress. */
export interface Exchange {
  /** Aborts the request. Completed effects remain. Idempotent. */
  abort(): void;
}

/** A connection broken by a fault. */
export class ConnectionResetError extends Error {
  override readonly name = 'ConnectionResetError';
  readonly code = 'ECONNRESET';

  constructor() {
    super('read ECONNRESET');
  }
}

/** The fault of one request. */
export interface Fault {
  /** Delay before the request is handled. */
  readonly delayMs?: number;
  /** The request is handled once this settles, in either way. Comes before `delayMs`. */
  readonly after?: Promise<unknown>;
  /** The request is not handled: this is the answer, or none for a broken connection. */
  readonly instead?: ApiResponse | 'reset';
  /** Handles the request and passes the answer through this: it can be late, cut off, silent or lost. */
  readonly wrap?: (sink: ResponseSink) => ResponseSink;
  /** Answers a get or list that takes any version (`resourceVersion=0`) from this revision, if it still exists. */
  readonly staleRevision?: number;
}

/** Called before each request, in any order relative to other answers. */
export type Faults = (request: ApiRequest, info: RequestInfo) => Fault | undefined;
