import { CelError } from './error.js';

/** Expressions run synchronously, one at a time: what is left belongs to the one that runs. */
let remaining = Infinity;

/**
 * Runs an expression that may take so many steps: rounds of its macros, and elements that it looks for in lists of documents. Without it there is no limit.
 *
 * @throws {CelError} when they are used up
 */
export const withSteps = <T>(steps: number, run: () => T): T => {
  const before = remaining;
  remaining = steps;
  try {
    return run();
  } finally {
    remaining = before;
  }
};

/** Takes steps from what is left. @throws {CelError} if there are not so many */
export const takeSteps = (steps: number): void => {
  remaining -= steps;
  if (remaining < 0) {
    throw new CelError('too many steps');
  }
};
