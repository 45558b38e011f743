import { isObject, type JsonArray, type JsonObject, type JsonValue } from '@hawser/json';
import { decodeObjectMeta } from '@hawser/schema';
import { DecodeError } from '../../object/decode-error.js';
import { isArray } from '../../object/json.js';
import { quote } from '../../status.js';
import { definitions } from './definitions.js';
import { goType, isPointer, isPointerStruct, structName } from './go-types.js';
import type { OpenApiSchema } from './openapi-schema.js';

export interface Decoded {
  readonly object: JsonObject;
  /** Paths of unknown fields: `metadata.foo`, `rules[0].bar`. They are not in `object`. */
  readonly unknownFields: readonly string[];
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/**
 * Decodes a document like Go into a struct and back: drops unknown fields, omits zeros where Go does, and refuses a
 * wrong type with Go's message ({@link DecodeError}).
 */
export function decodeTyped(definition: string, value: JsonObject, fieldPath = ''): Decoded {
  const decoder = new Decoder();
  const object = decoder.struct(definition, value, { path: fieldPath, goField: fieldPath });
  return { object, unknownFields: decoder.unknownFields };
}

/** The definition of a kind that is asked, not stored. */
export function definitionOfKind(kind: string): string | undefined {
  return ['io.k8s.api.authorization.v1.', 'io.k8s.api.authentication.v1.']
    .map((prefix) => prefix + kind)
    .find((name) => Object.hasOwn(definitions, name));
}

interface FieldPath {
  /** With indexes and keys, for unknown fields. */
  readonly path: string;
  /** Go's path in type errors: only struct fields. */
  readonly goField: string;
}

/** The struct and field that type errors name for a value. */
interface Owner {
  readonly definition: string;
  readonly property: string;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Precomputed facts about a struct. */
interface Struct {
  readonly fields: ReadonlyMap<string, Owner & { readonly schema: OpenApiSchema; readonly keepsZero: boolean }>;
  /** Fields set if the document omits them. */
  readonly defaults: readonly { readonly property: string; readonly schema: OpenApiSchema }[];
}

const structs = new Map<string, Struct>();

function structOf(definition: string): Struct {
  let struct = structs.get(definition);
  if (struct === undefined) {
    const properties = Object.entries(definitions[definition]?.properties ?? {}).map(([property, schema]) => ({
      property,
      schema,
    }));
    struct = {
      fields: new Map(
        properties.map(({ property, schema }) => [
          property,
          { definition, property, schema, keepsZero: keepsZero(definition, property, schema) },
        ]),
      ),
      defaults: properties.filter(
        ({ property, schema }) => hasDefault(definition, property, schema) && !isPointer(definition, property),
      ),
    };
    structs.set(definition, struct);
  }
  return struct;
}

class Decoder {
  readonly unknownFields: string[] = [];

  struct(definition: string, value: JsonObject, location: FieldPath): JsonObject {
    const { fields, defaults } = structOf(definition);
    const result: Record<string, JsonValue | undefined> = {};
    for (const key of Object.keys(value)) {
      const field = fields.get(key);
      const child = value[key];
      if (field === undefined) {
        this.unknownFields.push(join(location.path, key));
        continue;
      }
      if (child === undefined) continue;
      const inner = { path: join(location.path, key), goField: join(location.goField, key) };
      const decoded = this.#value(field.schema, child, inner, field);
      if (decoded !== undefined && (field.keepsZero || !isZero(decoded, field.schema))) result[key] = decoded;
    }
    for (const { property, schema } of defaults) if (result[property] === undefined) result[property] = schema.default;
    return result;
  }

  #value(schema: OpenApiSchema, value: JsonValue, location: FieldPath, owner: Owner): JsonValue | undefined {
    if (value === null) return undefined;
    if (schema.$ref !== undefined) return this.#reference(schema.$ref, value, location, owner);
    switch (schema.type ?? '') {
      case 'string':
        if (typeof value !== 'string') throw mismatch(schema, value, location, owner);
        if (schema.format === 'byte') checkBase64(value);
        return value.toWellFormed();
      case 'boolean':
        if (typeof value !== 'boolean') throw mismatch(schema, value, location, owner);
        return value;
      case 'integer':
        return integer(schema, value, location, owner);
      case 'number':
        if (typeof value !== 'number' && typeof value !== 'bigint') throw mismatch(schema, value, location, owner);
        return value;
      case 'array':
        if (!isArray(value)) throw mismatch(schema, value, location, owner);
        return this.#list(schema.items ?? {}, value, location, owner);
      case 'object':
        if (!isObject(value)) throw mismatch(schema, value, location, owner);
        return typeof schema.additionalProperties === 'object'
          ? this.#map(schema.additionalProperties, value, location, owner)
          : value;
      default:
        return value;
    }
  }

  #list(items: OpenApiSchema, value: JsonArray, location: FieldPath, owner: Owner): JsonArray {
    return value.map((child, index) => {
      const inner = { ...location, path: `${location.path}[${index}]` };
      return this.#value(items, child, inner, owner) ?? zeroOf(items);
    });
  }

  #map(values: OpenApiSchema, value: JsonObject, location: FieldPath, owner: Owner): JsonObject {
    const entries: [string, JsonValue][] = [];
    for (const [key, child] of Object.entries(value)) {
      if (child === undefined) continue;
      const inner = { ...location, path: join(location.path, key) };
      entries.push([key, this.#value(values, child, inner, owner) ?? zeroOf(values)]);
    }
    return Object.fromEntries(entries);
  }

  #reference(name: string, value: JsonValue, location: FieldPath, owner: Owner): JsonValue | undefined {
    switch (name) {
      case `${META}Time`:
        return time(value);
      case `${META}MicroTime`:
        return microTime(value);
      case `${META}FieldsV1`:
      case `${CRD}JSON`:
        return value;
      case `${CRD}JSONSchemaPropsOrArray`:
        if (!isArray(value)) return this.#reference(`${CRD}JSONSchemaProps`, value, location, owner);
        return this.#list({ $ref: `${CRD}JSONSchemaProps` }, value, location, owner);
      case `${CRD}JSONSchemaPropsOrBool`:
        return typeof value === 'boolean' ? value : this.#reference(`${CRD}JSONSchemaProps`, value, location, owner);
      case `${CRD}JSONSchemaPropsOrStringArray`:
        return isArray(value) ? value : this.#reference(`${CRD}JSONSchemaProps`, value, location, owner);
      default:
        if (!isObject(value)) throw mismatch({ $ref: name }, value, location, owner);
        return this.struct(name, value, location);
    }
  }
}

function isZero(value: JsonValue, schema: OpenApiSchema): boolean {
  if (schema.$ref !== undefined || schema.type === undefined) return false;
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    (isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}

/** A zero default of an optional field equals Go's zero value. */
function hasDefault(definition: string, key: string, schema: OpenApiSchema): boolean {
  return (
    schema.default !== undefined &&
    (definitions[definition]?.required?.includes(key) === true || !isZero(schema.default, schema))
  );
}

/** Whether a written zero is kept: for pointers, and for fields without `omitempty`. */
function keepsZero(definition: string, key: string, schema: OpenApiSchema): boolean {
  if (isPointer(definition, key) || isPointerStruct(definition, key) || hasDefault(definition, key, schema))
    return true;
  return definitions[definition]?.required?.includes(key) === true;
}

function zeroOf(schema: OpenApiSchema): JsonValue {
  switch (schema.type ?? '') {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return null;
    default:
      return schema.$ref === undefined ? null : {};
  }
}

function integer(schema: OpenApiSchema, value: JsonValue, location: FieldPath, owner: Owner): JsonValue {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw mismatch(schema, value, location, owner);
  const bits = schema.format === 'int32' ? 31n : 63n;
  if (!Number.isInteger(Number(value)) || BigInt(value) >= 1n << bits || BigInt(value) < -(1n << bits)) {
    throw mismatch(schema, value, location, owner, `number ${value}`);
  }
  return value;
}

function mismatch(
  schema: OpenApiSchema,
  value: JsonValue,
  location: FieldPath,
  { definition, property }: Owner,
  what = kindOf(value),
): DecodeError {
  const type = goType(schema, definition, property);
  return new DecodeError(
    `json: cannot unmarshal ${what} into Go struct field ${structName(definition)}.${location.goField} of type ${type}`,
  );
}

function kindOf(value: JsonValue): string {
  if (isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

function checkBase64(text: string): void {
  const clean = text.replaceAll(/[\r\n]/gu, '');
  const bad = /[^A-Za-z0-9+/=]/u.exec(clean);
  const padding = clean.indexOf('=');
  const bodyLength = padding < 0 ? clean.length : padding;
  if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
  if (clean.length % 4 !== 0)
    throw new DecodeError(`illegal base64 data at input byte ${clean.length - (clean.length % 4)}`);
  if (padding >= 0 && clean.length - bodyLength > 2)
    throw new DecodeError(`illegal base64 data at input byte ${bodyLength}`);
}

/** A time as Go rewrites it: UTC, to the second. Same rules as the times of metadata. */
function time(value: JsonValue): JsonValue {
  const decoded = decodeObjectMeta({ creationTimestamp: value });
  if (decoded.ok) return decoded.metadata['creationTimestamp'] ?? null;
  throw new DecodeError(decoded.error.replace('Go struct field ObjectMeta.creationTimestamp', 'Go value'));
}

const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const MICRO = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{6})?(.*)$/su;

/** Exactly six digits after the point. */
function microTime(value: JsonValue): JsonValue {
  if (typeof value !== 'string')
    throw new DecodeError(`json: cannot unmarshal ${kindOf(value)} into Go value of type string`);
  const refuse = (rest: string, part: string): DecodeError =>
    new DecodeError(
      `parsing time ${quote(value)} as ${quote(MICRO_LAYOUT)}: cannot parse ${quote(rest)} as ${quote(part)}`,
    );
  const [, seconds, fraction, zone = ''] = MICRO.exec(value) ?? [];
  if (seconds === undefined) throw refuse(value, '2006');
  if (fraction === undefined) throw refuse(zone, '.000000');
  if (!/^(?:Z|[+-]\d{2}:\d{2})$/u.test(zone)) throw refuse(zone, 'Z07:00');
  const whole = time(`${seconds}${zone}`);
  return typeof whole === 'string' ? `${whole.slice(0, -1)}${fraction}Z` : whole;
}
