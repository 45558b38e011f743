/** How far down a chain of causes to look; errors that wrap each other in a circle exist. */
const depth = 5;

/**
 * How long the server asked to wait, in milliseconds: `retryAfterMs` of the error or of what caused it (an ApiError has it). 0 if it did not ask.
 */
export function retryAfterMs(error: unknown): number {
  let current = error;
  for (let level = 0; level < depth && typeof current === 'object' && current !== null; level++) {
    if (
      'retryAfterMs' in current &&
      typeof current.retryAfterMs === 'number' &&
      Number.isFinite(current.retryAfterMs)
    ) {
      return Math.max(0, current.retryAfterMs);
    }
    current = 'cause' in current ? current.cause : undefined;
  }
  return 0;
}
