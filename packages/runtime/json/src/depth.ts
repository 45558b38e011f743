/** Limit for nested objects and arrays. Far more than people write, and far less than what overflows a stack. */
export const MAX_DEPTH = 500;

/**
 * A document is nested deeper than {@link MAX_DEPTH}. A RangeError, like the stack overflow that it prevents. Contains
 * nothing of the document.
 */
export class TooDeepError extends RangeError {
  override readonly name = 'TooDeepError';

  constructor() {
    super(`nested deeper than ${MAX_DEPTH} levels`);
  }
}

/** Depth limit for a chain of causes: causes can wrap each other in a circle. */
const MOST_CAUSES = 5;

/** Whether `error`, or a cause of it, means that a document is nested too deeply, for this package or for a stack. */
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
