import { cases, table } from '../case.js';
import { configMap, serviceAccount, widget } from './objects.js';

const start = widget('one', {
  size: 5,
  tags: ['a', 'b'],
  strict: { name: 'n', count: 1 },
  ports: [
    { port: 80, name: 'http' },
    { port: 443, name: 'https' },
  ],
  free: { list: [1, 2, 3], 'a/b': 1, 'c~d': 2 },
});

export const patchCases = cases('patches', {
  ...table(
    {
      add: [{ op: 'add', path: '/spec/title', value: 'new' }],
      'add over what is there': [{ op: 'add', path: '/spec/size', value: 6 }],
      'add at an index': [{ op: 'add', path: '/spec/free/list/1', value: 'x' }],
      'add at the end': [{ op: 'add', path: '/spec/free/list/-', value: 'x' }],
      'add beyond the end': [{ op: 'add', path: '/spec/free/list/9', value: 'x' }],
      'add below what is missing': [{ op: 'add', path: '/spec/missing/a', value: 1 }],
      'add without a value': [{ op: 'add', path: '/spec/title' }],
      'add null': [{ op: 'add', path: '/spec/maybe', value: null }],
      remove: [{ op: 'remove', path: '/spec/size' }],
      'remove what is missing': [{ op: 'remove', path: '/spec/title' }],
      'remove an item': [{ op: 'remove', path: '/spec/free/list/0' }],
      'remove an item that is missing': [{ op: 'remove', path: '/spec/free/list/7' }],
      replace: [{ op: 'replace', path: '/spec/size', value: 7 }],
      'replace what is missing': [{ op: 'replace', path: '/spec/title', value: 'x' }],
      move: [{ op: 'move', from: '/spec/free/list', path: '/spec/free/moved' }],
      'move from what is missing': [{ op: 'move', from: '/spec/missing', path: '/spec/free/moved' }],
      copy: [{ op: 'copy', from: '/spec/size', path: '/spec/replicas' }],
      'copy from what is missing': [{ op: 'copy', from: '/spec/missing', path: '/spec/free/copied' }],
      'test that holds': [
        { op: 'test', path: '/spec/size', value: 5 },
        { op: 'replace', path: '/spec/size', value: 6 },
      ],
      'test that fails': [
        { op: 'test', path: '/spec/size', value: 6 },
        { op: 'replace', path: '/spec/size', value: 7 },
      ],
      'test of what is missing': [{ op: 'test', path: '/spec/title', value: 'x' }],
      'test for null of what is missing': [{ op: 'test', path: '/spec/title', value: null }],
      'test of an object': [{ op: 'test', path: '/spec/strict', value: { count: 1, name: 'n', unit: 'kg' } }],
      'escaped keys': [
        { op: 'replace', path: '/spec/free/a~1b', value: 3 },
        { op: 'remove', path: '/spec/free/c~0d' },
      ],
      'several at once': [
        { op: 'add', path: '/metadata/labels', value: {} },
        { op: 'add', path: '/metadata/labels/a', value: 'b' },
        { op: 'remove', path: '/spec/tags' },
      ],
      'an unknown operation': [{ op: 'increment', path: '/spec/size', value: 1 }],
      'no operation': [{ path: '/spec/size', value: 1 }],
      'no path': [{ op: 'add', value: 1 }],
      'a path without a slash': [{ op: 'add', path: 'spec/size', value: 1 }],
      'an empty patch': [],
      'no list': { op: 'add', path: '/spec/size', value: 1 },
      'the whole object': [
        {
          op: 'replace',
          path: '',
          value: {
            apiVersion: start['apiVersion'] ?? null,
            kind: 'Widget',
            metadata: { name: 'one' },
            spec: { size: 9 },
          },
        },
      ],
      'what ends up invalid': [{ op: 'replace', path: '/spec/size', value: 500 }],
      'the name': [{ op: 'replace', path: '/metadata/name', value: 'two' }],
      'the kind': [{ op: 'replace', path: '/kind', value: 'Other' }],
      'the uid': [{ op: 'replace', path: '/metadata/uid', value: '11111111-1111-1111-1111-111111111111' }],
      'the resourceVersion': [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
      'the status': [{ op: 'add', path: '/status', value: { phase: 'Ready' } }],
      'the generation': [{ op: 'replace', path: '/metadata/generation', value: 99 }],
      'the creation time': [{ op: 'replace', path: '/metadata/creationTimestamp', value: '2001-01-01T00:00:00Z' }],
      'a deletion time': [{ op: 'add', path: '/metadata/deletionTimestamp', value: '2001-01-01T00:00:00Z' }],
      'an unknown field': [{ op: 'add', path: '/spec/unknown', value: 1 }],
    },
    async (api, patch) => {
      await api.quietly.create(api.fixture('widgets'), start);
      await api.patch('json', api.fixture('widgets', 'one'), patch);
    },
  ),
  ...table(
    {
      'merge: change, add and remove': { spec: { size: 6, title: 'new', tags: null } },
      'merge: a list is replaced': { spec: { tags: ['c'], ports: [{ port: 1 }] } },
      'merge: null in a list stays': { spec: { free: { list: [null, 1] } } },
      'merge: nulls in something new are left out': { spec: { free: { fresh: { a: null, b: { c: null } } } } },
      'merge: an object in place of a value': { spec: { size: { a: 1 } } },
      'merge: nothing': {},
      'merge: of labels': { metadata: { labels: { a: 'b' }, annotations: { c: null } } },
      'merge: of the name': { metadata: { name: 'two' } },
      'merge: of the namespace': { metadata: { namespace: 'other' } },
      'merge: of the uid': { metadata: { uid: '11111111-1111-1111-1111-111111111111' } },
      'merge: of the resourceVersion': { metadata: { resourceVersion: '1' } },
      'merge: of no resourceVersion': { metadata: { resourceVersion: null }, spec: { size: 6 } },
      'merge: of the generation': { metadata: { generation: 50 } },
      'merge: of the apiVersion': { apiVersion: 'v1' },
      'merge: of the kind': { kind: 'Gadget' },
      'merge: spec null': { spec: null },
      'merge: metadata null': { metadata: null },
      'merge: a list': [1, 2],
      'merge: a string': '"text"',
      'merge: no JSON': '{',
      'merge: managedFields': { metadata: { managedFields: [] } },
      'merge: a finalizer': { metadata: { finalizers: ['example.com/a'] } },
      'merge: ownerReferences': {
        metadata: {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '11111111-1111-1111-1111-111111111111' },
          ],
        },
      },
    },
    async (api, patch) => {
      await api.quietly.create(api.fixture('widgets'), start);
      await api.patch('merge', api.fixture('widgets', 'one'), patch);
    },
  ),
  async 'a patch of an object that is missing'(api) {
    for (const type of ['json', 'merge', 'strategic'] as const)
      await api.patch(type, api.path('configmaps', 'one'), type === 'json' ? [] : {});
    await api.patch('merge', api.fixture('widgets', 'one'), {});
  },
  async 'a strategic patch of a custom resource is not possible'(api) {
    await api.quietly.create(api.fixture('widgets'), start);
    await api.patch('strategic', api.fixture('widgets', 'one'), { spec: { size: 6 } });
  },
  ...table(
    {
      'strategic: merge of maps': { data: { a: 'changed', b: null, c: 'new' } },
      'strategic: replace of a map': { data: { $patch: 'replace', only: 'this' } },
      'strategic: delete of a map': { data: { $patch: 'delete' } },
      'strategic: an unknown directive': { data: { $patch: 'twist' } },
      'strategic: retain keys': { data: { $retainKeys: ['a'], a: 'kept' } },
      'strategic: of metadata': { metadata: { labels: { a: 'b' }, finalizers: ['example.com/one'] } },
      'strategic: nothing': {},
      'strategic: a wrong type': { data: 'text' },
      'strategic: an unknown field': { spec: { a: 1 } },
      'strategic: no object': '[]',
    },
    async (api, patch) => {
      await api.quietly.create(api.path('configmaps'), configMap('one', { a: '1', b: '2' }));
      await api.patch('strategic', api.path('configmaps', 'one'), patch);
    },
  ),
  async 'strategic: lists that are merged by key'(api) {
    await api.quietly.create(
      api.path('serviceaccounts'),
      serviceAccount('one', { imagePullSecrets: [{ name: 'a' }, { name: 'b' }] }),
    );
    await api.patch('strategic', api.path('serviceaccounts', 'one'), { imagePullSecrets: [{ name: 'c' }] });
    await api.patch('strategic', api.path('serviceaccounts', 'one'), {
      imagePullSecrets: [{ $patch: 'delete', name: 'a' }],
    });
    await api.patch('strategic', api.path('serviceaccounts', 'one'), {
      imagePullSecrets: [{ $patch: 'replace' }, { name: 'z' }],
    });
  },
  async 'strategic: finalizers and owners'(api) {
    const owner = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: `${name.repeat(8)}-1111-1111-1111-111111111111`,
    });
    await api.quietly.create(
      api.path('configmaps'),
      configMap('one', {}, { finalizers: ['example.com/a', 'example.com/b'] }),
    );
    await api.patch('strategic', api.path('configmaps', 'one'), { metadata: { ownerReferences: [owner('1')] } });
    await api.patch('strategic', api.path('configmaps', 'one'), {
      metadata: { ownerReferences: [owner('2')], finalizers: ['example.com/c'] },
    });
    await api.patch('strategic', api.path('configmaps', 'one'), {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
    });
  },
  async 'JSON patch of a built-in kind'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one', { a: '1' }));
    await api.patch('json', api.path('configmaps', 'one'), [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b', value: '2' },
    ]);
    await api.patch('json', api.path('configmaps', 'one'), [{ op: 'test', path: '/data/a', value: '2' }]);
    await api.patch('json', api.path('configmaps', 'one'), [{ op: 'replace', path: '/data', value: 5 }]);
    await api.patch('json', api.path('configmaps', 'one'), [{ op: 'replace', path: '/data/a', value: 5 }]);
  },
  async 'a patch of 10 001 operations'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.patch(
      'json',
      api.path('configmaps', 'one'),
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' })),
    );
  },
  ...table(
    {
      'a content type that is no patch': 'application/json',
      'no known content type': 'text/plain',
      'an empty content type': '',
      'a content type with parameters': 'application/merge-patch+json; charset=utf-8',
    },
    async (api, contentType) => {
      await api.quietly.create(api.path('configmaps'), configMap('one'));
      await api.patch('merge', api.path('configmaps', 'one'), { data: { a: 'b' } }, { contentType });
    },
  ),
  async 'a patch with a resourceVersion is a precondition'(api) {
    const before = await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.patch('merge', api.path('configmaps', 'one'), {
      metadata: { resourceVersion: before.resourceVersion },
      data: { a: '1' },
    });
    await api.patch('merge', api.path('configmaps', 'one'), {
      metadata: { resourceVersion: before.resourceVersion },
      data: { a: '2' },
    });
    await api.patch('merge', api.path('configmaps', 'one'), { metadata: { uid: before.uid }, data: { a: '3' } });
    await api.patch('merge', api.path('configmaps', 'one'), {
      metadata: { uid: '11111111-1111-1111-1111-111111111111' },
      data: { a: '4' },
    });
  },
});
