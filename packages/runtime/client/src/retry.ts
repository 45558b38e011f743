import { type BackoffOptions, type Random, backoffDelay } from '@hawser/clock';
import type { ApiError } from './api-error.js';

/** Input of {@link retryDelay}. */
export interface RetryQuestion {
  readonly error: ApiError;
  /** Whether repeating does no harm: a read. */
  readonly safe: boolean;
  /** False: the server cannot have seen the request. Only meaningful for `Unreachable`. */
  readonly sent: boolean;
  /** Number of failures, this one included. */
  readonly failures: number;
  readonly random: Random;
}

/** Retries after a lost connection. It is either over within a second, or the caller must know of it. */
const LOST: BackoffOptions & { readonly tries: number } = { initialMs: 100, capMs: 1_000, tries: 3 };
const OVERLOAD: BackoffOptions & { readonly tries: number } = { initialMs: 200, capMs: 5_000, tries: 10 };

/**
 * Milliseconds to wait before sending again; `undefined`: do not retry. A write is repeated only where the server
 * cannot have carried it out: it was never sent, or the answer was 429 (refused before execution), or 503 with a
 * Retry-After.
 */
export function retryDelay({ error, safe, sent, failures, random }: RetryQuestion): number | undefined {
  switch (error.code) {
    case 'Unreachable':
      return (safe || !sent) && failures <= LOST.tries ? backoffDelay(LOST, failures, random) : undefined;
    case 'TooManyRequests':
      return overloadDelay(error, failures, random);
    case 'Unavailable':
      return safe || (error.httpStatus === 503 && error.retryAfterMs !== undefined)
        ? overloadDelay(error, failures, random)
        : undefined;
    case 'BadRequest':
    case 'Unauthorized':
    case 'Forbidden':
    case 'NotFound':
    case 'MethodNotAllowed':
    case 'Conflict':
    case 'AlreadyExists':
    case 'Expired':
    case 'TooLarge':
    case 'UnsupportedMediaType':
    case 'Invalid':
    case 'InternalError':
    case 'ServerTimeout':
    case 'Unknown':
    case 'Timeout':
    case 'Aborted':
    case 'Malformed':
      return undefined;
  }
}

function overloadDelay(error: ApiError, failures: number, random: Random): number | undefined {
  if (failures > OVERLOAD.tries) return undefined;
  const backoff = backoffDelay(OVERLOAD, failures, random);
  // Not sooner than asked, and spread.
  return error.retryAfterMs === undefined ? backoff : error.retryAfterMs + backoff * random();
}
