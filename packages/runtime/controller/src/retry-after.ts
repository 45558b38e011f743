import { type BackoffOptions, type Random, backoffDelay } from '@hawser/clock';

/** Share by which a Retry-After is lengthened at most: keys that were refused together must not return together. */
const retryAfterJitter = 0.1;

/** Depth limit for a chain of causes: errors can wrap each other in a circle. */
const depth = 5;

/**
 * The server's Retry-After in milliseconds: `retryAfterMs` of the error or of its cause (an ApiError has it). 0: none.
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

/**
 * Milliseconds until the next try after `failures` failures: at most `withinMs`, but never before the time that the
 * server `asked` for.
 */
export function retryDelay(
  error: unknown,
  failures: number,
  withinMs: number,
  backoff: BackoffOptions,
  random: Random,
): { readonly asked: number; readonly delay: number } {
  const asked = retryAfterMs(error);
  const capMs = Math.min(backoff.capMs, withinMs);
  const delay = Math.max(
    backoffDelay({ ...backoff, capMs }, failures, random),
    asked * (1 + retryAfterJitter * random()),
  );
  return { asked, delay };
}
