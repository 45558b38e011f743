import { toDuration, toTimestamp } from '../library/conversion.js';
import { compilePattern } from '../library/pattern.js';
import { childrenOf, type Expr, type ListExpr, type Literal, type MapExpr } from '../syntax/ast.js';
import type { Issue } from '../syntax/issue.js';
import { CelError } from '../values/error.js';
import type { Value } from '../values/value.js';
import type { Checked } from './checker.js';
import { formatType, sameType, type Type, types } from './type.js';

const valueOf = (literal: Literal): Value =>
  literal.type === 'null' || literal.type === 'uint' ? null : literal.value;

const conversions: Readonly<Record<string, (value: Value) => unknown>> = {
  duration: toDuration,
  timestamp: toTimestamp,
  matches: (value) => (typeof value === 'string' ? compilePattern(value, 'matches') : undefined),
};

const isConvertible = (convert: (value: Value) => unknown, value: Value): boolean => {
  try {
    convert(value);
    return true;
  } catch (error) {
    if (error instanceof CelError) {
      return false;
    }
    throw error;
  }
};

/** The argument that must be valid if it is a literal: the first one, not counting a receiver. */
const literalIssues = (expr: Expr): readonly Issue[] => {
  if (expr.kind !== 'call') {
    return [];
  }
  const [argument] = expr.args;
  const convert = conversions[expr.name];
  if (argument?.kind !== 'literal' || convert === undefined || isConvertible(convert, valueOf(argument.literal))) {
    return [];
  }
  return [{ offset: argument.offset, message: `invalid ${expr.name} argument` }];
};

class Aggregates {
  constructor(private readonly checked: Checked) {}

  issues(expr: Expr): readonly Issue[] {
    if (expr.kind === 'list') {
      return this.#list(expr);
    }
    return expr.kind === 'map' ? this.#map(expr) : [];
  }

  #typeOf(expr: Expr, optional: boolean): Type {
    const type = this.checked.types.get(expr.id) ?? types.error;
    return optional && type.kind === 'optional' ? type.of : type;
  }

  #mismatch(at: Expr, expected: Type, actual: Type): readonly Issue[] {
    const message = `expected type '${formatType(expected)}' but found '${formatType(actual)}'`;
    return sameType(expected, actual) ? [] : [{ offset: at.offset, message }];
  }

  /** The first element whose type differs from the first one's. */
  #list({ elements }: ListExpr): readonly Issue[] {
    const [first, ...others] = elements.map(({ value, optional }) => ({ value, type: this.#typeOf(value, optional) }));
    return first === undefined
      ? []
      : others.flatMap(({ value, type }) => this.#mismatch(value, first.type, type)).slice(0, 1);
  }

  #map({ entries }: MapExpr): readonly Issue[] {
    const [first, ...others] = entries.map(({ key, value, optional }) => ({
      key: { expr: key, type: this.#typeOf(key, false) },
      value: { expr: value, type: this.#typeOf(value, optional) },
    }));
    return others.flatMap(({ key, value }) =>
      first === undefined
        ? []
        : [
            ...this.#mismatch(key.expr, first.key.type, key.type),
            ...this.#mismatch(value.expr, first.value.type, value.type),
          ],
    );
  }
}

const visit = (expr: Expr, aggregates: Aggregates, inFormat: boolean): readonly Issue[] => {
  const exempt = inFormat || (expr.kind === 'call' && expr.name === 'format');
  const own = [...literalIssues(expr), ...(inFormat ? [] : aggregates.issues(expr))];
  return [...own, ...childrenOf(expr).flatMap((child) => visit(child, aggregates, exempt))];
};

/**
 * Problems of a well-typed expression: invalid literal durations, timestamps and patterns, and list or map literals
 * with mixed types (allowed within the arguments of `format`).
 *
 * @param mixed - lists and maps may have values of different types
 */
export const validateLiterals = (expr: Expr, checked: Checked, mixed: boolean): readonly Issue[] =>
  visit(expr, new Aggregates(checked), mixed);
