import type { ParameterType, ParameterTypes } from '../template-function.js';
import { float64, int, int64, numberView } from '../values/go-number.js';
import type { GoValue } from '../values/go-value.js';
import { isNil, typeName } from '../values/types.js';

/** What a function body gets for an argument of the right type. */
type Unwrapped = ParameterTypes[ParameterType];

const nullable: ReadonlySet<ParameterType> = new Set(['any', '[]interface {}', '[]string', 'map[string]interface {}']);

/** Whether an argument may be nil. */
export function canBeNil(type: ParameterType): boolean {
  return nullable.has(type);
}

/**
 * A value as an argument of a type, by Go's rules: no conversion between number types, and a missing value only where
 * nil is allowed. Throws an `Error` with the problem.
 */
export function assign(value: GoValue, type: ParameterType): Unwrapped {
  if (type === 'any') return value;
  if (value === undefined) {
    if (!canBeNil(type)) throw new Error(`invalid value; expected ${type}`);
    return type === 'map[string]interface {}' ? undefined : [];
  }
  if (value === null || typeName(value) !== type) {
    throw new Error(`wrong type for value; expected ${type}; got ${value === null ? 'interface {}' : typeName(value)}`);
  }
  return unwrap(value, type);
}

/** {@link assign} with conversion between integer types, as in `call`. */
export function assignConverting(value: GoValue, type: ParameterType): Unwrapped {
  if (isNil(value)) {
    if (!canBeNil(type)) throw new Error(`value is nil; should be of type ${type}`);
    return type === '[]interface {}' || type === '[]string' ? [] : undefined;
  }
  if (type === 'any') return value;
  const number = numberView(value);
  if ((type === 'int' || type === 'int64') && number !== undefined && number.kind !== 'float')
    return unwrap(int64(number.value), type);
  if (typeName(value) !== type) throw new Error(`value has type ${typeName(value)}; should be ${type}`);
  return unwrap(value, type);
}

function unwrap(value: GoValue, type: ParameterType): Unwrapped {
  const number = numberView(value);
  if (number === undefined) return value;
  return type === 'int' || type === 'float64' ? Number(number.value) : number.value;
}

/** A number literal of a template. */
export function constant(literal: {
  readonly text: string;
  readonly integer: bigint | undefined;
  readonly float: number | undefined;
}): GoValue {
  const { text, integer, float } = literal;
  const hex = /^[+-]?0[xX]/u.test(text) && !/[pP]/u.test(text);
  if (float !== undefined && !hex && !text.startsWith("'") && /[.eEpP]/u.test(text)) return float64(float);
  if (integer === undefined) throw new Error(`${text} overflows int`);
  return int(integer);
}

/** A number literal as an argument of a number type. `undefined`: it is not of that type. */
export function numberArgument(
  { integer, float }: { readonly integer: bigint | undefined; readonly float: number | undefined },
  type: ParameterType,
): GoValue {
  if (type === 'float64') return float;
  if (integer === undefined) return undefined;
  if (type === 'int') return Number(integer);
  if (type === 'int64' || type === 'time.Duration') return integer;
  return type === 'uint32' && integer >= 0n ? Number(BigInt.asUintN(32, integer)) : undefined;
}

const expectations: Partial<Record<ParameterType, string>> = {
  int: 'integer',
  int64: 'integer',
  'time.Duration': 'integer',
  uint32: 'unsigned integer',
  float64: 'float',
};

/** Name of a literal's type in messages. */
export function expectation(type: ParameterType): string {
  return expectations[type] ?? type;
}
