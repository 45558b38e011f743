import type { JsonSchemaProps } from './json-schema-props.js';
import { goFloat } from './go-text.js';
import { isInt64, isNearlyInteger, shortest, toInt64 } from './number-kind.js';
import type { Walk } from './walk.js';

/** Bounds and factors of numbers, in kube-openapi's arithmetic: whole numbers as `int64`, all others as `float64`. */
export class NumberCheck {
  readonly #minimum: number | undefined;
  readonly #maximum: number | undefined;
  readonly #multipleOf: number | undefined;
  readonly #exclusiveMinimum: boolean;
  readonly #exclusiveMaximum: boolean;
  /** Required number type. `undefined`: any number is valid. */
  readonly #range: NumberRange | undefined;

  constructor(schema: JsonSchemaProps) {
    this.#minimum = asFloat(schema.minimum);
    this.#maximum = asFloat(schema.maximum);
    this.#multipleOf = schema.multipleOf;
    this.#exclusiveMinimum = schema.exclusiveMinimum ?? false;
    this.#exclusiveMaximum = schema.exclusiveMaximum ?? false;
    this.#range = schema['x-kubernetes-int-or-string'] === true ? undefined : rangeOf(schema);
  }

  validate(value: number | bigint, walk: Walk): void {
    this.#checkRange(value, 'Checked', walk);
    if (this.#multipleOf !== undefined) this.#checkMultiple(value, this.#multipleOf, walk);
    if (this.#minimum !== undefined) this.#checkMinimum(value, this.#minimum, walk);
    if (this.#maximum !== undefined) this.#checkMaximum(value, this.#maximum, walk);
    walk.findings.matches++;
  }

  /** Whether the field's type can hold a value or bound. */
  #checkRange(value: number | bigint, what: string, walk: Walk): boolean {
    if (this.#range === undefined || fits(value, this.#range)) return true;
    walk.add({
      kind: 'composite',
      message: `${what} value must be of type ${DESCRIPTIONS[this.#range]} in ${walk.path}`,
    });
    return false;
  }

  #checkMaximum(value: number | bigint, maximum: number, walk: Walk): void {
    const exact = this.#checkRange(maximum, 'Maximum boundary', walk) && isInt64(value);
    const [left, right] = exact ? [BigInt(value), toInt64(maximum)] : [Number(value), maximum];
    if (this.#exclusiveMaximum ? left < right : left <= right) return;
    addBound(walk, value, exact, `${this.#exclusiveMaximum ? 'less than' : 'less than or equal to'} ${written(right)}`);
  }

  #checkMinimum(value: number | bigint, minimum: number, walk: Walk): void {
    const exact = this.#checkRange(minimum, 'Minimum boundary', walk) && isInt64(value);
    const [left, right] = exact ? [BigInt(value), toInt64(minimum)] : [Number(value), minimum];
    if (this.#exclusiveMinimum ? left > right : left >= right) return;
    addBound(
      walk,
      value,
      exact,
      `${this.#exclusiveMinimum ? 'greater than' : 'greater than or equal to'} ${written(right)}`,
    );
  }

  #checkMultiple(value: number | bigint, multipleOf: number, walk: Walk): void {
    const exact = this.#checkRange(multipleOf, 'MultipleOf', walk) && isInt64(value);
    const factor = exact ? toInt64(multipleOf) : multipleOf;
    if (factor <= 0) {
      const name = walk.path;
      const shown = typeof factor === 'bigint' ? shortest(factor) : factor;
      walk.add({
        kind: 'invalid',
        name,
        value: shown,
        message: `factor MultipleOf declared for ${name} must be positive: ${written(factor)}`,
      });
    } else if (!isMultiple(value, factor)) addBound(walk, value, exact, `a multiple of ${written(factor)}`);
  }
}

type NumberRange = 'integer' | 'int32' | 'int64' | 'float';

const DESCRIPTIONS: Readonly<Record<NumberRange, string>> = {
  integer: 'integer (default format)',
  int32: 'integer with format int32',
  int64: 'integer with format int64',
  float: 'number with format float',
};

function rangeOf({ type, format }: JsonSchemaProps): NumberRange | undefined {
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : 'integer';
  return type === 'number' && format === 'float' ? 'float' : undefined;
}

function fits(value: number | bigint, range: NumberRange): boolean {
  // From here on, `float32` rounds to infinity: halfway between its largest number and the next one.
  if (range === 'float') return Math.abs(Number(value)) < 3.4028235677973366e38;
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  const whole = BigInt(value);
  return range === 'int32' ? whole >= -(2n ** 31n) && whole < 2n ** 31n : isInt64(whole);
}

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof factor === 'bigint') return BigInt(value) % factor === 0n;
  return isNearlyInteger(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
}

function addBound(walk: Walk, value: number | bigint, exact: boolean, bound: string): void {
  const name = walk.path;
  // A value compared as a float is shown as one.
  walk.add({
    kind: 'invalid',
    name,
    value,
    ...(exact ? {} : { shown: goFloat(Number(value)) }),
    message: `${name} in body should be ${bound}`,
  });
}

const written = (bound: number | bigint): string => (typeof bound === 'bigint' ? bound.toString() : goFloat(bound));

const asFloat = (value: number | bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
