import { CelError } from './error.js';
import { type ListValue, type Value, isList, isMap } from './value.js';

/** Expressions run synchronously, one at a time: the remaining budget belongs to the running one. */
let remaining = Infinity;

/**
 * Runs an expression with a step limit. Steps are weighed like an API server's costs: names, fields, calls, characters
 * of texts, elements of lists, rounds of macros. A million take a tenth of a second at most. Without this call there is
 * no limit.
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

/** Result of {@link withinSteps}, and whether the steps were enough. */
export interface Bounded<T> {
  readonly result: T;
  /** If set, the result is wrong: an error replaced the evaluation where the steps ended. */
  readonly exhausted: boolean;
}

/** {@link withSteps} for code that treats CelErrors as results, such as the rules of a schema. */
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

/** Characters of a text per step, as an API server counts. */
const CHARACTERS_PER_STEP = 10;
/** Their cost does not grow with a list, or comparison counts it per element. */
const notWalking: ReadonlySet<string> = new Set(['size', '@in']);

/** Parses a text into a value: some microseconds. */
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
/** Per element that `format` writes. */
const WRITTEN_STEPS = 10;

/** Number of elements of lists and maps in the arguments of `format`. */
const writtenElements = (values: ListValue): number => {
  let elements = 0;
  for (const value of values) {
    elements += isList(value) || isMap(value) ? value.size : 0;
  }
  return elements;
};

/**
 * Charges a call: one step, plus the cost of reading its texts and lists. Cheap without a limit.
 * @throws {CelError} if the steps run out
 */
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

/**
 * Charges the text or list that a call returned.
 * @throws {CelError} if the steps run out
 */
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

/** Conversion between steps and time: a million in a tenth of a second. */
const STEPS_PER_MS = 10_000;

/**
 * Runs a pattern over a text. The time depends on both: from 30 ns per character, up to some for each instruction of
 * the pattern. Requires steps for the worst case, and charges the time actually taken.
 *
 * @param characters - of the text
 * @param instructions - of the compiled pattern
 * @throws {CelError} if the worst case exceeds the remaining steps; then nothing was run
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
    // Caps at the worst case: other work may have run in that time.
    remaining -= Math.min(worst, (performance.now() - began) * STEPS_PER_MS);
  }
};

/**
 * Charges steps.
 * @throws {CelError} if too few are left
 */
export const takeSteps = (steps: number): void => {
  remaining -= steps;
  if (remaining < 0) {
    throw new CelError('too many steps');
  }
};
