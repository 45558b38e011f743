import type { JsonObject } from '@hawser/json';
import type { Api, CallOptions } from '../api.js';
import type { Answer } from '../answer.js';
import { cases, table } from '../case.js';
import { configMap, fixtureVersion, serviceAccount, widget } from './objects.js';

const by = (fieldManager: string, more: Readonly<Record<string, string>> = {}): CallOptions => ({
  query: { fieldManager, ...more },
});

const applyMap = (
  api: Api,
  manager: string,
  data: JsonObject,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> => api.patch('apply', api.path('configmaps', 'one'), configMap('one', data), by(manager, more));

const applyWidget = (
  api: Api,
  manager: string,
  spec: JsonObject,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> => api.patch('apply', api.fixture('widgets', 'one'), widget('one', spec), by(manager, more));

export const applyCases = cases(
  'apply',
  {
    async 'creates what is missing'(api) {
      await applyMap(api, 'm', { a: '1' });
      await applyWidget(api, 'm', { size: 1, tags: ['a'], ports: [{ port: 80 }] });
    },
    async 'the same again changes nothing'(api) {
      await applyMap(api, 'm', { a: '1' });
      await applyMap(api, 'm', { a: '1' });
      await applyWidget(api, 'm', { size: 1 });
      await applyWidget(api, 'm', { size: 1 });
    },
    async 'what is left out is removed'(api) {
      await applyMap(api, 'm', { a: '1', b: '2' });
      await applyMap(api, 'm', { a: '1' });
      await applyWidget(api, 'm', { size: 1, title: 'abc', strict: { name: 'a', count: 1 } });
      await applyWidget(api, 'm', { size: 1 });
    },
    async 'what another manager owns too stays'(api) {
      await applyMap(api, 'm', { a: '1', b: '2' });
      await applyMap(api, 'n', { a: '1' });
      await applyMap(api, 'm', { b: '2' });
      await applyMap(api, 'n', { c: '3' });
    },
    async 'a conflict names the manager and the field'(api) {
      await applyMap(api, 'm', { a: '1', b: '1' });
      await applyMap(api, 'n', { a: '2', b: '2' });
      await applyMap(api, 'n', { a: '2', b: '2' }, { force: 'true' });
      await applyMap(api, 'm', { a: '1' });
    },
    async 'a conflict with an update'(api) {
      await api.create(api.fixture('widgets'), widget('one', { size: 1 }), by('creator'));
      await applyWidget(api, 'm', { size: 2 });
      await applyWidget(api, 'm', { size: 2 }, { force: 'true' });
      await api.patch('merge', api.fixture('widgets', 'one'), { spec: { size: 3 } }, by('patcher'));
      await applyWidget(api, 'm', { size: 2 });
    },
    async 'conflicts with several managers'(api) {
      await applyWidget(api, 'm', { size: 1 });
      await applyWidget(api, 'n', { title: 'abc' });
      await applyWidget(api, 'o', { size: 2, title: 'def' });
    },
    async 'sets and lists with keys are merged'(api) {
      await applyWidget(api, 'm', { tags: ['a'], ports: [{ port: 80, name: 'http' }] });
      await applyWidget(api, 'n', { tags: ['b'], ports: [{ port: 443, name: 'https' }] });
      await applyWidget(api, 'n', { tags: ['b'], ports: [{ port: 80, name: 'web' }] });
      await applyWidget(api, 'm', { tags: [] });
    },
    async 'an atomic list belongs to one manager'(api) {
      await applyWidget(api, 'm', { steps: [1, 2] });
      await applyWidget(api, 'n', { steps: [2, 3] });
      await applyWidget(api, 'n', { steps: [1, 2] });
      await applyWidget(api, 'n', { steps: [9] }, { force: 'true' });
    },
    async 'an atomic map belongs to one manager'(api) {
      await applyWidget(api, 'm', { atomic: { a: '1' } });
      await applyWidget(api, 'n', { atomic: { b: '2' } });
      await applyWidget(api, 'n', { atomic: { b: '2' } }, { force: 'true' });
    },
    async 'keys of a map one by one'(api) {
      await applyWidget(api, 'm', { limits: { a: 1 } });
      await applyWidget(api, 'n', { limits: { b: 2 } });
      await applyWidget(api, 'm', { limits: { c: 3 } });
    },
    async 'free content is followed field by field'(api) {
      await applyWidget(api, 'm', { free: { a: { b: 1 }, list: [1, { x: 1 }] } });
      await applyWidget(api, 'n', { free: { a: { c: 2 } } });
      await applyWidget(api, 'n', { free: { list: [2] } });
    },
    async 'a default belongs to nobody'(api) {
      await applyWidget(api, 'm', { size: 1 });
      await applyWidget(api, 'n', { mode: 'Slow' });
      await applyWidget(api, 'n', {});
    },
    async 'the duplicate of a set or of a key'(api) {
      await applyWidget(api, 'm', { tags: ['a', 'a'] });
      await applyWidget(api, 'm', { ports: [{ port: 80 }, { port: 80 }] });
      await applyWidget(api, 'm', { ports: [{ name: 'no port' }] });
    },
    async 'a value of the wrong type'(api) {
      await applyWidget(api, 'm', { size: 'five' });
      await applyWidget(api, 'm', { tags: 'a' });
      await applyWidget(api, 'm', { strict: [] });
      await applyMap(api, 'm', { a: 5 });
    },
    async 'a field that the schema does not have'(api) {
      await applyWidget(api, 'm', { unknown: 1 });
      await applyMap(api, 'm', { a: '1' }, { fieldValidation: 'Strict' });
      await api.patch('apply', api.path('configmaps', 'one'), { ...configMap('one'), spec: { a: 1 } }, by('m'));
    },
    async 'null values'(api) {
      await applyWidget(api, 'm', { size: 1, title: 'abc' });
      await applyWidget(api, 'm', { size: null, maybe: null });
      await applyMap(api, 'm', { a: null });
    },
    async metadata(api) {
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', {}, { labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['example.com/a'] }),
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', {}, { labels: { c: '3' }, finalizers: ['example.com/b'] }),
        by('n'),
      );
      await api.patch('apply', api.path('configmaps', 'one'), configMap('one', {}, { labels: { a: '1' } }), by('m'));
    },
    async 'owner references'(api) {
      const reference = (digit: string): JsonObject => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: digit,
        uid: `${digit.repeat(8)}-1111-1111-1111-111111111111`,
      });
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', {}, { ownerReferences: [reference('1')] }),
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', {}, { ownerReferences: [reference('2')] }),
        by('n'),
      );
      await api.patch('apply', api.path('configmaps', 'one'), configMap('one'), by('m'));
    },
    async 'a resourceVersion is a precondition'(api) {
      const first = await applyMap(api, 'm', { a: '1' });
      await applyMap(api, 'm', { a: '2' });
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', { a: '3' }, { resourceVersion: first.resourceVersion }),
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('configmaps', 'two'),
        configMap('two', { a: '3' }, { resourceVersion: first.resourceVersion }),
        by('m'),
      );
    },
    async 'a uid is a precondition'(api) {
      const first = await applyMap(api, 'm', { a: '1' });
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', { a: '2' }, { uid: first.uid }),
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap('one', { a: '3' }, { uid: '11111111-1111-1111-1111-111111111111' }),
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('configmaps', 'two'),
        configMap('two', { a: '3' }, { uid: '11111111-1111-1111-1111-111111111111' }),
        by('m'),
      );
    },
    async 'without a field manager'(api) {
      await api.patch('apply', api.path('configmaps', 'one'), configMap('one'));
    },
    async 'force needs an apply'(api) {
      await api.quietly.create(api.path('configmaps'), configMap('one'));
      await api.patch('merge', api.path('configmaps', 'one'), {}, by('m', { force: 'true' }));
    },
    async 'a field manager that is too long or not printable'(api) {
      await applyMap(api, 'm'.repeat(129), {});
      await applyMap(api, 'a\tb', {});
      await api.create(api.path('configmaps'), configMap('two'), by('m'.repeat(129)));
    },
    async 'managedFields in the body'(api) {
      await api.patch(
        'apply',
        api.path('configmaps', 'one'),
        configMap(
          'one',
          {},
          {
            managedFields: [
              { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
            ],
          },
        ),
        by('m'),
      );
    },
    ...table(
      {
        'a body that is no object': '[]',
        'a body that is YAML': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: "1"\n',
        'a body that is broken': '{"a',
        'an empty body': '',
        'another name': JSON.stringify(configMap('two')),
        'no kind': JSON.stringify({ apiVersion: 'v1', metadata: { name: 'one' } }),
        'another kind': JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } }),
        'another version': JSON.stringify({ apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'one' } }),
        'no name': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap' }),
        'two documents of YAML': 'apiVersion: v1\nkind: ConfigMap\n---\na: b\n',
      },
      async (api, body) => {
        await api.patch('apply', api.path('configmaps', 'one'), body, by('m'));
      },
    ),
    async 'a dry run'(api) {
      await applyMap(api, 'm', { a: '1' }, { dryRun: 'All' });
      await api.get(api.path('configmaps', 'one'));
      await applyMap(api, 'm', { a: '1' });
      await applyMap(api, 'm', { b: '2' }, { dryRun: 'All' });
      await api.get(api.path('configmaps', 'one'));
    },
    async 'the status subresource is owned apart'(api) {
      await applyWidget(api, 'm', { size: 1 });
      await api.patch(
        'apply',
        api.fixture('widgets', 'one', 'status'),
        {
          apiVersion: fixtureVersion,
          kind: 'Widget',
          metadata: { name: 'one' },
          status: { phase: 'Ready', conditions: [{ type: 'A', status: 'True' }] },
        },
        by('m'),
      );
      await api.patch(
        'apply',
        api.fixture('widgets', 'one', 'status'),
        {
          apiVersion: fixtureVersion,
          kind: 'Widget',
          metadata: { name: 'one' },
          status: { conditions: [{ type: 'B', status: 'True' }] },
        },
        by('n'),
      );
      await applyWidget(api, 'm', { size: 2 });
      await api.patch(
        'apply',
        api.fixture('widgets', 'one'),
        { ...widget('one', { size: 3 }), status: { phase: 'Wrong' } },
        by('m'),
      );
    },
    async 'status of an object that is missing'(api) {
      await api.patch(
        'apply',
        api.fixture('widgets', 'one', 'status'),
        { apiVersion: fixtureVersion, kind: 'Widget', metadata: { name: 'one' }, status: {} },
        by('m'),
      );
    },
    async scale(api) {
      await applyWidget(api, 'm', { replicas: 1 });
      await api.patch(
        'apply',
        api.fixture('widgets', 'one', 'scale'),
        { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'one' }, spec: { replicas: 3 } },
        by('scaler'),
      );
      await api.patch(
        'apply',
        api.fixture('widgets', 'one', 'scale'),
        { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'one' }, spec: { replicas: 3 } },
        by('scaler', { force: 'true' }),
      );
      await api.get(api.fixture('widgets', 'one'));
    },
    async 'an update takes ownership, a removed field is forgotten'(api) {
      await applyMap(api, 'm', { a: '1', b: '2' });
      await api.replace(api.path('configmaps', 'one'), configMap('one', { a: 'changed' }), by('updater'));
      await applyMap(api, 'm', { b: '2' });
    },
    async 'managedFields can be cleared'(api) {
      await applyMap(api, 'm', { a: '1' });
      await api.patch('merge', api.path('configmaps', 'one'), { metadata: { managedFields: [{}] } }, by('p'));
      await applyMap(api, 'n', { a: '2' });
      await applyMap(api, 'n', { a: '2' }, { force: 'true' });
    },
    async 'the user agent is the manager of an update'(api) {
      await api.create(api.path('configmaps'), configMap('one', { a: '1' }), {
        headers: { 'user-agent': 'kubectl/v1.2 (linux) more' },
      });
      await api.patch(
        'merge',
        api.path('configmaps', 'one'),
        { data: { b: '2' } },
        { headers: { 'user-agent': 'other' } },
      );
    },
    async 'creations and updates of one manager are one entry'(api) {
      await api.create(api.fixture('widgets'), widget('one', { size: 1 }), by('m'));
      await api.patch('merge', api.fixture('widgets', 'one'), { spec: { title: 'abc' } }, by('m'));
      await api.patch('merge', api.fixture('widgets', 'one', 'status'), { status: { phase: 'Ready' } }, by('m'));
      await api.patch('json', api.fixture('widgets', 'one'), [{ op: 'remove', path: '/spec/title' }], by('n'));
    },
    async 'lists of a ServiceAccount'(api) {
      await api.patch(
        'apply',
        api.path('serviceaccounts', 'one'),
        serviceAccount('one', { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'x' }] }),
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('serviceaccounts', 'one'),
        serviceAccount('one', { secrets: [{ name: 'b' }], imagePullSecrets: [{ name: 'y' }] }),
        by('n'),
      );
      await api.patch('apply', api.path('serviceaccounts', 'one'), serviceAccount('one', {}), by('m'));
    },
    async 'kinds of all sorts are applied'(api) {
      await api.patch(
        'apply',
        api.path('secrets', 'one'),
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, stringData: { a: 'b' }, type: 'Opaque' },
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('leases', 'one'),
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'one' },
          spec: { holderIdentity: 'a' },
        },
        by('m'),
      );
      await api.patch(
        'apply',
        api.path('roles', 'one'),
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'one' },
          rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
        },
        by('m'),
      );
      await api.patch(
        'apply',
        `/api/v1/namespaces/${api.id}`,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: api.id, labels: { a: 'b' } } },
        by('m'),
      );
    },
    async 'several versions of one kind'(api) {
      const gear = (version: string, spec: JsonObject): JsonObject => ({
        apiVersion: `fixtures.conformance.test/${version}`,
        kind: 'Gear',
        metadata: { name: 'one' },
        spec,
      });
      const beta = `/apis/fixtures.conformance.test/v1beta1/namespaces/${api.namespace}/gears/one`;
      await api.patch('apply', api.fixture('gears', 'one'), gear('v1', { teeth: 5, color: 'red' }), by('m'));
      await api.patch('apply', beta, gear('v1beta1', { legacy: 'x' }), by('n'));
      await api.patch('apply', beta, gear('v1beta1', { teeth: 6 }), by('m'));
    },
    async 'an object that waits for its end'(api) {
      await api.quietly.create(api.path('configmaps'), configMap('one', {}, { finalizers: ['example.com/a'] }));
      await api.quietly.delete(api.path('configmaps', 'one'));
      await applyMap(api, 'm', { a: '1' });
    },
    async 'what ends up invalid is refused'(api) {
      await applyWidget(api, 'm', { size: 500 });
      await applyWidget(api, 'm', { range: { min: 2, max: 1 } });
      await applyMap(api, 'm', { 'a/b': '1' });
    },
  },
  { managedFields: true },
);
