import { type BackoffOptions, type Random, backoffDelay } from '@hawser/clock';

/** Share by which a Retry-After is stretched at most, so that many keys that were sent away together do not come back together. */
const retryAfterJitter = 0.1;

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

/** In how many milliseconds a key is tried again after so many failures: `withinMs` at the latest, but not before the time that the server `asked` for. */
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
