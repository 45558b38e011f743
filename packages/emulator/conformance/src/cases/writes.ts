import { cases, table } from '../case.js';
import { configMap, gear, lease, widget } from './objects.js';

export const conflictCases = cases('conflicts', {
  ...table({ 'a ConfigMap': 'configmaps', 'a custom resource': 'widgets' } as const, async (api, kind) => {
    const collection = kind === 'widgets' ? api.fixture('widgets') : api.path('configmaps');
    const make = (note: string, meta = {}): object =>
      kind === 'widgets'
        ? widget('one', {}, { annotations: { note }, ...meta })
        : configMap('one', {}, { annotations: { note }, ...meta });
    const created = await api.create(collection, make('1'));
    await api.replace(`${collection}/one`, make('2', { resourceVersion: created.resourceVersion }));
    await api.replace(`${collection}/one`, make('3', { resourceVersion: created.resourceVersion }));
    await api.replace(`${collection}/one`, make('4', { uid: '11111111-1111-1111-1111-111111111111' }));
    await api.replace(`${collection}/one`, make('5', { uid: created.uid }));
    await api.replace(`${collection}/one`, make('6', { resourceVersion: 'x' }));
    await api.replace(`${collection}/one`, make('7', { resourceVersion: '' }));
    await api.replace(`${collection}/one`, make('8', { resourceVersion: '0' }));
  }),
  async 'a create with a resourceVersion'(api) {
    await api.create(api.path('configmaps'), configMap('one', {}, { resourceVersion: '5' }));
    await api.create(api.path('configmaps'), configMap('one', {}, { resourceVersion: '0' }));
    await api.create(api.fixture('widgets'), widget('one', {}, { resourceVersion: '5' }));
  },
  async 'a create with a uid, times, generation and a link of its own'(api) {
    const meta = {
      uid: '11111111-1111-1111-1111-111111111111',
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 7,
      selfLink: '/here',
    };
    await api.create(api.path('configmaps'), configMap('one', {}, meta));
    await api.create(api.fixture('widgets'), widget('one', {}, meta));
  },
  async 'an update after a deletion and a new creation'(api) {
    const first = await api.create(api.path('configmaps'), configMap('one'));
    await api.quietly.delete(api.path('configmaps', 'one'));
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.replace(
      api.path('configmaps', 'one'),
      configMap('one', { a: 'b' }, { uid: first.uid, resourceVersion: first.resourceVersion }),
    );
    await api.replace(api.path('configmaps', 'one'), configMap('one', { a: 'b' }, { uid: first.uid }));
  },
  async 'a status write with an old version'(api) {
    const created = await api.create(api.fixture('widgets'), widget('one'));
    await api.quietly.patch('merge', api.fixture('widgets', 'one'), { spec: { size: 1 } });
    await api.replace(api.fixture('widgets', 'one', 'status'), { ...created.object, status: { phase: 'Ready' } });
  },
  async 'custom resources may be replaced without a resourceVersion'(api) {
    await api.create(api.fixture('widgets'), widget('one', { size: 1 }));
    await api.replace(api.fixture('widgets', 'one'), widget('one', { size: 2 }));
    await api.replace(api.fixture('widgets', 'two'), widget('two'));
  },
  async 'a Lease may be created by replacing it'(api) {
    await api.replace(api.path('leases', 'one'), lease('one', { holderIdentity: 'a' }));
    await api.replace(api.path('leases', 'one'), {
      ...lease('one', { holderIdentity: 'a' }),
      metadata: { name: 'one', resourceVersion: '5' },
    });
  },
  async 'an event may be created by replacing it'(api) {
    await api.replace(api.path('events', 'one'), {
      metadata: { name: 'one', namespace: api.namespace },
      involvedObject: { namespace: api.namespace },
    });
  },
});

export const subresourceCases = cases('subresources', {
  async 'status and spec are written apart'(api) {
    await api.create(api.fixture('widgets'), { ...widget('one', { size: 1 }), status: { phase: 'Ignored' } });
    await api.replace(api.fixture('widgets', 'one', 'status'), {
      ...widget('one', { size: 99 }, { labels: { a: 'b' } }),
      status: { phase: 'Ready', replicas: 2 },
    });
    await api.replace(api.fixture('widgets', 'one'), { ...widget('one', { size: 2 }), status: { phase: 'Wrong' } });
    await api.get(api.fixture('widgets', 'one', 'status'));
  },
  async 'patches of status'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one', { size: 1 }));
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), {
      spec: { size: 5 },
      status: { phase: 'Ready' },
      metadata: { annotations: { a: 'b' }, finalizers: ['example.com/a'] },
    });
    await api.patch('json', api.fixture('widgets', 'one', 'status'), [
      { op: 'add', path: '/status/replicas', value: 3 },
    ]);
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), { status: null });
  },
  async 'status is validated'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), {
      status: { replicas: 'many', conditions: [{ type: 'A' }] },
    });
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), {
      status: {
        conditions: [
          { type: 'A', status: 'True' },
          { type: 'A', status: 'False' },
        ],
      },
    });
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), { status: { unknown: 1, phase: 'Ready' } });
  },
  async 'status of what is missing'(api) {
    await api.get(api.fixture('widgets', 'one', 'status'));
    await api.replace(api.fixture('widgets', 'one', 'status'), widget('one'));
    await api.create(api.fixture('widgets', 'one', 'status'), widget('one'));
    await api.delete(api.fixture('widgets', 'one', 'status'));
  },
  async 'a kind without status'(api) {
    await api.quietly.create(api.fixture('gadgets'), {
      apiVersion: 'fixtures.conformance.test/v1',
      kind: 'Gadget',
      metadata: { name: `${api.id}-a` },
      spec: {},
    });
    await api.get(api.fixture('gadgets', `${api.id}-a`, 'status'));
    await api.get(api.fixture('gadgets', `${api.id}-a`, 'scale'));
  },
  async 'an unknown subresource'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.get(api.fixture('widgets', 'one', 'other'));
    await api.replace(api.fixture('widgets', 'one', 'other'), {});
  },
  async 'scale is read and written'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one', { replicas: 1 }));
    await api.quietly.patch('merge', api.fixture('widgets', 'one', 'status'), {
      status: { replicas: 1, selector: 'a=b' },
    });
    const { object } = await api.get(api.fixture('widgets', 'one', 'scale'));
    await api.replace(api.fixture('widgets', 'one', 'scale'), { ...object, spec: { replicas: 3 } });
    await api.replace(api.fixture('widgets', 'one', 'scale'), { ...object, spec: { replicas: 4 } });
    await api.patch('merge', api.fixture('widgets', 'one', 'scale'), { spec: { replicas: 5 } });
    await api.patch('merge', api.fixture('widgets', 'one', 'scale'), { spec: { replicas: -1 } });
    await api.patch('json', api.fixture('widgets', 'one', 'scale'), [
      { op: 'replace', path: '/spec/replicas', value: 6 },
    ]);
    await api.get(api.fixture('widgets', 'one'));
  },
  async 'scale of one without replicas'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.get(api.fixture('widgets', 'one', 'scale'));
    await api.patch('merge', api.fixture('widgets', 'one', 'scale'), { spec: { replicas: 2 } });
    await api.get(api.fixture('widgets', 'two', 'scale'));
  },
  async 'generation rises with spec and not with metadata or status'(api) {
    const created = await api.create(api.fixture('widgets'), widget('one', { size: 1 }));
    api.note('generation', created.at('metadata', 'generation') ?? null);
    await api.patch('merge', api.fixture('widgets', 'one'), { metadata: { labels: { a: 'b' } } });
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), { status: { phase: 'Ready' } });
    await api.patch('merge', api.fixture('widgets', 'one'), { spec: { size: 2 } });
    await api.patch('merge', api.fixture('widgets', 'one'), { spec: { size: 2 } });
    await api.patch('merge', api.fixture('widgets', 'one'), { top: 'level' });
  },
  async 'generation of a kind without status rises with everything but metadata'(api) {
    await api.quietly.create(api.fixture('loose'), {
      apiVersion: 'fixtures.conformance.test/v1',
      kind: 'Loose',
      metadata: { name: 'one' },
      spec: {},
    });
    await api.patch('merge', api.fixture('loose', 'one'), { status: { a: 1 } });
    await api.patch('merge', api.fixture('loose', 'one'), { other: { a: 1 } });
    await api.patch('merge', api.fixture('loose', 'one'), { metadata: { labels: { a: 'b' } } });
  },
  async 'a version that is deprecated warns'(api) {
    const beta = `/apis/fixtures.conformance.test/v1beta1/namespaces/${api.namespace}/gears`;
    await api.create(beta, gear('one', { teeth: 3 }, 'v1beta1'));
    await api.get(beta);
    await api.get(`${beta}/one`);
    await api.get(api.fixture('gears', 'one'));
    await api.create(beta, gear('two', {}, 'v1'));
  },
  async 'a version that is not served'(api) {
    await api.get(`/apis/fixtures.conformance.test/v1alpha1/namespaces/${api.namespace}/gears`);
    await api.get(`/apis/fixtures.conformance.test/v9/namespaces/${api.namespace}/gears`);
  },
});

export const dryRunCases = cases('dry runs', {
  ...table({ 'a ConfigMap': 'configmaps', 'a custom resource': 'widgets' } as const, async (api, kind) => {
    const collection = kind === 'widgets' ? api.fixture('widgets') : api.path('configmaps');
    const make = (note: string): object =>
      kind === 'widgets'
        ? widget('one', {}, { annotations: { note } })
        : configMap('one', {}, { annotations: { note } });
    const dry = { query: { dryRun: 'All' } };
    const shown = await api.create(collection, make('1'), dry);
    api.note('has a uid and no resourceVersion', [
      shown.uid !== '',
      shown.at('metadata', 'resourceVersion') === undefined,
    ]);
    await api.get(`${collection}/one`);
    await api.create(collection, make('1'));
    await api.create(collection, make('1'), dry);
    await api.replace(`${collection}/one`, make('2'), dry);
    await api.patch('merge', `${collection}/one`, { metadata: { annotations: { note: '3' } } }, dry);
    await api.get(`${collection}/one`);
  }),
  async 'a generated name'(api) {
    await api.create(api.path('configmaps'), { metadata: { generateName: 'made-' } }, { query: { dryRun: 'All' } });
  },
  async 'what is refused is refused in a dry run too'(api) {
    await api.create(api.fixture('widgets'), widget('one', { size: 500 }), { query: { dryRun: 'All' } });
    await api.patch('merge', api.fixture('widgets', 'one'), {}, { query: { dryRun: 'All' } });
  },
  async 'another value than All'(api) {
    await api.create(api.path('configmaps'), configMap('one'), { query: { dryRun: 'true' } });
    await api.create(api.path('configmaps'), configMap('one'), { query: { dryRun: '' } });
    await api.create(api.path('configmaps'), configMap('two'), { query: { dryRun: 'all' } });
  },
  async 'status in a dry run'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.patch(
      'merge',
      api.fixture('widgets', 'one', 'status'),
      { status: { phase: 'Ready' } },
      { query: { dryRun: 'All' } },
    );
    await api.get(api.fixture('widgets', 'one'));
  },
  async 'removing the last finalizer of a waiting object'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one', {}, { finalizers: ['example.com/a'] }));
    await api.quietly.delete(api.path('configmaps', 'one'));
    await api.patch(
      'merge',
      api.path('configmaps', 'one'),
      { metadata: { finalizers: null } },
      { query: { dryRun: 'All' } },
    );
    await api.get(api.path('configmaps', 'one'));
  },
});

const unknownInWidget = (): object => ({
  ...widget('one', { size: 1, unknown: 1, strict: { name: 'a', count: 1, more: 2 } }),
  top: true,
});

export const fieldValidationCases = cases('field validation', {
  ...table(
    { Strict: 'Strict', Warn: 'Warn', Ignore: 'Ignore', none: '', unknown: 'Harsh' },
    async (api, fieldValidation) => {
      const options = fieldValidation === '' ? {} : { query: { fieldValidation } };
      await api.create(api.fixture('widgets'), unknownInWidget(), options);
      await api.create(
        api.path('configmaps'),
        { ...configMap('one'), unknown: 1, metadata: { name: 'one', other: 2 } },
        options,
      );
      await api.create(api.path('leases'), { ...lease('one'), spec: { unknown: { deep: true } } }, options);
    },
  ),
  ...table(
    { Strict: 'Strict', Warn: 'Warn', Ignore: 'Ignore' },
    async (api, fieldValidation) => {
      const options = { query: { fieldValidation } };
      await api.create(
        api.path('configmaps'),
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"},"data":{"a":"1","a":"2"}}',
        options,
      );
      await api.create(
        api.fixture('widgets'),
        '{"apiVersion":"fixtures.conformance.test/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"size":1,"size":2}}',
        options,
      );
    },
    'duplicate keys: ',
  ),
  async patches(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    for (const fieldValidation of ['Strict', 'Warn', 'Ignore']) {
      await api.patch('merge', api.fixture('widgets', 'one'), { spec: { unknown: 1 } }, { query: { fieldValidation } });
      await api.patch('json', api.fixture('widgets', 'one'), [{ op: 'add', path: '/spec/unknown', value: 1 }], {
        query: { fieldValidation },
      });
      await api.patch('merge', api.path('configmaps', 'one'), { unknown: 1 }, { query: { fieldValidation } });
      await api.patch('strategic', api.path('configmaps', 'one'), { unknown: 1 }, { query: { fieldValidation } });
      await api.patch('apply', api.fixture('widgets', 'one'), widget('one', { unknown: 1 }), {
        query: { fieldValidation, fieldManager: 'm' },
      });
    }
  },
  async 'updates and status'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    for (const fieldValidation of ['Strict', 'Warn']) {
      await api.replace(api.fixture('widgets', 'one'), widget('one', { unknown: 1 }), { query: { fieldValidation } });
      await api.replace(
        api.fixture('widgets', 'one', 'status'),
        { ...widget('one'), status: { unknown: 1 } },
        { query: { fieldValidation } },
      );
    }
  },
  async 'unknown fields of metadata, and of an embedded object'(api) {
    for (const fieldValidation of ['Strict', 'Warn']) {
      await api.create(
        api.fixture('widgets'),
        { ...widget('one'), metadata: { name: 'one', unknown: 1 } },
        { query: { fieldValidation } },
      );
      await api.create(
        api.fixture('widgets'),
        widget('two', { template: { apiVersion: 'v1', kind: 'Pod', metadata: { unknown: 1 } } }),
        { query: { fieldValidation } },
      );
    }
  },
  async 'a definition with unknown fields'(api) {
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${api.group}` },
      spec: { group: api.group, unknown: 1 },
    };
    await api.create(api.path('customresourcedefinitions'), body, { query: { fieldValidation: 'Strict' } });
  },
});
