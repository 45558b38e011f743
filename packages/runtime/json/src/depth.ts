/** How many objects and arrays may stand inside each other. Far more than anything that people write, and far less than what overflows a stack. */
export const MAX_DEPTH = 500;

/**
 * A document is nested deeper than {@link MAX_DEPTH}. A RangeError, as what it prevents is: a stack that overflows ends with one, sooner or later, depending on what
 * has been compiled. Says nothing of the document's content.
 */
export class TooDeepError extends RangeError {
  override readonly name = 'TooDeepError';

  constructor() {
    super(`nested deeper than ${MAX_DEPTH} levels`);
  }
}

/** Causes that wrap each other in a circle exist. */
const MOST_CAUSES = 5;

/** Whether `error`, or what caused it, says that a document is nested too deeply, for this package or for a stack. */
export function isTooDeep(error: unknown): boolean {
  for (
    let current = error, level = 0;
    level < MOST_CAUSES && current instanceof Error;
    current = current.cause, level++
  ) {
    if (
      current instanceof TooDeepError ||
      (current instanceof RangeError && current.message.startsWith('Maximum call stack size'))
    )
      return true;
  }
  return false;
}
