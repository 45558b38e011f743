const FIRST_MS = 1_000;
const CAP_MS = 300_000;

/**
 * Delay until the next correction of the same content, in milliseconds: it grows with each one, because another writer
 * keeps changing the copy.
 */
export function correctionDelayMs(corrections: number): number {
  return corrections <= 0 ? 0 : Math.min(CAP_MS, FIRST_MS * 2 ** (corrections - 1));
}

/** After this time without a correction, the next counts as the first. */
export const CORRECTION_MEMORY_MS = 600_000;
