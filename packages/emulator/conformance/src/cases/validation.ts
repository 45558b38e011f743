import type { JsonObject, JsonValue } from '@hawser/json';
import { cases, table } from '../case.js';
import { fixtureVersion, widget } from './objects.js';

const rows = (
  fields: Readonly<Record<string, readonly JsonValue[]>>,
): Readonly<Record<string, readonly JsonObject[]>> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, values]) => [field, values.map((value) => ({ [field]: value }))]),
  );

const nested = (depth: number): JsonValue => (depth === 0 ? 'bottom' : { down: nested(depth - 1) });

/** One value of one field per request: records acceptance, or the refusal's message. */
export const validationCases = cases('schema', {
  ...table(
    rows({
      mode: ['Slow', 'Other', '', 5, null],
      size: [0, 100, -1, 101, 1.5, 2, '5', true, 1e3],
      replicas: [3, 2 ** 31, -1],
      title: ['ab', 'a', 'a'.repeat(11), 'äöü', '👍', 5],
      slug: ['abc', 'ABC', '', 'a b'],
      ratio: [0.5, 0, 1, 1e-9, 2, '0.5', 1],
      step: [10, 7, 0, -5],
      small: [2 ** 31 - 1, 2 ** 31, -(2 ** 31)],
      big: [2 ** 53 - 1, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 9_007_199_254_740_993n],
      enabled: [true, false, 'true', 0, null],
      tags: [['a', 'b'], [], ['a', 'a'], ['a', 'b', 'c', 'd'], ['x'.repeat(21)], 'a', [1], [null]],
      steps: [[1], [], [1, 1], [1, 2, 3, 4, 5, 6], [1, 'two', 3]],
      ports: [
        [{ port: 80 }],
        [{ port: 80 }, { port: 80 }],
        [{ port: 80 }, { port: 80, protocol: 'UDP' }],
        [{ protocol: 'TCP' }],
        [{}],
        [{ port: 80, extra: 1 }],
        [5],
      ],
      limits: [{ a: 1 }, {}, { a: 0 }, { a: 1, b: 2, c: 3, d: 4 }, { a: 'b' }, []],
      strict: [{ name: 'a', count: 1 }, { name: 'a' }, {}, { name: 5, count: 'x' }, { name: null, count: 1 }, null],
      atomic: [{ a: 'x', b: 'y' }, { c: 'z' }],
      quantity: [5, '5', '50%', 5.5, true, null, {}],
      free: [{ any: { thing: [1, 'two', null] } }, {}, 5, []],
      template: [
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { x: 1 } },
        { kind: 'Pod' },
        { apiVersion: 'v1' },
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 5 } },
        { apiVersion: 'a/b/c', kind: 'Pod' },
        { apiVersion: 'v1', kind: 'Pod', metadata: { unknown: 1, labels: { 'a b': 'c' } } },
      ],
      maybe: [null, 'a', 5],
      fallback: [null, 'a'],
      nested: [
        {},
        { level: 1 },
        { inner: {} },
        { inner: { color: 'blue', extra: true } },
        { inner: null },
        null,
        { unknown: nested(3) },
      ],
      choice: [{ one: 'a' }, { two: 'b' }, { one: 'a', two: 'b' }, {}, { three: 'c' }, { one: 'a', three: 'c' }],
      any: [{ one: 'a' }, { one: 'a', two: 'b' }, {}],
      all: [{ one: 'ab' }, { one: 'a' }, {}],
      email: ['a@example.com', 'nobody', ''],
      moment: ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.5+01:00', '2020-01-01', 'now', '2020-13-01T00:00:00Z'],
      day: ['2020-02-29', '2021-02-29', '2020-1-1'],
      address: ['10.0.0.1', '10.0.0.256', '::1', '010.0.0.1'],
      uuid: ['11111111-1111-1111-1111-111111111111', '1111', '11111111111111111111111111111111'],
      bytes: ['aGVsbG8=', '***', ''],
      duration: ['1h30m', '5 seconds', '1d', 'P1D', ''],
      link: ['https://example.com/a?b=c', '/relative', 'no uri', ':'],
    }),
    async (api, specs) => {
      for (const [index, spec] of specs.entries()) await api.create(api.fixture('widgets'), widget(`w${index}`, spec));
    },
  ),
  async 'several faults are reported together'(api) {
    await api.create(
      api.fixture('widgets'),
      widget('one', { mode: 'Other', size: 200, tags: ['a', 'a'], strict: {}, slug: 'X', limits: {} }),
    );
  },
  async 'a fault of the schema hides those of rules'(api) {
    await api.create(api.fixture('widgets'), widget('one', { size: 200, range: { min: 2, max: 1 } }));
    await api.create(api.fixture('widgets'), widget('one', { range: { min: 'x', max: 1 }, words: ['no'] }));
  },
  async 'spec that is no object'(api) {
    await api.create(api.fixture('widgets'), { ...widget('one'), spec: 'text' });
    await api.create(api.fixture('widgets'), { ...widget('one'), spec: null });
    await api.create(api.fixture('widgets'), { ...widget('one'), spec: [] });
  },
  async 'metadata of the wrong types'(api) {
    await api.create(api.fixture('widgets'), { ...widget('one'), metadata: { name: 'one', labels: { a: 5 } } });
    await api.create(api.fixture('widgets'), { ...widget('one'), metadata: { name: 'one', labels: 'a=b' } });
    await api.create(api.fixture('widgets'), { ...widget('one'), metadata: { name: 'one', annotations: { a: null } } });
    await api.create(api.fixture('widgets'), { ...widget('one'), metadata: { name: 'two', finalizers: 'x' } });
    await api.create(api.fixture('widgets'), { ...widget('one'), metadata: { name: 'three', unknown: 'x' } });
    await api.create(api.fixture('widgets'), { ...widget('one'), metadata: 'one' });
  },
  async 'unknown fields are pruned, also deep ones, and kept where that is said'(api) {
    await api.create(api.fixture('widgets'), {
      ...widget('one', {
        unknown: 1,
        strict: { name: 'a', count: 1, unknown: { a: 1 } },
        free: { kept: { a: 1 } },
        ports: [{ port: 1, unknown: 2 }],
      }),
      other: { top: true },
    });
    await api.create(api.fixture('loose'), {
      apiVersion: fixtureVersion,
      kind: 'Loose',
      metadata: { name: 'one' },
      anything: { a: [1, { b: null }] },
      spec: { x: 'y' },
    });
  },
  async 'defaults appear at creation and at reading'(api) {
    await api.create(api.fixture('widgets'), widget('one', { nested: {}, strict: { name: 'a', count: 1 } }));
    await api.create(api.fixture('widgets'), { apiVersion: fixtureVersion, kind: 'Widget', metadata: { name: 'two' } });
    await api.patch('merge', api.fixture('widgets', 'one'), { spec: { mode: null, nested: null } });
  },
  async 'null of a field with a default, with and without nullable'(api) {
    await api.create(api.fixture('widgets'), widget('one', { mode: null, fallback: null, nested: { level: null } }));
  },
  async 'status is not taken from a create'(api) {
    await api.create(api.fixture('widgets'), { ...widget('one'), status: { phase: 'Ready' } });
    await api.replace(api.fixture('widgets', 'one'), { ...widget('one', { size: 1 }), status: { phase: 'Ready' } }, {});
  },
  async 'an update of an object that has become invalid may leave the fault where it was'(api) {
    await api.define(ratcheting(api.group, {}));
    await api.quietly.create(api.custom('v1', 'things'), {
      apiVersion: `${api.group}/v1`,
      kind: 'Thing',
      metadata: { name: 'one' },
      spec: { size: 50, color: 'red' },
    });
    await api.quietly.replace(api.path('customresourcedefinitions', `things.${api.group}`), {
      ...ratcheting(api.group, { maximum: 10 }),
      metadata:
        (await api.quietly.get(api.path('customresourcedefinitions', `things.${api.group}`))).object['metadata'] ??
        null,
    });
    await api.eventually(
      (calls) =>
        calls.create(
          api.custom('v1', 'things'),
          { apiVersion: `${api.group}/v1`, kind: 'Thing', metadata: { name: 'probe' }, spec: { size: 50 } },
          { query: { dryRun: 'All' } },
        ),
      ({ status }) => status === 422,
    );
    await api.patch('merge', api.custom('v1', 'things', 'one'), { spec: { color: 'blue' } });
    await api.patch('merge', api.custom('v1', 'things', 'one'), { spec: { size: 60 } });
    await api.patch('merge', api.custom('v1', 'things', 'one'), { spec: { size: 5 } });
    await api.patch('merge', api.custom('v1', 'things', 'one'), { spec: { size: 50 } });
  },
});

function ratcheting(group: string, limit: JsonObject): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: { type: 'integer', ...limit }, color: { type: 'string' } },
                },
              },
            },
          },
        },
      ],
    },
  };
}
