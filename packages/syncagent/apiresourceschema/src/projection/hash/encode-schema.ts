import { isRecord } from '@hawser/crd';
import { canonical, goArray, goString, goStruct } from '@hawser/json';

// Encodes a JSON schema as Go encodes JSONSchemaProps of apiextensions.k8s.io/v1 (spec/api-syncagent.md §9.5).

type Encoder = (value: unknown) => string | undefined;

const text: Encoder = (value) => (typeof value === 'string' && value !== '' ? goString(value) : undefined);
/** A pointer to a string: keeps an empty one. */
const textPointer: Encoder = (value) => (typeof value === 'string' ? goString(value) : undefined);
const flag: Encoder = (value) => (value === true ? 'true' : undefined);
/** A pointer to a boolean: keeps false. */
const flagPointer: Encoder = (value) => (typeof value === 'boolean' ? String(value) : undefined);
const integerPointer: Encoder = (value) =>
  typeof value === 'number' || typeof value === 'bigint' ? canonical(value) : undefined;
/** A pointer to a float64: an integer becomes a double. */
const floatPointer: Encoder = (value) =>
  typeof value === 'number' || typeof value === 'bigint' ? canonical(Number(value)) : undefined;
/**
 * A raw value, which the server stores unchanged. The server itself has written it with sorted keys and Go's numbers.
 */
const raw: Encoder = (value) => (value === undefined || value === null ? undefined : canonical(value));
const list =
  (encode: (item: unknown) => string): Encoder =>
  (value) =>
    Array.isArray(value) && value.length > 0 ? goArray(value as unknown[], encode) : undefined;
/** API servers store only strings there; other values are encoded anyway. */
const strings = list((item) => (typeof item === 'string' ? goString(item) : canonical(item)));

const map =
  (encode: (value: unknown) => string): Encoder =>
  (value) => {
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => ({ name, encoded: encode(field) }));
    if (entries.length === 0) return undefined;
    entries.sort((a, b) => Buffer.compare(Buffer.from(a.name, 'utf8'), Buffer.from(b.name, 'utf8')));
    return `{${entries.map(({ name, encoded }) => `${goString(name)}:${encoded}`).join(',')}}`;
  };

const schema = (value: unknown): string => encodeSchema(value);
const schemaOrNothing: Encoder = (value) => (isRecord(value) ? encodeSchema(value) : undefined);
const schemaOrFlag: Encoder = (value) => (typeof value === 'boolean' ? String(value) : schemaOrNothing(value));
const schemaOrList: Encoder = (value) =>
  Array.isArray(value) ? (list(schema)(value) ?? 'null') : schemaOrNothing(value);
const schemaOrStrings = (value: unknown): string =>
  Array.isArray(value) ? (strings(value) ?? 'null') : encodeSchema(value);

const struct =
  (fields: readonly (readonly [name: string, encode: Encoder])[]): Encoder =>
  (value) =>
    isRecord(value)
      ? goStruct(fields.map(([name, encode]) => [name, Object.hasOwn(value, name) ? encode(value[name]) : undefined]))
      : undefined;

/** A mandatory field of a list's item. */
const required: Encoder = (value) => goString(typeof value === 'string' ? value : '');

const validation = struct([
  ['rule', required],
  ['message', text],
  ['messageExpression', text],
  ['reason', textPointer],
  ['fieldPath', text],
  ['optionalOldSelf', flagPointer],
]);

const encodeFields: Encoder = struct([
  ['id', text],
  ['$schema', text],
  ['$ref', textPointer],
  ['description', text],
  ['type', text],
  ['format', text],
  ['title', text],
  ['default', raw],
  ['maximum', floatPointer],
  ['exclusiveMaximum', flag],
  ['minimum', floatPointer],
  ['exclusiveMinimum', flag],
  ['maxLength', integerPointer],
  ['minLength', integerPointer],
  ['pattern', text],
  ['maxItems', integerPointer],
  ['minItems', integerPointer],
  ['uniqueItems', flag],
  ['multipleOf', floatPointer],
  ['enum', list((item) => canonical(item))],
  ['maxProperties', integerPointer],
  ['minProperties', integerPointer],
  ['required', strings],
  ['items', schemaOrList],
  ['allOf', list(schema)],
  ['oneOf', list(schema)],
  ['anyOf', list(schema)],
  ['not', schemaOrNothing],
  ['properties', map(schema)],
  ['additionalProperties', schemaOrFlag],
  ['patternProperties', map(schema)],
  ['dependencies', map(schemaOrStrings)],
  ['additionalItems', schemaOrFlag],
  ['definitions', map(schema)],
  [
    'externalDocs',
    struct([
      ['description', text],
      ['url', text],
    ]),
  ],
  ['example', raw],
  ['nullable', flag],
  ['x-kubernetes-preserve-unknown-fields', flagPointer],
  ['x-kubernetes-embedded-resource', flag],
  ['x-kubernetes-int-or-string', flag],
  ['x-kubernetes-list-map-keys', strings],
  ['x-kubernetes-list-type', textPointer],
  ['x-kubernetes-map-type', textPointer],
  ['x-kubernetes-validations', list((item) => validation(item) ?? '{"rule":""}')],
]);

/** Encodes one node of a schema. Omits fields that the Go type does not have. */
export function encodeSchema(node: unknown): string {
  return encodeFields(node) ?? '{}';
}
