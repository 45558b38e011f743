import { cases, table } from '../case.js';
import { configMap } from './objects.js';

export const configMapCases = cases('configmaps', {
  async 'a created one is answered and can be read'(api) {
    await api.create(
      api.path('configmaps'),
      configMap('one', { key: 'value' }, { labels: { a: 'b' }, annotations: { c: 'd' } }),
    );
    await api.get(api.path('configmaps', 'one'));
  },
  async 'without data'(api) {
    await api.create(api.path('configmaps'), configMap('one'));
  },
  async 'with binaryData'(api) {
    await api.create(api.path('configmaps'), { ...configMap('one'), binaryData: { key: 'AAEC/w==' } });
  },
  async 'binaryData that is no base64 is refused'(api) {
    await api.create(api.path('configmaps'), { ...configMap('one'), binaryData: { key: '***' } });
  },
  async 'the same key in data and binaryData is refused'(api) {
    await api.create(api.path('configmaps'), { ...configMap('one', { key: 'a' }), binaryData: { key: 'AAEC' } });
  },
  async 'a key with characters that are not allowed is refused'(api) {
    await api.create(api.path('configmaps'), configMap('one', { 'not/allowed': 'a', '..': 'b', '.': 'c' }));
  },
  async 'a value that is no string is refused'(api) {
    await api.create(api.path('configmaps'), configMap('one', { key: 5 }));
  },
  async 'a null value becomes an empty string'(api) {
    await api.create(api.path('configmaps'), configMap('one', { key: null }));
  },
  async 'more than a MiB of data is refused'(api) {
    await api.create(api.path('configmaps'), configMap('one', { key: 'x'.repeat(1_048_577) }));
  },
  async 'replacing changes data and keeps uid and creation time'(api) {
    await api.create(api.path('configmaps'), configMap('one', { key: 'value', gone: 'soon' }));
    await api.replace(api.path('configmaps', 'one'), configMap('one', { key: 'other' }));
    await api.get(api.path('configmaps', 'one'));
  },
  async 'replacing with the same content keeps the resourceVersion'(api) {
    await api.create(api.path('configmaps'), configMap('one', { key: 'value' }));
    await api.replace(api.path('configmaps', 'one'), configMap('one', { key: 'value' }));
  },
  async 'replacing one that is missing is 404'(api) {
    await api.replace(api.path('configmaps', 'one'), configMap('one'));
  },
  async 'deleting answers with a Status'(api) {
    await api.create(api.path('configmaps'), configMap('one'));
    await api.delete(api.path('configmaps', 'one'));
    await api.get(api.path('configmaps', 'one'));
    await api.delete(api.path('configmaps', 'one'));
  },
  async 'deleting a collection answers with the list of what is gone'(api) {
    for (const name of ['one', 'two', 'three'])
      await api.quietly.create(
        api.path('configmaps'),
        configMap(name, {}, { labels: { odd: String(name !== 'two') } }),
      );
    await api.delete(api.path('configmaps'), undefined, { query: { labelSelector: 'odd=true' } });
    await api.get(api.path('configmaps'));
  },
  async 'listing all namespaces'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one', {}, { labels: { of: api.id } }));
    await api.get('/api/v1/configmaps', { query: { labelSelector: `of=${api.id}` } });
  },
  async 'an empty list has items'(api) {
    await api.get(api.path('configmaps'));
  },
  async 'a list is in the order of names'(api) {
    for (const name of ['b', 'a.b', 'a-b', 'ab', 'a0'])
      await api.quietly.create(api.path('configmaps'), configMap(name));
    await api.get(api.path('configmaps'));
  },
  async 'an immutable one: data stays, labels may change, and it stays immutable'(api) {
    await api.create(api.path('configmaps'), { ...configMap('one', { key: 'value' }), immutable: true });
    await api.replace(api.path('configmaps', 'one'), { ...configMap('one', { key: 'other' }), immutable: true });
    await api.replace(api.path('configmaps', 'one'), { ...configMap('one', { key: 'value' }), immutable: false });
    await api.replace(api.path('configmaps', 'one'), {
      ...configMap('one', { key: 'value' }, { labels: { a: 'b' } }),
      immutable: true,
    });
    await api.patch('merge', api.path('configmaps', 'one'), { binaryData: { b: 'AAEC' } });
    await api.patch('merge', api.path('configmaps', 'one'), { immutable: null });
  },
  async 'fields that a ConfigMap does not have are dropped'(api) {
    await api.create(
      api.path('configmaps'),
      { ...configMap('one'), spec: { a: 1 }, status: {} },
      { query: { fieldValidation: 'Ignore' } },
    );
  },
  async 'a namespace that does not exist'(api) {
    await api.create('/api/v1/namespaces/nowhere/configmaps', configMap('one'));
    await api.get('/api/v1/namespaces/nowhere/configmaps');
    await api.get('/api/v1/namespaces/nowhere/configmaps/one');
  },
  async 'the namespace in the body must be that of the path'(api) {
    await api.create(api.path('configmaps'), configMap('one', {}, { namespace: 'other' }));
    await api.create(api.path('configmaps'), configMap('one', {}, { namespace: api.namespace }));
    await api.replace(api.path('configmaps', 'one'), configMap('one', {}, { namespace: 'other' }));
  },
  async 'the name in the body must be that of the path'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.replace(api.path('configmaps', 'one'), configMap('two'));
    await api.replace(api.path('configmaps', 'one'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
  },
  async 'creating one that exists is 409'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.create(api.path('configmaps'), configMap('one', { other: 'data' }));
  },
  async 'posting without a namespace is not possible'(api) {
    await api.create('/api/v1/configmaps', configMap('one'));
  },
  async 'posting to an object is not possible'(api) {
    await api.create(api.path('configmaps', 'one'), configMap('one'));
  },
  async 'putting to a collection is not possible'(api) {
    await api.replace(api.path('configmaps'), configMap('one'));
    await api.patch('merge', api.path('configmaps'), {});
  },
  async 'subresources that it does not have'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.get(api.path('configmaps', 'one', 'status'));
    await api.replace(api.path('configmaps', 'one', 'status'), configMap('one'));
    await api.get(api.path('configmaps', 'one', 'scale'));
  },
  ...table(
    {
      'kind that is another': { kind: 'Secret', apiVersion: 'v1' },
      'version that is another': { kind: 'ConfigMap', apiVersion: 'v2' },
      'group that is another': { kind: 'ConfigMap', apiVersion: 'apps/v1' },
      'kind that nobody knows': { kind: 'Nothing', apiVersion: 'v1' },
      'kind missing': { apiVersion: 'v1' },
      'apiVersion missing': { kind: 'ConfigMap' },
      'kind and apiVersion missing': {},
      'kind in lower case': { kind: 'configmap', apiVersion: 'v1' },
    },
    async (api, type) => {
      await api.create(api.path('configmaps'), { ...type, metadata: { name: 'one' } });
    },
  ),
});
