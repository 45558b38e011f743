import { type ApiErrorCode, isApiError } from './api-error.js';

/** How far down a chain of causes to look; errors that wrap each other in a circle exist. */
const DEPTH = 5;
const OUTAGE: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([
  'Unreachable',
  'Timeout',
  'Unavailable',
  'ServerTimeout',
]);

/** Whether something failed because a server did not answer, or had nobody behind it who could: what waited for it may go as soon as it works again. */
export function isOutage(error: unknown): boolean {
  let current = error;
  for (let level = 0; level < DEPTH && typeof current === 'object' && current !== null; level++) {
    if (isApiError(current)) return OUTAGE.has(current.code);
    current = 'cause' in current ? current.cause : undefined;
  }
  return false;
}
