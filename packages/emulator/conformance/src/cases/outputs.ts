import type { JsonValue } from '@hawser/json';
import { cases, table } from '../case.js';
import { dig } from '../answer.js';
import {
  clusterRole,
  configMap,
  coreEvent,
  gear,
  lease,
  role,
  roleBinding,
  secret,
  serviceAccount,
  user,
  widget,
} from './objects.js';

const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';
const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Compares priorities, names, types and formats; the descriptions of standard columns are prose. */
const withoutDescriptions = (body: JsonValue): JsonValue => {
  const columns = dig(body, ['columnDefinitions']);
  if (!Array.isArray(columns)) return body;
  return {
    ...(body as Readonly<Record<string, JsonValue>>),
    columnDefinitions: (columns as readonly JsonValue[]).map((column) => ({
      ...(column as Readonly<Record<string, JsonValue>>),
      description: 'left out',
    })),
  };
};

const samples = {
  configmaps: () => configMap('one', { a: '1', b: '2' }),
  secrets: () => secret('one', { data: { a: 'YQ==' } }),
  serviceaccounts: () => serviceAccount('one', { secrets: [{ name: 'a' }] }),
  events: (namespace: string) => coreEvent('one', namespace),
  leases: () => lease('one', { holderIdentity: 'me' }),
  roles: () => role('one', []),
  rolebindings: () => roleBinding('one', { kind: 'Role', name: 'one' }, [user('jane')]),
} as const;

/** Name, type and path. */
const COLUMNS = [
  ['S', 'string', '.spec.s'],
  ['I', 'integer', '.spec.i'],
  ['N', 'number', '.spec.n'],
  ['B', 'boolean', '.spec.b'],
  ['D', 'date', '.spec.d'],
  ['Array', 'string', '.spec.list'],
  ['Object', 'string', '.spec.object'],
  ['First', 'string', '.spec.list[0]'],
  ['All', 'string', '.spec.list[*]'],
  ['Filter', 'string', '.spec.items[?(@.name=="b")].value'],
  ['Missing', 'string', '.spec.missing'],
  ['Wrong', 'integer', '.spec.s'],
  ['Key', 'string', String.raw`.metadata.annotations.example\.com/a`],
] as const;

export const outputCases = cases('outputs', {
  ...table(
    Object.fromEntries(Object.keys(samples).map((kind) => [kind, kind as keyof typeof samples])),
    async (api, kind) => {
      await api.quietly.create(api.path(kind), samples[kind](api.namespace));
      await api.get(api.path(kind), { accept: asTable, select: withoutDescriptions });
      await api.get(api.path(kind, 'one'), { accept: asTable, select: withoutDescriptions });
      await api.get(api.path(kind, 'one'), { accept: partial });
    },
    'table and metadata of ',
  ),
  async 'table of a namespace'(api) {
    await api.get(`/api/v1/namespaces/${api.id}`, { accept: asTable, select: withoutDescriptions });
  },
  async 'table of a ClusterRole and its binding'(api) {
    await api.quietly.create(api.path('clusterroles'), clusterRole(`${api.id}-a`, []));
    await api.get(api.path('clusterroles', `${api.id}-a`), { accept: asTable, select: withoutDescriptions });
  },
  async 'table of a definition'(api) {
    await api.get(api.path('customresourcedefinitions', 'widgets.fixtures.conformance.test'), {
      accept: asTable,
      select: (body) => withoutDescriptions(withoutRows(body)),
    });
  },
  async 'table of custom resources with printer columns'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one', { size: 5 }));
    await api.quietly.create(api.fixture('widgets'), widget('two', { mode: 'Slow' }));
    await api.quietly.patch('merge', api.fixture('widgets', 'one', 'status'), { status: { phase: 'Ready' } });
    await api.get(api.fixture('widgets'), { accept: asTable, select: withoutDescriptions });
    await api.get(api.fixture('widgets', 'one'), { accept: asTable, select: withoutDescriptions });
  },
  async 'table of custom resources without printer columns'(api) {
    await api.quietly.create(api.fixture('gears'), gear('one'));
    await api.get(api.fixture('gears'), { accept: asTable });
  },
  async 'table of an older version'(api) {
    await api.quietly.create(api.fixture('gears'), gear('one', { teeth: 4 }));
    await api.get(`/apis/fixtures.conformance.test/v1beta1/namespaces/${api.namespace}/gears`, { accept: asTable });
  },
  ...table(
    { Object: 'Object', Metadata: 'Metadata', None: 'None', unknown: 'Everything' },
    async (api, includeObject) => {
      await api.quietly.create(api.fixture('widgets'), widget('one', { size: 5 }));
      await api.get(api.fixture('widgets'), { accept: asTable, query: { includeObject } });
    },
    'includeObject ',
  ),
  async 'a table in pages'(api) {
    for (const name of ['a', 'b', 'c']) await api.quietly.create(api.fixture('widgets'), widget(name));
    const first = await api.get(api.fixture('widgets'), { accept: asTable, query: { limit: '2' } });
    await api.get(api.fixture('widgets'), {
      accept: asTable,
      query: { limit: '2', continue: first.text('metadata', 'continue') },
    });
  },
  async 'columns of every type'(api) {
    await api.define({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${api.group}` },
      spec: {
        group: api.group,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            additionalPrinterColumns: COLUMNS.map(([name, type, jsonPath]) => ({ name, type, jsonPath })),
          },
        ],
      },
    });
    const spec = {
      s: 'text',
      i: 5,
      n: 1.5,
      b: true,
      d: '2020-01-01T00:00:00Z',
      list: ['x', 'y'],
      object: { b: 1, a: [2] },
      items: [
        { name: 'a', value: 1 },
        { name: 'b', value: 2 },
      ],
    };
    await api.quietly.create(api.custom('v1', 'things'), {
      apiVersion: `${api.group}/v1`,
      kind: 'Thing',
      metadata: { name: 'one', annotations: { 'example.com/a': 'annotated' } },
      spec,
    });
    await api.quietly.create(api.custom('v1', 'things'), {
      apiVersion: `${api.group}/v1`,
      kind: 'Thing',
      metadata: { name: 'two' },
      spec: { s: 5, i: 'x', n: 7, b: 'no', d: 'someday', list: [] },
    });
    await api.get(api.custom('v1', 'things'), {
      accept: asTable,
      query: { includeObject: 'None' },
      select: withoutDescriptions,
    });
  },
  async 'metadata of custom resources'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one', { size: 5 }, { labels: { a: 'b' } }));
    await api.get(api.fixture('widgets', 'one'), { accept: partial });
    await api.get(api.fixture('widgets'), { accept: partialList });
    await api.get(api.fixture('widgets'), { accept: partial });
    await api.get(api.fixture('widgets', 'one'), { accept: partialList });
    await api.patch('merge', api.fixture('widgets', 'one'), { metadata: { labels: { c: 'd' } } }, { accept: partial });
    await api.create(api.fixture('widgets'), widget('two'), { accept: partial });
    await api.delete(api.fixture('widgets', 'one'), undefined, { accept: partial });
  },
  async 'errors are no tables'(api) {
    await api.get(api.fixture('widgets', 'nothing'), { accept: asTable });
    await api.get(api.fixture('widgets', 'nothing'), { accept: partial });
  },
});

const withoutRows = (body: JsonValue): JsonValue => {
  const rows = dig(body, ['rows']);
  return Array.isArray(rows)
    ? {
        ...(body as Readonly<Record<string, JsonValue>>),
        rows: (rows as readonly JsonValue[]).map((row) => ({ cells: dig(row, ['cells', 0]) ?? null })),
      }
    : body;
};

export const fidelityCases = cases('fidelity', {
  ...table(
    {
      '2^53 + 1': '9007199254740993',
      '2^63 - 1': '9223372036854775807',
      '-2^63': '-9223372036854775808',
      '2^63': '9223372036854775808',
      '2^64': '18446744073709551616',
      '1.0': '1.0',
      '1e3': '1e3',
      '1.5e-7': '1.5e-7',
      '1e400': '1e400',
      '-0': '-0',
      '0.1': '0.1',
      '12345678901234567890.5': '12345678901234567890.5',
      '1E2': '1E2',
    },
    async (api, digits) => {
      const body = `{"apiVersion":"fixtures.conformance.test/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"free":{"number":${digits},"list":[${digits}]}}}`;
      const created = await api.create(api.fixture('widgets'), body);
      if (created.status !== 201) return;
      await api.patch('merge', api.fixture('widgets', 'one'), { metadata: { labels: { a: 'b' } } });
      await api.patch('merge', api.fixture('widgets', 'one'), `{"spec":{"free":{"second":${digits}}}}`);
      await api.get(api.fixture('widgets', 'one'));
    },
    'the number ',
  ),
  ...table(
    {
      'in an integer field with a maximum': '{"size":9007199254740993}',
      'in an int64': '{"big":9007199254740993}',
      'in a map of integers': '{"limits":{"a":9223372036854775807}}',
      'as 5.0 in an integer field': '{"size":5.0}',
      'as 1e1 in an integer field': '{"size":1e1}',
    },
    async (api, spec) => {
      await api.create(
        api.fixture('widgets'),
        `{"apiVersion":"fixtures.conformance.test/v1","kind":"Widget","metadata":{"name":"one"},"spec":${spec}}`,
      );
    },
    'a number ',
  ),
  async '__proto__ and constructor are keys'(api) {
    const body =
      '{"apiVersion":"fixtures.conformance.test/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"free":{"__proto__":{"a":1},"constructor":{"prototype":2},"hasOwnProperty":3,"toString":"x"}}}';
    await api.create(api.fixture('widgets'), body);
    await api.patch(
      'merge',
      api.fixture('widgets', 'one'),
      '{"spec":{"free":{"__proto__":{"b":2},"constructor":null}}}',
    );
    await api.patch(
      'json',
      api.fixture('widgets', 'one'),
      '[{"op":"add","path":"/spec/free/__proto__/c","value":3},{"op":"test","path":"/spec/free/toString","value":"x"}]',
    );
    await api.patch(
      'apply',
      api.fixture('widgets', 'one'),
      '{"apiVersion":"fixtures.conformance.test/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"free":{"__proto__":{"d":4}}}}',
      { query: { fieldManager: 'm' } },
    );
    await api.get(api.fixture('widgets', 'one'));
  },
  async '__proto__ in data, labels and annotations'(api) {
    await api.create(
      api.path('configmaps'),
      '{"metadata":{"name":"one","labels":{"constructor":"a"},"annotations":{"toString":"b"}},"data":{"__proto__":"c","constructor":"d"}}',
    );
    await api.patch('merge', api.path('configmaps', 'one'), '{"data":{"__proto__":null}}');
    await api.get(api.path('configmaps', 'one'));
  },
  async 'strings of all sorts'(api) {
    const data = { a: ' <&>  ', b: '\u0000\u0001\u001f', c: '👍𝒳', d: '"\\/\b\f\n\r\t', e: '', 'f-g.h_i': 'é' };
    await api.create(api.path('configmaps'), configMap('one', data));
    await api.create(api.fixture('widgets'), widget('one', { free: data }));
  },
  async 'deep nesting'(api) {
    await api.create(
      api.fixture('widgets'),
      `{"apiVersion":"fixtures.conformance.test/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"free":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}}`,
    );
  },
  async 'empty lists and objects stay'(api) {
    await api.create(
      api.fixture('widgets'),
      widget('one', { free: { list: [], object: {}, nothing: null, nested: [[], {}, null] }, tags: [] }),
    );
    await api.create(api.path('configmaps'), {
      metadata: { name: 'one', labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
      data: {},
    });
  },
});
