import type { JsonValue } from '@hawser/json';
import fc from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;

const NAMES = ['a', 'b', 'c'];
const WORDS = ['', 'a', 'ab', 'abc', '5', '2020-01-01', '1.2.3.4'];

const words = fc.constantFrom(...WORDS);
const small = fc.integer({ min: -2, max: 6 });
const fraction = fc.constantFrom(0.5, 1.5, 2.5);
const size = fc.integer({ min: 0, max: 3 });

/** Keywords of one type, each present or not. */
const maybe = (record: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Schema> =>
  fc.record(record, { requiredKeys: [] });
const nullable = fc.constant(true);

const text = maybe({
  minLength: size,
  maxLength: size,
  pattern: fc.constantFrom('^a', 'b$'),
  format: fc.constantFrom('date', 'ipv4'),
  enum: fc.uniqueArray(words, { minLength: 1, maxLength: 4 }),
  nullable,
});
const numeric = maybe({
  minimum: small,
  maximum: small,
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.constantFrom(1, 2, 4),
  nullable,
});
const conditions = maybe({
  anyOf: fc.array(maybe({ required: fc.constantFrom(['a'], ['b']), maxProperties: size }), {
    minLength: 1,
    maxLength: 2,
  }),
  not: fc.constantFrom({ required: ['a'] }, { required: ['b', 'c'] }),
  allOf: fc.array(fc.constantFrom<Schema>({ required: ['a'] }, { minProperties: 1 }), { minLength: 1, maxLength: 2 }),
});

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight: number, otherwise: T): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary }, { weight: 10 - weight, arbitrary: fc.constant(otherwise) });

function nodeOf(depth: number): fc.Arbitrary<Schema> {
  const few = <T>(
    arbitrary: fc.Arbitrary<T>,
    weight: number,
  ): { readonly weight: number; readonly arbitrary: fc.Arbitrary<T> } => ({ weight, arbitrary });
  const leaves = [
    few(
      sometimes(text, 5, {}).map((more): Schema => ({ type: 'string', ...more })),
      3,
    ),
    few(
      sometimes(numeric, 5, {}).map((more): Schema => ({ type: 'integer', ...more })),
      3,
    ),
    few(
      sometimes(numeric, 5, {}).map((more): Schema => ({ type: 'number', ...more })),
      1,
    ),
    few(fc.constant<Schema>({ type: 'boolean' }), 1),
    few(fc.constant<Schema>({ 'x-kubernetes-int-or-string': true }), 1),
    few(fc.constant<Schema>({ 'x-kubernetes-preserve-unknown-fields': true }), 1),
  ];
  if (depth === 0) return fc.oneof(...leaves);
  const child = fc.memo((level) => nodeOf(level))(depth - 1);
  const list = fc
    .record({
      items: child,
      more: maybe({ minItems: size, maxItems: size }),
      type: fc.constantFrom<Schema>({}, {}, { 'x-kubernetes-list-type': 'set' }),
    })
    .map(({ items, more, type }): Schema => ({ type: 'array', items, ...more, ...(isScalar(items) ? type : {}) }));
  const map = fc
    .record({ additionalProperties: child, more: maybe({ minProperties: size, maxProperties: size }) })
    .map(({ additionalProperties, more }): Schema => ({ type: 'object', additionalProperties, ...more }));
  return fc.oneof(...leaves, few(list, 2), few(map, 2), few(objectOf(child), 5));
}

function objectOf(child: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...NAMES), child, { maxKeys: 3 }),
      more: maybe({
        required: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 1 }),
        minProperties: size,
        maxProperties: size,
        nullable,
        'x-kubernetes-preserve-unknown-fields': fc.constant(true),
      }),
      conditions: sometimes(conditions, 2, {}),
    })
    .map(({ properties, more, conditions: found }): Schema => ({ type: 'object', properties, ...more, ...found }));
}

const isScalar = (schema: Schema): boolean =>
  ['string', 'integer', 'boolean'].includes(schema['type'] as string) && schema['nullable'] !== true;

/** A schema whose `spec` is generated. */
export const schemas: fc.Arbitrary<Schema> = objectOf(nodeOf(2)).map((spec): Schema => ({
  type: 'object',
  properties: { spec },
}));

/** The schema after some edits, most of which relax it: keywords are removed or changed, and fields added. */
export function edited(schema: Schema): fc.Arbitrary<Schema> {
  const root = (schema['properties'] as Readonly<Record<string, Schema>>)['spec'] ?? {};
  return fc
    .integer({ min: 1, max: 3 })
    .chain((times) =>
      Array.from({ length: times }).reduce<fc.Arbitrary<Schema>>((all) => all.chain(edit), fc.constant(root)),
    )
    .map((spec): Schema => ({ ...schema, properties: { spec } }));
}

const STRUCTURE = new Set([
  'type',
  'items',
  'properties',
  'additionalProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
]);

function edit(schema: Schema): fc.Arbitrary<Schema> {
  const keywords = Object.keys(schema).filter((keyword) => !STRUCTURE.has(keyword));
  const choices: fc.Arbitrary<Schema>[] = [tweak(schema)];
  if (keywords.length > 0) {
    const gone = fc
      .constantFrom(...keywords)
      .map((keyword): Schema => Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword)));
    choices.push(gone, gone, gone);
  }
  if (schema['type'] === 'integer') choices.push(fc.constant({ ...schema, type: 'number' }));
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined;
  if (properties !== undefined) {
    choices.push(
      fc
        .record({ name: fc.constantFrom(...NAMES, 'd'), child: nodeOf(1) })
        .map(({ name, child }): Schema => ({ ...schema, properties: { ...properties, [name]: child } })),
    );
    choices.push(fc.constant({ ...schema, 'x-kubernetes-preserve-unknown-fields': true }));
    for (const [name, child] of Object.entries(properties)) {
      const inside = edit(child).map((one): Schema => ({ ...schema, properties: { ...properties, [name]: one } }));
      choices.push(inside, inside);
      choices.push(
        fc.constant({
          ...schema,
          properties: Object.fromEntries(Object.entries(properties).filter(([key]) => key !== name)),
        }),
      );
    }
  }
  for (const keyword of ['items', 'additionalProperties'] as const) {
    const child = schema[keyword] as Schema | undefined;
    if (child !== undefined) choices.push(edit(child).map((one): Schema => ({ ...schema, [keyword]: one })));
  }
  return fc.oneof(...choices);
}

/** A changed or an added keyword. */
function tweak(schema: Schema): fc.Arbitrary<Schema> {
  switch (schema['type']) {
    case 'string':
      return text.map((more): Schema => ({ ...schema, ...more }));
    case 'integer':
    case 'number':
      return numeric.map((more): Schema => ({ ...schema, ...more }));
    case 'array':
      return maybe({ minItems: size, maxItems: size }).map((more): Schema => ({ ...schema, ...more }));
    case 'object':
      return maybe({ minProperties: size, maxProperties: size, nullable }).map((more): Schema => ({
        ...schema,
        ...more,
      }));
    default:
      return fc.constant(schema);
  }
}

const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  words,
  small,
  fc.boolean(),
  fc.constant(null),
  fc.array(words, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom(...NAMES), words, { maxKeys: 2 }),
);

/** Values that a schema is likely to accept. */
export function valueFor(schema: Schema): fc.Arbitrary<JsonValue> {
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(small, words);
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const free = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const own = (): fc.Arbitrary<JsonValue> => {
    switch (schema['type']) {
      case 'string':
        return fc.constantFrom(...((schema['enum'] as readonly string[] | undefined) ?? WORDS));
      case 'integer':
        return small;
      case 'number':
        return fc.oneof(small, fraction);
      case 'boolean':
        return fc.boolean();
      case 'array':
        return fc.array(valueFor(schema['items'] as Schema), { maxLength: 3 });
      case 'object': {
        const values = schema['additionalProperties'];
        if (values !== undefined)
          return fc.dictionary(fc.constantFrom(...NAMES), valueFor(values as Schema), { maxKeys: 3 });
        const known = fc.record(
          Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, valueFor(child)])),
          { requiredKeys: [] },
        );
        return free
          ? fc
              .tuple(fc.dictionary(fc.constantFrom(...NAMES, 'd'), anything, { maxKeys: 2 }), known)
              .map(([rest, fields]) => ({ ...rest, ...fields }))
          : known;
      }
      default:
        return anything;
    }
  };
  return schema['nullable'] === true
    ? fc.oneof({ weight: 5, arbitrary: own() }, { weight: 1, arbitrary: fc.constant(null) })
    : own();
}

/** Two schemas, and objects for the first. */
export const cases = schemas.chain((before) =>
  fc.record({
    before: fc.constant(before),
    after: edited(before),
    specs: fc.array(valueFor((before['properties'] as Readonly<Record<string, Schema>>)['spec'] ?? {}), {
      minLength: 4,
      maxLength: 8,
    }),
  }),
);
