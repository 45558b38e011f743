import type { Budget } from './exec/budget.js';
import type { GoList, GoMap, GoValue } from './values/go-value.js';
import type { GoObject } from './values/go-object.js';

/** Go types of parameters, by their names in errors. `any` is `interface {}`. */
export interface ParameterTypes {
  readonly any: GoValue;
  readonly string: string;
  readonly bool: boolean;
  readonly int: number;
  readonly int64: bigint;
  readonly float64: number;
  readonly '[]interface {}': GoList;
  readonly '[]string': GoList;
  readonly 'map[string]interface {}': GoMap | undefined;
  readonly 'time.Time': GoObject;
  readonly 'time.Duration': bigint;
  readonly uint32: number;
  readonly '*semver.Version': GoObject;
}

export type ParameterType = keyof ParameterTypes;

/** Context of a function call. */
export interface CallContext {
  /** The remaining budget: charge it before creating something large. */
  readonly budget: Budget;
}

/**
 * A function for templates. Arguments are checked by Go's rules: an `int64` is not an `int`, nil is not a `string`. It
 * throws an `Error` to end the rendering; the error must not contain values of the data.
 */
export interface TemplateFunction {
  readonly parameters: readonly ParameterType[];
  /** The type of each further argument. */
  readonly variadic?: ParameterType | undefined;
  /** It may change a map argument; the data is then copied before rendering. */
  readonly mutates?: boolean | undefined;
  /** Evaluates arguments from the left up to the first with this truth value, which is the result: `and`, `or`. */
  readonly shortCircuit?: boolean | undefined;
  readonly call: (args: readonly GoValue[], context: CallContext) => GoValue;
}

/** A known function that is not offered. A template that names it does not compile. */
export interface RefusedFunction {
  /** Why, in a sentence for the author of the template. */
  readonly refused: string;
}

/** Functions by name. */
export type FunctionMap = Readonly<Record<string, TemplateFunction | RefusedFunction>>;

type Arguments<P extends readonly ParameterType[]> = {
  readonly [I in keyof P]: P[I] extends ParameterType ? ParameterTypes[P[I]] : never;
};

/**
 * A function with a fixed number of parameters.
 *
 * @example
 * const functions = { shout: fn(['string'], (text) => `${text}!`) };
 */
export function fn<const P extends readonly ParameterType[]>(
  parameters: P,
  body: (...args: [...Arguments<P>, CallContext]) => GoValue,
): TemplateFunction {
  return {
    parameters,
    call: (args, context) => body(...([...args, context] as unknown as [...Arguments<P>, CallContext])),
  };
}

/** A function with any number of further arguments of one type, passed as a list. */
export function variadicFn<const P extends readonly ParameterType[], R extends ParameterType>(
  parameters: P,
  variadic: R,
  body: (...args: [...Arguments<P>, readonly ParameterTypes[R][], CallContext]) => GoValue,
): TemplateFunction {
  return {
    parameters,
    variadic,
    call: (args, context) =>
      body(
        ...([...args.slice(0, parameters.length), args.slice(parameters.length), context] as unknown as [
          ...Arguments<P>,
          readonly ParameterTypes[R][],
          CallContext,
        ]),
      ),
  };
}

export function isTemplateFunction(value: unknown): value is TemplateFunction {
  return typeof value === 'object' && value !== null && 'call' in value && typeof value.call === 'function';
}
