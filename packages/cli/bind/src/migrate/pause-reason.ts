/** Reason on a binding while its pairs change hands; a konnector writes nothing then. */
export const PAUSE_REASON = 'hawser migrate: core.kbind.io serves the objects';

/**
 * Reason of one pause. The konnector repeats it in its condition `Paused`, so a condition of an earlier pause does not
 * count.
 */
export function pauseReason(nowMs: number): string {
  return `${PAUSE_REASON} (paused ${new Date(nowMs).toISOString()})`;
}

/** Whether the annotation is a pause of this command. */
export function isPause(annotation: string | undefined): boolean {
  return annotation?.startsWith(PAUSE_REASON) === true;
}
