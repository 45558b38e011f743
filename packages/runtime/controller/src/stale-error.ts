/**
 * An object differs from the cached or earlier reading that was decided about, so nothing is written: decide again. A
 * restored backup, or a cache that lags behind.
 */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** Tells the cases apart in logs and metrics: `StaleExport`. */
  readonly code: `Stale${string}`;

  constructor(code: `Stale${string}`, message: string) {
    super(message);
    this.code = code;
  }
}
