import type { JsonValue } from '@hawser/json';
import { types } from '../check/type.js';
import { compileExpression } from '../environment.js';
import { Activation } from '../activation.js';
import { UnsupportedExpression } from '../unsupported.js';
import { CelError } from '../values/error.js';
import { withSteps } from '../values/steps.js';
import { fromJson, type Numbers } from './json-values.js';
import { mixedArithmetic } from './mixed-arithmetic.js';
import { toJson } from './to-json.js';

export type { Numbers } from './json-values.js';

/**
 * Why an expression cannot be used. `InvalidExpression`: the expression itself is wrong. `EvaluationFailed`: it yields
 * nothing for these documents. Retrying the same expression with the same documents does not help.
 */
export class ExpressionError extends Error {
  readonly retryable = false;

  /** @param code - see above. The message of `EvaluationFailed` may quote the documents */
  constructor(
    readonly code: 'InvalidExpression' | 'EvaluationFailed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ExpressionError';
  }
}

/** A tenth of a second: the author of a document must not hold up everyone else. */
const mostSteps = 1_000_000;

/** A compiled expression over documents; runs any number of times. */
export interface JsonExpression<V extends string> {
  /**
   * The value for these documents, as JSON; does not change them. Limited to a million steps, weighed like an API
   * server's costs: a tenth of a second at most.
   *
   * @throws {ExpressionError} `EvaluationFailed`
   */
  readonly evaluate: (documents: Readonly<Record<V, JsonValue>>) => JsonValue;
}

/**
 * Compiles an expression whose variables are documents, all of type `dyn`, with everything that CRD rules have. Unlike
 * in CEL, arithmetic may mix an integer and a double; the result is a double. Unlike in rules, list and map literals
 * may have values of different types.
 *
 * @param variables - their names, and the kind of numbers in each
 * @throws {ExpressionError} `InvalidExpression`
 */
export const compileJsonExpression = <V extends string>(
  source: string,
  variables: Readonly<Record<V, Numbers>>,
): JsonExpression<V> => {
  const names = Object.keys(variables) as V[];
  const program = compileOrRefuse(source, names);
  return {
    evaluate: (documents) => {
      const activation = names.reduce<Activation | undefined>(
        (parent, name) => new Activation(name, fromJson(documents[name], variables[name]), parent),
        undefined,
      );
      try {
        return withSteps(mostSteps, () => toJson(program.run(activation ?? new Activation('', null, undefined))));
      } catch (error) {
        if (error instanceof CelError) {
          throw new ExpressionError('EvaluationFailed', error.message, { cause: error });
        }
        throw error;
      }
    },
  };
};

const compileOrRefuse = (source: string, names: readonly string[]) => {
  try {
    const program = compileExpression(source, Object.fromEntries(names.map((name) => [name, types.dyn])), undefined, {
      library: mixedArithmetic,
      mixedLiterals: true,
    });
    if ('rejectedIn' in program) {
      throw new ExpressionError('InvalidExpression', program.reason);
    }
    return program;
  } catch (error) {
    if (error instanceof UnsupportedExpression) {
      throw new ExpressionError('InvalidExpression', error.message, { cause: error });
    }
    throw error;
  }
};
