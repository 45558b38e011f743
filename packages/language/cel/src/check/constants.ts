import { compilePattern } from '../library/pattern.js';
import { type CallExpr, childrenOf, type Expr } from '../syntax/ast.js';
import { Uint, type Value } from '../values/value.js';
import type { Checked } from './checker.js';

const conversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);
const patternFunctions: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

class Folding {
  constructor(private readonly checked: Checked) {}

  /** The value of a constant; undefined if only evaluation can tell. */
  fold(expr: Expr): Value | undefined {
    const values = childrenOf(expr).map((child) => this.fold(child));
    if (expr.kind === 'literal') {
      const { literal } = expr;
      return literal.type === 'null' ? null : literal.type === 'uint' ? new Uint(literal.value) : literal.value;
    }
    return expr.kind === 'call' ? this.#call(expr, values) : undefined;
  }

  #call(expr: CallExpr, values: readonly (Value | undefined)[]): Value | undefined {
    const [first, second] = values;
    if (patternFunctions.has(expr.name) && typeof second === 'string') {
      compilePattern(second, 'matches');
    }
    if (!conversions.has(expr.name) || expr.target !== undefined || values.length !== 1 || first === undefined) {
      return undefined;
    }
    return this.checked.overloads.get(expr.id)?.candidates[0]?.call(first);
  }
}

/**
 * Converts an expression's constants and compiles its patterns once, like an API server that builds a program.
 *
 * @throws {CelError} for a constant that cannot be converted
 */
export const foldConstants = (expr: Expr, checked: Checked): void => {
  new Folding(checked).fold(expr);
};
