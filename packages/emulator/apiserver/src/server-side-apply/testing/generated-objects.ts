import fc from 'fast-check';
import { type JsonObject, type JsonValue, stringify } from '@hawser/json';

/** Few values each: managers meet on the same fields, with the same and with other values. */
const word = fc.constantFrom('a', 'b', 'c');
const number = fc.constantFrom(1, 2, 3);
const key = fc.constantFrom('k1', 'k2', 'k3');

const mapOf = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> =>
  fc.dictionary(key, value, { maxKeys: 3 }).map((entries) => ({ ...entries }));
const setOf = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue[]> => fc.uniqueArray(value, { maxLength: 3 });
const some = (model: Record<string, fc.Arbitrary<JsonValue>>, required: string[] = []): fc.Arbitrary<JsonObject> =>
  fc.record(model, { requiredKeys: required }).map((record) => ({ ...record }));

const port = some(
  { port: fc.constantFrom(80, 443), protocol: fc.constantFrom('TCP', 'UDP'), name: word, targets: setOf(word) },
  ['port'],
);

const named = some({ name: word, labels: mapOf(word), value: word }, ['name']);

const free: fc.Arbitrary<JsonValue> = fc.oneof(
  word,
  number,
  fc.array(word, { maxLength: 2 }),
  mapOf(fc.oneof(word, number)),
);

const template = some({ metadata: some({ labels: mapOf(word), name: word }), spec: mapOf(word) }).map((rest) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  ...rest,
}));

export const spec: fc.Arbitrary<JsonObject> = some({
  replicas: number,
  title: word,
  nested: some({ a: word, b: number, deep: some({ x: word, y: word }) }),
  granularMap: mapOf(word),
  atomicMap: mapOf(word),
  atomicObject: some({ p: word, q: word }),
  set: setOf(word),
  atomicList: fc.array(some({ name: word }), { maxLength: 2 }),
  ports: fc.uniqueArray(port, {
    maxLength: 3,
    selector: ({ port, protocol }) => stringify([port ?? 0, protocol ?? 'TCP']),
  }),
  named: fc.uniqueArray(named, { maxLength: 3, selector: (item) => item['name'] }),
  free: mapOf(free),
  halfFree: fc.oneof(mapOf(free), some({ known: word, other: free })),
  anyValue: fc.oneof(word, number),
  template,
  mapOfSets: mapOf(setOf(word)),
  mapOfObjects: mapOf(some({ v: word, w: word })),
});

export const status: fc.Arbitrary<JsonObject> = some({
  phase: word,
  conditions: fc.uniqueArray(some({ type: word, status: word }, ['type']), {
    maxLength: 2,
    selector: (item) => item['type'],
  }),
});

const owner = word.map((uid) => ({ apiVersion: 'v1', kind: 'Thing', name: `owner-${uid}`, uid }));

export const metadata: fc.Arbitrary<JsonObject> = some({
  labels: mapOf(word),
  annotations: mapOf(word),
  finalizers: setOf(fc.constantFrom('example.com/a', 'example.com/b')),
  ownerReferences: fc.uniqueArray(owner, { maxLength: 2, selector: ({ uid }) => uid }),
});

export const manager = fc.constantFrom('alice', 'bob', 'kubectl');

export type Step =
  | { readonly kind: 'update'; readonly manager: string; readonly subresource?: 'status'; readonly object: JsonObject }
  | { readonly kind: 'patch'; readonly manager: string; readonly subresource?: 'status'; readonly patch: JsonObject }
  | {
      readonly kind: 'apply';
      readonly manager: string;
      readonly subresource?: 'status';
      readonly object: JsonObject;
      readonly force: boolean;
    };

/** One write of an object whose content is `content`. */
export function step(content: fc.Arbitrary<JsonObject>, statusContent?: fc.Arbitrary<JsonObject>): fc.Arbitrary<Step> {
  const main: fc.Arbitrary<Step> = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('update' as const), manager, object: content }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('patch' as const), manager, patch: content }) },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('apply' as const), manager, object: content, force: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('patch' as const),
        manager,
        patch: fc.constant<JsonObject>({ metadata: { managedFields: [{}] } }),
      }),
    },
  );
  if (statusContent === undefined) return main;
  const subresource = fc.constant('status' as const);
  return fc.oneof(
    { weight: 4, arbitrary: main },
    fc.record({ kind: fc.constant('update' as const), manager, subresource, object: statusContent }),
    fc.record({ kind: fc.constant('patch' as const), manager, subresource, patch: statusContent }),
    fc.record({
      kind: fc.constant('apply' as const),
      manager,
      subresource,
      object: statusContent,
      force: fc.boolean(),
    }),
  );
}

const data = mapOf(word.map((text) => Buffer.from(text).toString('base64')));

export const configMap: fc.Arbitrary<JsonObject> = some({
  metadata,
  data: mapOf(word),
  binaryData: mapOf(fc.constant('YQ==')).map((map) =>
    Object.fromEntries(Object.entries(map).map(([name, value]) => [`binary-${name}`, value ?? ''])),
  ),
});

export const secret: fc.Arbitrary<JsonObject> = some({ metadata, data });

const rule = fc.record({
  apiGroups: fc.constant(['']),
  resources: fc.uniqueArray(fc.constantFrom('secrets', 'configmaps'), { minLength: 1 }),
  verbs: fc.constant(['get']),
});

export const role: fc.Arbitrary<JsonObject> = some({ metadata, rules: fc.array(rule, { minLength: 1, maxLength: 2 }) });
