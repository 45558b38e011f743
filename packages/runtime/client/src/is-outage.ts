import { type ApiErrorCode, isApiError } from './api-error.js';

/** Depth limit for a chain of causes: errors can wrap each other in a circle. */
const DEPTH = 5;
const OUTAGE: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([
  'Unreachable',
  'Timeout',
  'Unavailable',
  'ServerTimeout',
]);

/**
 * Whether the cause of a failure is a server that did not answer, or a gateway without a server behind it. Retry as
 * soon as the server works again.
 */
export function isOutage(error: unknown): boolean {
  let current = error;
  for (let level = 0; level < DEPTH && typeof current === 'object' && current !== null; level++) {
    if (isApiError(current)) return OUTAGE.has(current.code);
    current = 'cause' in current ? current.cause : undefined;
  }
  return false;
}
