import { CelError } from './error.js';
import type { Value } from './value.js';

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

/** What {@link withinSteps} ran, and whether the steps were enough. */
export interface Bounded<T> {
  readonly result: T;
  /** What was evaluated is then not what the expression says: an error stands where the steps ended. */
  readonly exhausted: boolean;
}

/** As {@link withSteps}, for what takes CelErrors for results, as the rules of a schema do. */
export const withinSteps = <T>(steps: number, run: () => T): Bounded<T> => {
  const before = remaining;
  remaining = steps;
  try {
    const result = run();
    return { result, exhausted: remaining < 0 };
  } finally {
    remaining = before;
  }
};

/** Characters of a text that cost as much as a step, as an API server reckons. */
const CHARACTERS_PER_STEP = 10;
/** A step for each so many characters of a pattern, and each ten characters of the text that it is held against. */
const PATTERN_PER_STEP = 4;
const searches: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** Takes the steps of a call: one, and what it costs to go through its texts. Cheap where there is no limit. @throws {CelError} if there are not so many */
export const takeCall = (name: string, values: readonly Value[]): void => {
  if (remaining === Infinity) {
    return;
  }
  let steps = 1;
  for (const value of values) {
    if (typeof value === 'string') {
      steps += value.length / CHARACTERS_PER_STEP;
    }
  }
  const [, pattern] = values;
  takeSteps(searches.has(name) && typeof pattern === 'string' ? steps * (1 + pattern.length / PATTERN_PER_STEP) : steps);
};

/** Takes steps from what is left. @throws {CelError} if there are not so many */
export const takeSteps = (steps: number): void => {
  remaining -= steps;
  if (remaining < 0) {
    throw new CelError('too many steps');
  }
};
