import type { ApiResponse, ApiRequest, RequestInfo } from './parts.js';
import type { Headers } from './handlers/answer.js';

/** Takes an answer as it comes. `head` once, then any number of `data`, then `end` or `fail`; nothing after an abort. */
export interface ResponseSink {
  head(status: number, headers: Headers): void;
  data(chunk: string): void;
  end(): void;
  /** The connection broke. May come at any time, before `head` too. */
  fail(error: Error): void;
}

/** A request under way. */
export interface Exchange {
  /** Lets the request go. What has been carried out stays so. Idempotent. */
  abort(): void;
}

/** The connection that a fault has broken. */
export class ConnectionResetError extends Error {
  override readonly name = 'ConnectionResetError';
  readonly code = 'ECONNRESET';

  constructor() {
    super('read ECONNRESET');
  }
}

/** What goes wrong with one request. */
export interface Fault {
  /** So long passes before the request is looked at. */
  readonly delayMs?: number;
  /** The request is looked at once this is over, however it ends, and not before. Goes before `delayMs`. */
  readonly after?: Promise<unknown>;
  /** The request is not carried out: this is the answer, or none, for a broken connection. */
  readonly instead?: ApiResponse | 'reset';
  /** The request is carried out, and its answer goes through this: it can be late, cut off, silent or lost. */
  readonly wrap?: (sink: ResponseSink) => ResponseSink;
  /** A get or list that takes any version (`resourceVersion=0`) is answered from this one, if it is still there. */
  readonly staleRevision?: number;
}

/** Asked before each request. It may be asked in any order with respect to answers of others. */
export type Faults = (request: ApiRequest, info: RequestInfo) => Fault | undefined;
