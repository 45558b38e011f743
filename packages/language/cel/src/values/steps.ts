import { CelError } from './error.js';
import { type ListValue, type Value, isList, isMap } from './value.js';

/** Expressions run synchronously, one at a time: what is left belongs to the one that runs. */
let remaining = Infinity;

/**
 * Runs an expression that may take so many steps. They are weighed as an API server reckons costs: names, fields, calls, characters of texts, elements of lists, rounds of macros. A million
 * take a tenth of a second at most. Without it there is no limit.
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
/** What these take of a list does not grow with it, or is counted element by element where it is compared. */
const notWalking: ReadonlySet<string> = new Set(['size', '@in']);

/** Reads a text into a value: some millionths of a second. */
const reading: ReadonlySet<string> = new Set([
  'quantity',
  'isQuantity',
  'semver',
  'isSemver',
  'ip',
  'isIP',
  'cidr',
  'isCIDR',
  'url',
  'isURL',
  'timestamp',
  'duration',
  'add',
  'sub',
]);
const READ_STEPS = 12;
/** For each element that `format` writes. */
const WRITTEN_STEPS = 10;

/** The elements of the lists and maps among the arguments of `format`. */
const writtenElements = (values: ListValue): number => {
  let elements = 0;
  for (const value of values) {
    elements += isList(value) || isMap(value) ? value.size : 0;
  }
  return elements;
};

/** Takes the steps of a call: one, and what it costs to go through its texts and lists. Cheap where there is no limit. @throws {CelError} if there are not so many */
export const takeCall = (name: string, values: readonly Value[]): void => {
  if (remaining === Infinity) {
    return;
  }
  if (name === '_==_' || name === '_!=_') {
    takeSteps(1);
    return;
  }
  let steps = reading.has(name) ? READ_STEPS : 1;
  for (const value of values) {
    if (typeof value === 'string') {
      steps += value.length / CHARACTERS_PER_STEP;
    } else if (isList(value) && !notWalking.has(name)) {
      steps += name === 'format' ? value.size + writtenElements(value) * WRITTEN_STEPS : value.size * 2;
    }
  }
  takeSteps(steps);
};

/** Takes the steps of a text or list that a call has made. @throws {CelError} if there are not so many */
export const takeResult = (value: Value): void => {
  if (remaining === Infinity) {
    return;
  }
  if (typeof value === 'string') {
    takeSteps(value.length / CHARACTERS_PER_STEP);
  } else if (isList(value)) {
    takeSteps(value.size);
  }
};

/** The limit allows so many steps in the time that it stands for: a million in a tenth of a second. */
const STEPS_PER_MS = 10_000;

/**
 * Runs a pattern over a text. How long that takes depends on both: from 30 ns a character, to some for each instruction of the pattern. So it needs steps for the worst that may come, and
 * takes those of the time that it really took.
 *
 * @param characters - of the text
 * @param instructions - of the compiled pattern
 * @throws {CelError} if there are not so many as may be needed; then nothing was run
 */
export const takeSearch = <T>(characters: number, instructions: number, run: () => T): T => {
  if (remaining === Infinity) {
    return run();
  }
  const worst = characters * (12 + instructions / 2);
  if (worst > remaining) {
    takeSteps(worst);
  }
  const began = performance.now();
  try {
    return run();
  } finally {
    // Time in which something else ran counts only as far as the pattern could have taken it.
    remaining -= Math.min(worst, (performance.now() - began) * STEPS_PER_MS);
  }
};

/** Takes steps from what is left. @throws {CelError} if there are not so many */
export const takeSteps = (steps: number): void => {
  remaining -= steps;
  if (remaining < 0) {
    throw new CelError('too many steps');
  }
};
