import { Activation } from './activation.js';
import type { ComprehensionKind } from './syntax/ast.js';
import { list, NativeMap } from './values/collections.js';
import { describe } from './values/describe.js';
import { CelError } from './values/error.js';
import { takeSteps } from './values/steps.js';
import { isMap, type ListValue, type MapValue, type Value } from './values/value.js';

/** A compiled expression. @throws {CelError} */
export type Step = (activation: Activation) => Value;

interface Comprehension {
  readonly macro: ComprehensionKind;
  readonly over: ListValue | MapValue;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly condition: Step | undefined;
  readonly result: Step | undefined;
  readonly activation: Activation;
}

function* pairsOf(over: ListValue | MapValue): Generator<readonly [first: Value, second: Value]> {
  if (isMap(over)) {
    for (const key of over.keys()) {
      yield [key, over.find(key) ?? null];
    }
    return;
  }
  let index = 0n;
  for (const value of over) {
    yield [index, value];
    index += 1n;
  }
}

/** The API server's minimum cost for a round, and for an element added to a list. */
const QUANTIFIED_STEPS = 3;
const ROUND_STEPS = 2;
const ADDED_STEPS = 11;

/** The names visible in each round, in order. */
function* rounds(comprehension: Comprehension): Generator<{ readonly activation: Activation; readonly first: Value }> {
  const { macro, over, iterVar, iterVar2, activation } = comprehension;
  const steps = macro === 'all' || macro === 'exists' ? QUANTIFIED_STEPS : ROUND_STEPS;
  if (iterVar2 === undefined) {
    for (const first of isMap(over) ? over.keys() : over) {
      takeSteps(steps);
      yield { activation: new Activation(iterVar, first, activation), first };
    }
    return;
  }
  for (const [first, second] of pairsOf(over)) {
    takeSteps(steps);
    yield { activation: new Activation(iterVar2, second, new Activation(iterVar, first, activation)), first };
  }
}

const decide = (condition: Step | undefined, activation: Activation): boolean => {
  const value = condition === undefined ? true : condition(activation);
  if (typeof value !== 'boolean') {
    throw new CelError('no such overload');
  }
  return value;
};

/** `all` and `exists`: one round may decide despite errors in others; otherwise the first error counts. */
const quantify = (comprehension: Comprehension, deciding: boolean): boolean => {
  let failure: CelError | undefined;
  for (const { activation } of rounds(comprehension)) {
    try {
      if (decide(comprehension.condition, activation) === deciding) {
        return deciding;
      }
    } catch (error) {
      if (!(error instanceof CelError)) {
        throw error;
      }
      failure ??= error;
    }
  }
  if (failure !== undefined) {
    throw failure;
  }
  return !deciding;
};

const insert = (entries: Map<Value, Value>, key: Value, value: Value): void => {
  if (entries.has(key)) {
    throw new CelError(`insert failed: key ${describe(key)} already exists`);
  }
  entries.set(key, value);
};

const collect = (comprehension: Comprehension): Value => {
  const values: Value[] = [];
  const entries = new Map<Value, Value>();
  for (const { activation, first } of rounds(comprehension)) {
    if (!decide(comprehension.condition, activation)) {
      continue;
    }
    takeSteps(ADDED_STEPS);
    const value = comprehension.result === undefined ? first : comprehension.result(activation);
    if (comprehension.macro === 'transformMap') {
      insert(entries, first, value);
    } else if (comprehension.macro === 'transformMapEntry' && isMap(value)) {
      for (const [key, item] of pairsOf(value)) {
        insert(entries, key, item);
      }
    } else {
      values.push(value);
    }
  }
  return comprehension.macro.startsWith('transformMap') ? new NativeMap(entries) : list(values);
};

/** Runs a macro over a list or map. @throws {CelError} */
export const evaluateComprehension = (comprehension: Comprehension): Value => {
  switch (comprehension.macro) {
    case 'all':
      return quantify(comprehension, false);
    case 'exists':
      return quantify(comprehension, true);
    case 'existsOne':
      return (
        Array.from(rounds(comprehension)).filter(({ activation }) => decide(comprehension.condition, activation))
          .length === 1
      );
    case 'map':
    case 'filter':
    case 'transformMap':
    case 'transformMapEntry':
      return collect(comprehension);
  }
};
