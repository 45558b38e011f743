import { cases, table } from '../case.js';
import { configMap, widget } from './objects.js';

const initial = {
  sendInitialEvents: 'true',
  allowWatchBookmarks: 'true',
  resourceVersionMatch: 'NotOlderThan',
} as const;

export const watchCases = cases('watches', {
  ...table({ ConfigMaps: 'configmaps', 'custom resources': 'widgets' } as const, async (api, kind) => {
    const [collection, make] =
      kind === 'widgets'
        ? ([
            api.fixture('widgets'),
            (name: string, note: string) => widget(name, {}, { annotations: { note } }),
          ] as const)
        : ([
            api.path('configmaps'),
            (name: string, note: string) => configMap(name, {}, { annotations: { note } }),
          ] as const);
    const { resourceVersion } = await api.quietly.get(collection);
    await api.quietly.create(collection, make('one', 'first'));
    await using watch = await api.watch(collection, { query: { resourceVersion } });
    await watch.take(1);
    await api.patch('merge', `${collection}/one`, { metadata: { annotations: { note: 'second' } } });
    await api.create(collection, make('two', 'first'));
    await api.quietly.delete(`${collection}/one`);
    await watch.take(3);
  }),
  async 'from now on: without a resourceVersion it begins with what is there'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.quietly.create(api.path('configmaps'), configMap('two'));
    await using watch = await api.watch(api.path('configmaps'));
    await watch.take(2);
    await api.quietly.create(api.path('configmaps'), configMap('three'));
    await watch.take(1);
  },
  async 'resourceVersion 0 begins with what is there'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.quietly.get(api.path('configmaps'));
    await using watch = await api.watch(api.path('configmaps'), { query: { resourceVersion: '0' } });
    await watch.take(1);
  },
  async 'the events after a resourceVersion come in order'(api) {
    const { resourceVersion } = await api.quietly.create(api.path('configmaps'), configMap('one', { n: '0' }));
    for (const n of ['1', '2', '3']) await api.quietly.patch('merge', api.path('configmaps', 'one'), { data: { n } });
    await api.quietly.delete(api.path('configmaps', 'one'));
    await api.quietly.create(api.path('configmaps'), configMap('one', { n: 'again' }));
    await using watch = await api.watch(api.path('configmaps'), { query: { resourceVersion } });
    const events = await watch.take(5);
    api.note(
      'rising',
      events.every(
        ({ object }, index) =>
          index === 0 || BigInt(object.resourceVersion) > BigInt(events[index - 1]?.object.resourceVersion ?? 0),
      ),
    );
  },
  async 'a deletion has a resourceVersion of its own'(api) {
    const created = await api.create(api.path('configmaps'), configMap('one', { a: 'b' }));
    await using watch = await api.watch(api.path('configmaps'), {
      query: { resourceVersion: created.resourceVersion },
    });
    await api.quietly.delete(api.path('configmaps', 'one'));
    const [event] = await watch.take(1);
    api.note('later than the creation', BigInt(event?.object.resourceVersion ?? 0) > BigInt(created.resourceVersion));
  },
  async 'a finalizer makes a deletion an event MODIFIED first'(api) {
    const created = await api.create(api.fixture('widgets'), widget('one', {}, { finalizers: ['example.com/hold'] }));
    await using watch = await api.watch(api.fixture('widgets'), {
      query: { resourceVersion: created.resourceVersion },
    });
    await api.delete(api.fixture('widgets', 'one'));
    await watch.take(1);
    await api.patch('merge', api.fixture('widgets', 'one'), { metadata: { finalizers: [] } });
    await watch.take(1);
  },
  async 'with a label selector objects come and go'(api) {
    const { resourceVersion } = await api.quietly.get(api.path('configmaps'));
    await using watch = await api.watch(api.path('configmaps'), {
      query: { resourceVersion, labelSelector: 'in=yes' },
    });
    await api.quietly.create(api.path('configmaps'), configMap('other'));
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.quietly.patch('merge', api.path('configmaps', 'one'), { metadata: { labels: { in: 'yes' } } });
    await api.quietly.patch('merge', api.path('configmaps', 'one'), { data: { a: 'b' } });
    await api.quietly.patch('merge', api.path('configmaps', 'one'), {
      metadata: { labels: { in: 'no' } },
      data: { a: 'c' },
    });
    await api.quietly.patch('merge', api.path('configmaps', 'one'), { metadata: { labels: { in: 'yes' } } });
    await api.quietly.delete(api.path('configmaps', 'one'));
    await watch.take(5);
  },
  async 'one object by its name'(api) {
    const { resourceVersion } = await api.quietly.get(api.path('configmaps'));
    await using watch = await api.watch(api.path('configmaps'), {
      query: { resourceVersion, fieldSelector: 'metadata.name=two' },
    });
    for (const name of ['one', 'two', 'three']) await api.quietly.create(api.path('configmaps'), configMap(name));
    await api.quietly.delete(api.path('configmaps', 'two'));
    await watch.take(2);
  },
  async 'one object by its path'(api) {
    const { resourceVersion } = await api.quietly.create(api.path('configmaps'), configMap('one'));
    await using watch = await api.watch(api.path('configmaps', 'one'), { query: { resourceVersion } });
    await api.quietly.create(api.path('configmaps'), configMap('two'));
    await api.quietly.patch('merge', api.path('configmaps', 'one'), { data: { a: 'b' } });
    await watch.take(1);
  },
  async 'a selectable field of a custom resource'(api) {
    const { resourceVersion } = await api.quietly.get(api.fixture('widgets'));
    await using watch = await api.watch(api.fixture('widgets'), {
      query: { resourceVersion, fieldSelector: 'spec.mode=Slow' },
    });
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.quietly.patch('merge', api.fixture('widgets', 'one'), { spec: { mode: 'Slow' } });
    await api.quietly.patch('merge', api.fixture('widgets', 'one'), { spec: { mode: 'Fast' } });
    await watch.take(2);
  },
  async 'the initial events end with a bookmark'(api) {
    for (const name of ['b', 'a']) await api.quietly.create(api.path('configmaps'), configMap(name));
    await using watch = await api.watch(api.path('configmaps'), { query: initial });
    await watch.take(3);
    await api.quietly.create(api.path('configmaps'), configMap('c'));
    await watch.take(1);
  },
  async 'the initial events of nothing'(api) {
    await using watch = await api.watch(api.fixture('widgets'), { query: initial });
    await watch.take(1);
  },
  async 'the initial events with a selector'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('one', {}, { labels: { in: 'yes' } }));
    await api.quietly.create(api.fixture('widgets'), widget('two'));
    await using watch = await api.watch(api.fixture('widgets'), { query: { ...initial, labelSelector: 'in=yes' } });
    await watch.take(2);
  },
  async 'the initial events not older than a version'(api) {
    const { resourceVersion } = await api.quietly.create(api.fixture('widgets'), widget('one'));
    await using watch = await api.watch(api.fixture('widgets'), { query: { ...initial, resourceVersion } });
    await watch.take(2);
  },
  ...table(
    {
      'sendInitialEvents without a match': { sendInitialEvents: 'true', allowWatchBookmarks: 'true' },
      'sendInitialEvents with Exact': {
        sendInitialEvents: 'true',
        resourceVersionMatch: 'Exact',
        resourceVersion: '1',
      },
      'a match without sendInitialEvents': { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
      'a resourceVersion that is none': { resourceVersion: 'x' },
      'a label selector that is none': { labelSelector: '!' },
      'a field that cannot be selected': { fieldSelector: 'data.a=b' },
      'a bad boolean': { sendInitialEvents: 'maybe', resourceVersionMatch: 'NotOlderThan' },
    },
    async (api, query) => {
      await api.get(api.path('configmaps'), { query: { watch: 'true', timeoutSeconds: '1', ...query } });
    },
  ),
  async 'it ends after timeoutSeconds'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await using watch = await api.watch(api.path('configmaps'), { query: { timeoutSeconds: '1' } });
    await watch.rest();
  },
  async 'a watch of what does not exist'(api) {
    await api.get(`/apis/${api.group}/v1/nothings`, { query: { watch: 'true' } });
    await api.get('/api/v1/nothings', { query: { watch: 'true' } });
  },
  async 'the old watch path'(api) {
    const { resourceVersion } = await api.quietly.get(api.path('configmaps'));
    await using watch = await api.watch(`/api/v1/watch/namespaces/${api.namespace}/configmaps`, {
      query: { resourceVersion },
    });
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await watch.take(1);
  },
  async 'a status write is an event of the object'(api) {
    const { resourceVersion } = await api.quietly.create(api.fixture('widgets'), widget('one'));
    await using watch = await api.watch(api.fixture('widgets'), { query: { resourceVersion } });
    await api.quietly.patch('merge', api.fixture('widgets', 'one', 'status'), { status: { phase: 'Ready' } });
    await watch.take(1);
  },
  async 'a write that changes nothing is no event'(api) {
    const { resourceVersion } = await api.quietly.create(api.path('configmaps'), configMap('one', { a: 'b' }));
    await using watch = await api.watch(api.path('configmaps'), { query: { resourceVersion } });
    await api.patch('merge', api.path('configmaps', 'one'), { data: { a: 'b' } });
    await api.replace(api.path('configmaps', 'one'), configMap('one', { a: 'b' }));
    await api.quietly.create(api.path('configmaps'), configMap('end'));
    await watch.take(1);
  },
  async 'objects come in the version that was asked for'(api) {
    const gears = `/apis/fixtures.conformance.test/v1beta1/namespaces/${api.namespace}/gears`;
    const { resourceVersion } = await api.quietly.get(gears);
    await using watch = await api.watch(gears, { query: { resourceVersion } });
    await api.quietly.create(api.fixture('gears'), {
      apiVersion: 'fixtures.conformance.test/v1',
      kind: 'Gear',
      metadata: { name: 'one' },
      spec: { color: 'red' },
    });
    await watch.take(1);
  },
  async 'metadata alone'(api) {
    const { resourceVersion } = await api.quietly.get(api.fixture('widgets'));
    await using watch = await api.watch(api.fixture('widgets'), {
      query: { resourceVersion },
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    await api.quietly.create(api.fixture('widgets'), widget('one', { size: 1 }, { labels: { a: 'b' } }));
    await watch.take(1);
  },
  async 'as a table'(api) {
    const { resourceVersion } = await api.quietly.get(api.fixture('widgets'));
    await using watch = await api.watch(api.fixture('widgets'), {
      query: { resourceVersion },
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    await api.quietly.create(api.fixture('widgets'), widget('one', { size: 1 }));
    await api.quietly.create(api.fixture('widgets'), widget('two', { size: 2 }));
    await watch.take(2);
  },
  async 'a deleted collection is an event for each'(api) {
    for (const name of ['a', 'b']) await api.quietly.create(api.path('configmaps'), configMap(name));
    const { resourceVersion } = await api.quietly.get(api.path('configmaps'));
    await using watch = await api.watch(api.path('configmaps'), { query: { resourceVersion } });
    await api.quietly.delete(api.path('configmaps'));
    const events = await watch.take(2);
    api.note(
      'all deleted',
      events.every(({ type }) => type === 'DELETED'),
    );
  },
});
