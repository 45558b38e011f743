import { equal, isFields } from '@hawser/json';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * Whether two CRD specs are equal for an API server. Ignores what it fills in (singular, listKind, conversion `None`),
 * and what it omits (`false`, empty strings and empty lists where absence means the same).
 */
export function sameCrdSpec(a: unknown, b: unknown): boolean {
  return equal(normalSpec(a), normalSpec(b));
}

function normalSpec(value: unknown): Fields {
  const spec = fieldsOf(value);
  return withoutEmpty({
    ...spec,
    preserveUnknownFields: spec['preserveUnknownFields'] === true ? true : undefined,
    names: normalNames(spec['names']),
    conversion: normalConversion(spec['conversion']),
    versions: listOf(spec['versions']).map(normalVersion),
  });
}

function normalNames(value: unknown): Fields {
  const names = fieldsOf(value);
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  const or = (given: unknown, otherwise: string): unknown => (given === undefined || given === '' ? otherwise : given);
  return withoutEmpty({
    ...names,
    singular: or(names['singular'], kind.toLowerCase()),
    listKind: or(names['listKind'], `${kind}List`),
  });
}

function normalConversion(value: unknown): Fields {
  if (!isFields(value)) return { strategy: 'None' };
  const webhook = value['webhook'];
  if (!isFields(webhook)) return withoutEmpty(value);
  return withoutEmpty({
    ...value,
    webhook: withoutEmpty({ ...webhook, clientConfig: withoutEmpty(fieldsOf(webhook['clientConfig'])) }),
  });
}

function normalVersion(value: unknown): Fields {
  const version = fieldsOf(value);
  const schema = fieldsOf(version['schema'])['openAPIV3Schema'];
  return withoutEmpty({
    ...version,
    deprecated: version['deprecated'] === true ? true : undefined,
    // The konnector always sets it, possibly empty (spec/kube-bind-api.md §8.2); empty means absent.
    subresources: normalSubresources(version['subresources']),
    additionalPrinterColumns: listOf(version['additionalPrinterColumns']).map(normalColumn),
    schema: schema === undefined ? undefined : normalSchema(schema),
  });
}

function normalSubresources(value: unknown): Fields | undefined {
  const subresources = fieldsOf(value);
  const { scale } = subresources;
  const normal = { ...subresources, ...(isFields(scale) ? { scale: withoutEmpty(scale) } : {}) };
  return Object.keys(normal).length === 0 ? undefined : normal;
}

function normalColumn(value: unknown): Fields {
  const column = fieldsOf(value);
  return withoutEmpty({ ...column, priority: column['priority'] === 0 ? undefined : column['priority'] });
}

const falseIsAbsent = new Set([
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
  'nullable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);
const doubles = new Set(['maximum', 'minimum', 'multipleOf']);
const mapsOfSchemas = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
const listsOfSchemas = new Set(['allOf', 'oneOf', 'anyOf']);
const schemas = new Set(['not', 'items', 'additionalProperties', 'additionalItems']);

/** A schema without empty values. Properties may be named like keywords, so each level tracks what it holds. */
function normalSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalSchema);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]): [string, unknown] => [key, normalKeyword(key, field)])
      .filter(([, field]) => field !== absent),
  );
}

const absent = Symbol('absent');

function normalKeyword(key: string, field: unknown): unknown {
  if (key === 'default' || key === 'example') return field;
  if (schemas.has(key)) return normalSchema(field);
  if (falseIsAbsent.has(key) && field === false) return absent;
  // The API server keeps these as doubles, even if the schema has more digits.
  if (doubles.has(key) && typeof field === 'bigint') return Number(field);
  if (isEmpty(field)) return absent;
  // User values: an empty one has a meaning.
  if (key === 'enum') return field;
  if (listsOfSchemas.has(key)) return listOf(field).map(normalSchema);
  if (key === 'x-kubernetes-validations') return listOf(field).map((rule) => withoutEmpty(fieldsOf(rule)));
  if (mapsOfSchemas.has(key)) {
    const entries = Object.entries(fieldsOf(field));
    return entries.length === 0
      ? absent
      : Object.fromEntries(entries.map(([name, schema]) => [name, normalSchema(schema)]));
  }
  return field;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}
