/** Random numbers in [0, 1). Injected, so that a seed replays a run. */
export type Random = () => number;

/** How long to wait before the next try. All times in milliseconds. */
export interface BackoffOptions {
  /** Delay before the first retry. */
  readonly initialMs: number;
  /** No delay is longer than this, jitter included. */
  readonly capMs: number;
  /** Growth per failure. Default 2. */
  readonly factor?: number;
  /** Share of each delay that is random, 0 to 1. Default 0.5: a delay of 10 s becomes 5 to 10 s. */
  readonly jitter?: number;
}

/**
 * The delay before retry number `failures` (1 for the first): exponential, capped, with jitter taken off the top,
 * so that many clients that failed together do not come back together.
 */
export function backoffDelay(options: BackoffOptions, failures: number, random: Random): number {
  const factor = options.factor ?? 2;
  const jitter = options.jitter ?? 0.5;
  const exponent = Math.min(Math.max(failures, 1) - 1, 64);
  const full = Math.min(options.capMs, options.initialMs * factor ** exponent);
  return full * (1 - jitter * random());
}
