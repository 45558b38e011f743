const FIRST_MS = 1_000;
const CAP_MS = 300_000;

/** How long the latest correction of the same content holds off the next one: copies that somebody else keeps writing are put back ever less often. */
export function correctionDelayMs(corrections: number): number {
  return corrections <= 0 ? 0 : Math.min(CAP_MS, FIRST_MS * 2 ** (corrections - 1));
}

/** So long after that, it counts as the first again. */
export const CORRECTION_MEMORY_MS = 600_000;
