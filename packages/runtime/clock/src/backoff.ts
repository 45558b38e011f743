/** Random numbers in [0, 1). Injected: a seed replays a run. */
export type Random = () => number;

/** Delays between retries. All times in milliseconds. */
export interface BackoffOptions {
  /** Delay before the first retry. */
  readonly initialMs: number;
  /** No delay is longer than this, jitter included. */
  readonly capMs: number;
  /** Growth per failure. Default 2. */
  readonly factor?: number;
  /** Random share of each delay, 0 to 1. Default 0.5: a delay of 10 s becomes 5 to 10 s. */
  readonly jitter?: number;
}

/**
 * Computes the delay before retry number `failures` (1 for the first). Exponential and capped. Jitter only shortens it:
 * many clients that failed together do not retry together.
 */
export function backoffDelay(options: BackoffOptions, failures: number, random: Random): number {
  const factor = options.factor ?? 2;
  const jitter = options.jitter ?? 0.5;
  const exponent = Math.min(Math.max(failures, 1) - 1, 64);
  const full = Math.min(options.capMs, options.initialMs * factor ** exponent);
  return full * (1 - jitter * random());
}
