import fc from 'fast-check';
import type { JsonObject, JsonValue } from '@hawser/json';
import { dig, textOf } from '../answer.js';

export type Arbitrary<T> = fc.Arbitrary<T>;

const small = fc.constantFrom(1, 2, 3);
const word = fc.constantFrom('aa', 'bb', 'cc');

/** An object with up to five of the fields. */
function some(fields: Readonly<Record<string, Arbitrary<JsonValue>>>): Arbitrary<JsonObject> {
  const all = fc.record(fields);
  return fc
    .tuple(all, fc.subarray(Object.keys(fields), { maxLength: Math.min(5, Object.keys(fields).length) }))
    .map(([values, keys]) => Object.fromEntries(keys.map((key) => [key, values[key] ?? null])));
}

/** Mostly `good`, sometimes an invalid value. */
function mostly(good: Arbitrary<JsonValue>, ...bad: readonly JsonValue[]): Arbitrary<JsonValue> {
  return fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) });
}

const port: Arbitrary<JsonValue> = fc
  .record(
    { port: fc.constantFrom(80, 443), protocol: fc.constantFrom('TCP', 'UDP'), name: word },
    { requiredKeys: ['port'] },
  )
  .map((value) => ({ ...value }));

const free: Arbitrary<JsonValue> = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    small,
    word,
    fc.constant(null),
    fc.boolean(),
    fc.array(tie('node'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y', '__proto__', 'a/b'), tie('node'), { maxKeys: 2 }),
  ),
})).node;

const freeObject: Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom('x', 'y', 'constructor'), free, { maxKeys: 2 });

const widgetFields: Readonly<Record<string, Arbitrary<JsonValue>>> = {
  mode: mostly(fc.constantFrom('Fast', 'Slow'), 'Other', null),
  size: mostly(small, 500, 'five', 1.5),
  replicas: small,
  title: mostly(word, 'a'),
  big: fc.constantFrom(9_223_372_036_854_775_807n, 9_007_199_254_740_993n, 1),
  tags: mostly(fc.uniqueArray(word, { maxLength: 3 }), ['aa', 'aa']),
  steps: mostly(fc.array(small, { minLength: 1, maxLength: 3 }), []),
  ports: fc.uniqueArray(port, {
    maxLength: 3,
    selector: (one) => `${textOf(dig(one, ['port']))}/${textOf(dig(one, ['protocol']) ?? 'TCP')}`,
  }),
  limits: mostly(fc.dictionary(fc.constantFrom('x', 'y', 'z'), small, { minKeys: 1, maxKeys: 3 }), {}, { x: 0 }),
  strict: mostly(
    fc.record({ name: word, count: small }).map((value) => ({ ...value })),
    { name: 'aa' },
  ),
  atomic: some({ a: word, b: word }),
  quantity: fc.constantFrom<JsonValue>(5, '5', '50%'),
  free: freeObject,
  fallback: fc.constantFrom(null, 'aa'),
  maybe: fc.constantFrom(null, 'aa'),
  nested: some({ level: small, inner: some({ color: word }) }),
  range: mostly(fc.constant({ min: 1, max: 2 }), { min: 2, max: 1 }),
  fixed: word,
  rising: small,
};

const widgetSpec = fc.oneof(
  { weight: 25, arbitrary: some(widgetFields) },
  { weight: 1, arbitrary: some({ ...widgetFields, unknown: small }) },
);

const widgetStatus = some({
  phase: word,
  replicas: mostly(small, 'many'),
  conditions: fc.uniqueArray(
    fc
      .record(
        { type: fc.constantFrom('A', 'B'), status: fc.constantFrom('True', 'False'), reason: word },
        { requiredKeys: ['type', 'status'] },
      )
      .map((value) => ({ ...value })),
    { maxLength: 2, selector: ({ type }) => type },
  ),
});

const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), mostly(word, '', 5), { maxKeys: 3 });
const bytes = fc.dictionary(fc.constantFrom('a', 'b'), mostly(fc.constantFrom('YQ==', 'Yg==', ''), '***'), {
  maxKeys: 2,
});

/** Content of a kind's objects besides metadata. */
export const contents: Readonly<
  Record<'widgets' | 'gears' | 'loose' | 'configmaps' | 'secrets' | 'leases', Arbitrary<JsonObject>>
> = {
  widgets: fc
    .record({ spec: widgetSpec, status: widgetStatus }, { requiredKeys: ['spec'] })
    .map((value) => ({ ...value })),
  gears: some({ spec: some({ teeth: mostly(small, 'many'), color: mostly(word, 5) }), status: freeObject }),
  loose: some({ spec: freeObject, other: free }),
  configmaps: some({
    data: texts,
    binaryData: fc.dictionary(fc.constantFrom('d', 'e'), fc.constantFrom('YQ==', 'Yg=='), { maxKeys: 2 }),
    immutable: mostly(fc.constant(false), true),
  }),
  secrets: some({
    data: bytes,
    stringData: fc.dictionary(fc.constantFrom('a', 'c'), word, { maxKeys: 2 }),
    type: mostly(fc.constant('Opaque'), 'example.com/mine'),
  }),
  leases: some({
    spec: some({ holderIdentity: mostly(word, ''), leaseDurationSeconds: mostly(small, 0), leaseTransitions: small }),
  }),
};

export const statuses: Arbitrary<JsonObject> = widgetStatus;

/** Further fields of metadata. */
export const metas: Arbitrary<JsonObject> = some({
  labels: fc.dictionary(fc.constantFrom('l', 'm'), mostly(word, 'not good!'), { maxKeys: 2 }),
  annotations: fc.dictionary(fc.constantFrom('n', 'o'), word, { maxKeys: 2 }),
  finalizers: fc.constantFrom<JsonValue>([], [], ['example.com/a'], ['example.com/a', 'example.com/b']),
});
