import { equal, type JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import { isJsonArray, isJsonObject } from '../rules/json.js';
import { CelError } from '../values/error.js';
import type { OpaqueValue, Value } from '../values/value.js';
import { convertString } from './convert-string.js';
import { SchemaList } from './schema-list.js';
import { SchemaMap } from './schema-map.js';

const isInteger = (value: JsonValue): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value);

const goType = (value: JsonValue): string => {
  if (typeof value === 'string') {
    return 'string';
  }
  if (typeof value === 'boolean') {
    return 'bool';
  }
  if (isInteger(value)) {
    return 'int64';
  }
  if (typeof value === 'number') {
    return 'float64';
  }
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
};

/** Data without a schema: expressions can only compare it. */
class UnknownPreserved implements OpaqueValue {
  readonly typeName = 'unknown';

  constructor(readonly json: JsonValue) {}

  equals(other: Value): boolean {
    return other instanceof UnknownPreserved && equal(this.json, other.json);
  }
}

const invalid = (wanted: string): CelError => new CelError(`invalid data, expected ${wanted}`);

const convertArray = (value: JsonValue, schema: JsonSchemaProps): Value => {
  if (!isJsonArray(value)) {
    throw invalid('an array for the provided schema with type=array');
  }
  if (schema.items === undefined) {
    throw new CelError('invalid array type, expected Items with a non-empty Schema');
  }
  return new SchemaList(
    value.map((raw) => ({ raw })),
    schema,
    schema.items,
    convert,
  );
};

const convertObject = (value: JsonValue, schema: JsonSchemaProps): Value => {
  if (!isJsonObject(value)) {
    throw invalid('a map for the provided schema with type=object');
  }
  return new SchemaMap(value, schema, convert);
};

const convertNumber = (value: JsonValue): number => {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Number(value);
  }
  throw invalid(`float, got ${goType(value)}`);
};

const convertInteger = (value: JsonValue): bigint => {
  if (isInteger(value)) {
    return BigInt(value);
  }
  throw invalid(`int, got ${goType(value)}`);
};

const convertBoolean = (value: JsonValue): boolean => {
  if (typeof value === 'boolean') {
    return value;
  }
  throw invalid(`bool, got ${goType(value)}`);
};

const convertText = (value: JsonValue, schema: JsonSchemaProps): Value => {
  if (typeof value === 'string') {
    return convertString(value, schema.format);
  }
  throw invalid(`string, got ${goType(value)}`);
};

const convertIntOrString = (value: JsonValue): Value => {
  if (typeof value === 'string') {
    return value;
  }
  if (isInteger(value)) {
    return BigInt(value);
  }
  throw invalid('XIntOrString value to be either a string or integer');
};

const untyped = (value: JsonValue, schema: JsonSchemaProps): Value => {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    return new UnknownPreserved(value);
  }
  throw new CelError(
    `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
  );
};

const byType: ReadonlyMap<string | undefined, (value: JsonValue, schema: JsonSchemaProps) => Value> = new Map([
  ['object', convertObject],
  ['array', convertArray],
  ['string', convertText],
  ['number', convertNumber],
  ['integer', convertInteger],
  ['boolean', convertBoolean],
]);

/**
 * A JSON value as expressions see it under a schema (`apiserver/pkg/cel/common/valuesunstructured.go`). Lists and
 * objects convert their content on demand.
 *
 * @throws {CelError} if the value does not match the schema
 */
export function convert(value: JsonValue, schema: JsonSchemaProps): Value {
  if (value === null) {
    if (schema.nullable === true) {
      return null;
    }
    throw new CelError('invalid data, got null for schema with nullable=false');
  }
  return schema['x-kubernetes-int-or-string'] === true
    ? convertIntOrString(value)
    : (byType.get(schema.type) ?? untyped)(value, schema);
}
