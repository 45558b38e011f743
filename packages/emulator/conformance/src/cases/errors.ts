import { dig, textOf } from '../answer.js';
import { cases, table } from '../case.js';
import { configMap, widget } from './objects.js';

const large = 'x'.repeat(3_200_000);

export const errorCases = cases('errors', {
  ...table(
    {
      'an unknown resource of core': '/api/v1/nothings',
      'an unknown resource in a namespace': '/api/v1/namespaces/default/nothings',
      'an unknown object': '/api/v1/namespaces/default/configmaps/nothing',
      'an unknown group': '/apis/nothing.example.com/v1/things',
      'an unknown version of core': '/api/v2/configmaps',
      'an unknown version of a group': '/apis/coordination.k8s.io/v9/leases',
      'an unknown resource of a group': '/apis/coordination.k8s.io/v1/nothings',
      'an unknown resource of a custom group': '/apis/fixtures.conformance.test/v1/nothings',
      'an unknown custom object': '/apis/fixtures.conformance.test/v1/namespaces/default/widgets/nothing',
      'a path that is nothing': '/nothing/at/all',
      'a path below the root': '/api/v1/namespaces/default/configmaps/a/b/c/d',
      'a double slash': '/api/v1//namespaces',
      'a slash at the end': '/api/v1/namespaces/default/secrets/',
      'a name with an escaped slash': '/api/v1/namespaces/default/configmaps/a%2Fb',
      'a name with a bad escape': '/api/v1/namespaces/default/configmaps/a%zz',
      'a namespaced path of a cluster-scoped kind':
        '/apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles',
      'an object of a namespaced kind without a namespace': '/api/v1/configmaps/one',
    },
    async (api, path) => {
      await api.get(path);
      await api.delete(path);
    },
  ),
  ...table(
    { DELETE: 'DELETE', PUT: 'PUT', POST: 'POST', OPTIONS: 'OPTIONS', TRACE: 'TRACE', BREW: 'BREW', PATCH: 'PATCH' },
    async (api, method) => {
      await api.request(
        method,
        '/api/v1/configmaps',
        method === 'PUT' || method === 'POST' || method === 'PATCH' ? {} : undefined,
      );
      await api.request(
        method,
        '/api/v1',
        method === 'PUT' || method === 'POST' || method === 'PATCH' ? {} : undefined,
      );
      await api.request(
        method,
        '/apis/fixtures.conformance.test/v1/widgets',
        method === 'PUT' || method === 'POST' || method === 'PATCH' ? {} : undefined,
      );
    },
    'a method that a collection of everything does not have: ',
  ),
  ...table(
    {
      'plain text': 'text/plain',
      XML: 'application/xml',
      'a wildcard': '*/*',
      'a wildcard of application': 'application/*',
      none: '',
      'one of several': 'text/html, application/json;q=0.9',
      YAML: 'application/yaml',
      'an unknown form': 'application/json;as=Picture;g=meta.k8s.io;v=v1',
      'a table of an unknown version': 'application/json;as=Table;g=meta.k8s.io;v=v9',
      'a table or JSON': 'application/json;as=Table;g=meta.k8s.io;v=v9,application/json',
      nonsense: ';;;',
    },
    async (api, accept) => {
      await api.quietly.create(api.path('configmaps'), configMap('one'));
      await api.quietly.create(api.fixture('widgets'), widget('one'));
      await api.get(api.path('configmaps', 'one'), { accept });
      await api.get(api.fixture('widgets', 'one'), { accept });
    },
    'accepting ',
  ),
  ...table(
    {
      'plain text': 'text/plain',
      'a form': 'application/x-www-form-urlencoded',
      none: '',
      'JSON with a charset': 'application/json; charset=utf-8',
      'a merge patch': 'application/merge-patch+json',
      nonsense: ';;;',
    },
    async (api, contentType) => {
      await api.create(api.path('configmaps'), configMap('one'), { contentType });
      await api.create(api.fixture('widgets'), widget('one'), { contentType });
    },
    'sending ',
  ),
  async 'YAML is taken'(api) {
    await api.create(
      api.path('configmaps'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: "1"\n',
      { contentType: 'application/yaml' },
    );
    await api.create(
      api.fixture('widgets'),
      'apiVersion: fixtures.conformance.test/v1\nkind: Widget\nmetadata:\n  name: one\nspec:\n  size: 5\n',
      { contentType: 'application/yaml' },
    );
  },
  ...table(
    {
      'no JSON': '{',
      'an empty body': '',
      'a list': '[]',
      'a string': '"text"',
      null: 'null',
      'a number': '5',
      'two objects': '{}{}',
      'an object and rubbish': '{"metadata":{"name":"one"}}x',
      'a bad escape': '{"metadata":{"name":"\\x"}}',
      'a lone surrogate': '{"metadata":{"name":"one"},"data":{"a":"\\ud800"}}',
      'case that differs': '{"Metadata":{"Name":"one"}}',
    },
    async (api, body) => {
      await api.create(api.path('configmaps'), body);
      await api.create(api.fixture('widgets'), body);
    },
    'a body that is ',
  ),
  ...table(
    { 'of a create': 'create', 'of an update': 'update', 'of a patch': 'patch' } as const,
    async (api, verb) => {
      await api.quietly.create(api.path('configmaps'), configMap('one'));
      if (verb === 'create') await api.create(api.path('configmaps'), configMap('two', { a: large }));
      else if (verb === 'update') await api.replace(api.path('configmaps', 'one'), configMap('one', { a: large }));
      else await api.patch('merge', api.path('configmaps', 'one'), { data: { a: large } });
    },
    'a body that is too large ',
  ),
  async 'a custom resource that is too large for the store'(api) {
    await api.create(api.fixture('widgets'), widget('one', { free: { a: 'x'.repeat(2_500_000) } }), {
      select: (body) => textOf(dig(body, ['message'])).replace(/\(\d+ vs/u, '(more vs'),
    });
  },
  async 'a namespace that is missing, for custom resources'(api) {
    await api.create('/apis/fixtures.conformance.test/v1/namespaces/nowhere/widgets', widget('one'));
    await api.get('/apis/fixtures.conformance.test/v1/namespaces/nowhere/widgets');
  },
  async 'kind and version of a custom resource must fit'(api) {
    await api.create(api.fixture('widgets'), { ...widget('one'), kind: 'Gadget' });
    await api.create(api.fixture('widgets'), { ...widget('one'), apiVersion: 'fixtures.conformance.test/v2' });
    await api.create(api.fixture('widgets'), { ...widget('one'), apiVersion: 'v1' });
    await api.create(api.fixture('widgets'), { metadata: { name: 'one' } });
    await api.create(api.fixture('widgets'), { kind: 'Widget', metadata: { name: 'one' } });
    await api.create(api.fixture('widgets'), { apiVersion: 'fixtures.conformance.test/v1', metadata: { name: 'one' } });
    await api.create(api.fixture('widgets'), { ...widget('one'), apiVersion: 5 });
  },
  async 'name and namespace of a custom resource must fit'(api) {
    await api.create(api.fixture('widgets'), widget('one', {}, { namespace: 'other' }));
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.replace(api.fixture('widgets', 'one'), widget('two'));
    await api.replace(api.fixture('widgets', 'one'), widget('one', {}, { namespace: 'other' }));
  },
  async 'pretty output'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.get(api.path('configmaps', 'one'), { query: { pretty: 'true' } });
  },
});
