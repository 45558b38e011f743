import { cases, table } from '../case.js';
import { configMap, gadget, namespace, secret, widget } from './objects.js';

const foreign = '11111111-1111-1111-1111-111111111111';

export const deleteCases = cases('deletes', {
  ...table({ 'a ConfigMap': 'configmaps', 'a custom resource': 'widgets' } as const, async (api, kind) => {
    const collection = kind === 'widgets' ? api.fixture('widgets') : api.path('configmaps');
    const created = await api.create(collection, kind === 'widgets' ? widget('one') : configMap('one'));
    await api.delete(`${collection}/one`, { preconditions: { uid: foreign } });
    await api.delete(`${collection}/one`, { preconditions: { resourceVersion: '1' } });
    await api.delete(`${collection}/one`, { preconditions: { uid: created.uid, resourceVersion: '1' } });
    await api.delete(`${collection}/one`, {
      preconditions: { uid: created.uid, resourceVersion: created.resourceVersion },
    });
    await api.get(`${collection}/one`);
  }),
  async 'preconditions of what is missing'(api) {
    await api.delete(api.path('configmaps', 'one'), { preconditions: { uid: foreign } });
  },
  ...table(
    { 'a finalizer holds a ConfigMap': 'configmaps', 'a finalizer holds a custom resource': 'widgets' } as const,
    async (api, kind) => {
      const collection = kind === 'widgets' ? api.fixture('widgets') : api.path('configmaps');
      const meta = { finalizers: ['example.com/a', 'example.com/b'] };
      await api.create(collection, kind === 'widgets' ? widget('one', {}, meta) : configMap('one', {}, meta));
      await api.delete(`${collection}/one`);
      await api.delete(`${collection}/one`);
      await api.get(`${collection}/one`);
      await api.patch('merge', `${collection}/one`, { metadata: { labels: { still: 'here' } } });
      await api.patch('merge', `${collection}/one`, { metadata: { finalizers: ['example.com/b', 'example.com/c'] } });
      await api.patch('merge', `${collection}/one`, { metadata: { finalizers: ['example.com/b'] } });
      await api.patch('merge', `${collection}/one`, { metadata: { finalizers: null } });
      await api.get(`${collection}/one`);
    },
  ),
  async 'generation and deletionGracePeriodSeconds of a waiting custom resource'(api) {
    await api.create(api.fixture('widgets'), widget('one', { size: 1 }, { finalizers: ['example.com/a'] }));
    await api.delete(api.fixture('widgets', 'one'), { gracePeriodSeconds: 30 });
    await api.patch('merge', api.fixture('widgets', 'one'), { spec: { size: 2 } });
    await api.replace(api.fixture('widgets', 'one'), widget('one', { size: 3 }, { finalizers: ['example.com/a'] }));
  },
  async 'a waiting object cannot be created again'(api) {
    await api.create(api.path('configmaps'), configMap('one', {}, { finalizers: ['example.com/a'] }));
    await api.delete(api.path('configmaps', 'one'));
    await api.create(api.path('configmaps'), configMap('one'));
  },
  ...table(
    {
      Orphan: 'Orphan',
      Background: 'Background',
      Foreground: 'Foreground',
      'an unknown policy': 'Sideways',
    },
    async (api, propagationPolicy) => {
      await api.create(api.path('secrets'), secret('one'));
      await api.delete(api.path('secrets', 'one'), { propagationPolicy });
      await api.get(api.path('secrets', 'one'));
    },
  ),
  async 'propagation in the query'(api) {
    await api.create(api.path('secrets'), secret('one'));
    await api.delete(api.path('secrets', 'one'), undefined, { query: { propagationPolicy: 'Foreground' } });
  },
  async 'orphanDependents and propagationPolicy together'(api) {
    await api.create(api.path('secrets'), secret('one'));
    await api.delete(api.path('secrets', 'one'), { orphanDependents: true, propagationPolicy: 'Orphan' });
    await api.delete(api.path('secrets', 'one'), { orphanDependents: true });
  },
  async 'a negative grace period'(api) {
    await api.create(api.path('configmaps'), configMap('one'));
    await api.delete(api.path('configmaps', 'one'), { gracePeriodSeconds: -5 });
  },
  async 'a grace period in the query'(api) {
    await api.create(api.path('configmaps'), configMap('one'));
    await api.delete(api.path('configmaps', 'one'), undefined, { query: { gracePeriodSeconds: '0' } });
  },
  async 'the body must be DeleteOptions'(api) {
    await api.create(api.path('configmaps'), configMap('one'));
    await api.delete(api.path('configmaps', 'one'), { apiVersion: 'v1', kind: 'DeleteOptions' });
    await api.create(api.path('configmaps'), configMap('two'));
    await api.delete(api.path('configmaps', 'two'), { apiVersion: 'v1', kind: 'ConfigMap' });
    await api.delete(api.path('configmaps', 'two'), '{');
    await api.delete(api.path('configmaps', 'two'), { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' });
  },
  async 'a dry run deletes nothing'(api) {
    await api.create(api.fixture('widgets'), widget('one'));
    await api.delete(api.fixture('widgets', 'one'), { dryRun: ['All'] });
    await api.delete(api.fixture('widgets', 'one'), undefined, { query: { dryRun: 'All' } });
    await api.delete(api.fixture('widgets', 'one'), { dryRun: ['Some'] });
    await api.get(api.fixture('widgets', 'one'));
  },
  async 'a dry run of one with a finalizer'(api) {
    await api.create(api.fixture('widgets'), widget('one', {}, { finalizers: ['example.com/a'] }));
    await api.delete(api.fixture('widgets', 'one'), { dryRun: ['All'] });
    await api.get(api.fixture('widgets', 'one'));
  },
  async 'a finalizer cannot be added once it is going'(api) {
    await api.create(api.path('configmaps'), configMap('one', {}, { finalizers: ['example.com/a'] }));
    await api.delete(api.path('configmaps', 'one'));
    await api.patch('json', api.path('configmaps', 'one'), [
      { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/b' },
    ]);
  },
  async 'a deletion time cannot be set by an update'(api) {
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.replace(
      api.path('configmaps', 'one'),
      configMap('one', {}, { deletionTimestamp: '2001-01-01T00:00:00Z', finalizers: ['example.com/a'] }),
    );
    await api.create(
      api.path('configmaps'),
      configMap('two', {}, { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 }),
    );
  },
  async 'a collection with finalizers in between'(api) {
    await api.quietly.create(api.fixture('widgets'), widget('a'));
    await api.quietly.create(api.fixture('widgets'), widget('b', {}, { finalizers: ['example.com/a'] }));
    await api.delete(api.fixture('widgets'));
    await api.get(api.fixture('widgets'));
  },
  async 'a collection by a field selector'(api) {
    for (const name of ['a', 'b']) await api.quietly.create(api.path('configmaps'), configMap(name));
    await api.delete(api.path('configmaps'), undefined, { query: { fieldSelector: 'metadata.name=a' } });
    await api.delete(api.path('configmaps'), undefined, { query: { labelSelector: '!' } });
    await api.get(api.path('configmaps'));
  },
  async 'a collection as a dry run'(api) {
    for (const name of ['a', 'b']) await api.quietly.create(api.path('configmaps'), configMap(name));
    await api.delete(api.path('configmaps'), undefined, { query: { dryRun: 'All' } });
    await api.get(api.path('configmaps'));
  },
  async 'cluster-scoped custom resources'(api) {
    await api.create(api.fixture('gadgets'), gadget(`${api.id}-a`));
    await api.delete(api.fixture('gadgets', `${api.id}-a`));
    await api.delete(api.fixture('gadgets', `${api.id}-a`));
  },
});

/** Deletions that an API server begins and controllers finish. */
export const controllerCases = cases(
  'controllers',
  {
    async 'dependents go after their owner'(api) {
      const owner = await api.create(api.path('configmaps'), configMap('owner'));
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid };
      await api.create(api.path('secrets'), secret('dependent', {}, { ownerReferences: [reference] }));
      await api.create(api.path('secrets'), secret('other'));
      await api.delete(api.path('configmaps', 'owner'));
      await api.until(api.path('secrets', 'dependent'), ({ status }) => status === 404);
      await api.get(api.path('secrets', 'other'));
    },
    async 'dependents stay when they are orphaned'(api) {
      const owner = await api.create(api.path('configmaps'), configMap('owner'));
      await api.quietly.create(
        api.path('secrets'),
        secret(
          'dependent',
          {},
          { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid }] },
        ),
      );
      await api.delete(api.path('configmaps', 'owner'), { propagationPolicy: 'Orphan' });
      await api.until(api.path('configmaps', 'owner'), ({ status }) => status === 404);
      await api.until(
        api.path('secrets', 'dependent'),
        (answer) => answer.at('metadata', 'ownerReferences') === undefined,
      );
    },
    async 'the owner waits for its dependents in the foreground'(api) {
      const owner = await api.create(api.path('configmaps'), configMap('owner'));
      await api.quietly.create(
        api.path('secrets'),
        secret(
          'dependent',
          {},
          {
            finalizers: ['example.com/hold'],
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid, blockOwnerDeletion: true },
            ],
          },
        ),
      );
      await api.delete(api.path('configmaps', 'owner'), { propagationPolicy: 'Foreground' });
      await api.until(
        api.path('secrets', 'dependent'),
        (answer) => answer.at('metadata', 'deletionTimestamp') !== undefined,
      );
      await api.get(api.path('configmaps', 'owner'));
      await api.quietly.patch('merge', api.path('secrets', 'dependent'), { metadata: { finalizers: null } });
      await api.until(api.path('configmaps', 'owner'), ({ status }) => status === 404);
    },
    async 'one with two owners stays until both are gone'(api) {
      const owners = [
        await api.quietly.create(api.path('configmaps'), configMap('a')),
        await api.quietly.create(api.path('configmaps'), configMap('b')),
      ];
      await api.quietly.create(
        api.path('secrets'),
        secret(
          'dependent',
          {},
          {
            ownerReferences: owners.map((owner) => ({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: owner.name,
              uid: owner.uid,
            })),
          },
        ),
      );
      await api.quietly.delete(api.path('configmaps', 'a'));
      await api.until(
        api.path('secrets', 'dependent'),
        (answer) => !JSON.stringify(answer.at('metadata', 'ownerReferences') ?? []).includes('"a"'),
      );
      await api.quietly.delete(api.path('configmaps', 'b'));
      await api.until(api.path('secrets', 'dependent'), ({ status }) => status === 404);
    },
    async 'an owner that never was'(api) {
      await api.create(
        api.path('secrets'),
        secret(
          'dependent',
          {},
          { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: foreign }] },
        ),
      );
      await api.until(api.path('secrets', 'dependent'), ({ status }) => status === 404);
    },
    async 'a cluster-scoped owner'(api) {
      const owner = await api.quietly.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: `${api.id}-owner` },
        rules: [],
      });
      await api.quietly.create(
        api.path('secrets'),
        secret(
          'dependent',
          {},
          {
            ownerReferences: [
              { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: owner.name, uid: owner.uid },
            ],
          },
        ),
      );
      await api.delete(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${owner.name}`);
      await api.until(api.path('secrets', 'dependent'), ({ status }) => status === 404);
    },
    async 'a namespace ends with what is in it'(api) {
      const path = `/api/v1/namespaces/${api.id}-a`;
      await api.create('/api/v1/namespaces', namespace(`${api.id}-a`));
      await api.quietly.create(`${path}/configmaps`, configMap('one'));
      await api.delete(path);
      await api.until(path, ({ status }) => status === 404);
      await api.get(`${path}/configmaps/one`);
    },
    async 'nothing is created in a namespace that ends'(api) {
      const path = `/api/v1/namespaces/${api.id}-a`;
      await api.quietly.create('/api/v1/namespaces', namespace(`${api.id}-a`));
      await api.quietly.create(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/hold'] }));
      await api.quietly.delete(path);
      await api.create(`${path}/configmaps`, configMap('late'));
      await api.create(`/apis/fixtures.conformance.test/v1/namespaces/${api.id}-a/widgets`, widget('late'));
      await api.until(`${path}/configmaps/held`, (answer) => answer.at('metadata', 'deletionTimestamp') !== undefined);
      await api.patch('merge', `${path}/configmaps/held`, { data: { still: 'writable' } });
      await api.quietly.patch('merge', `${path}/configmaps/held`, { metadata: { finalizers: null } });
      await api.until(path, ({ status }) => status === 404);
    },
    async 'a namespace has a default ServiceAccount and the root certificate'(api) {
      await api.until(api.path('serviceaccounts', 'default'), ({ status }) => status === 200);
      await api.until(api.path('configmaps', 'kube-root-ca.crt'), ({ status }) => status === 200, {
        select: (body) => JSON.stringify(body).includes('BEGIN CERTIFICATE'),
      });
    },
    async 'the token of a Secret for a ServiceAccount'(api) {
      const account = await api.quietly.create(api.path('serviceaccounts'), { metadata: { name: 'one' } });
      api.note('uid', account.uid !== '');
      await api.create(
        api.path('secrets'),
        secret(
          'one-token',
          { type: 'kubernetes.io/service-account-token' },
          { annotations: { 'kubernetes.io/service-account.name': 'one' } },
        ),
      );
      const filled = await api.eventually(
        (calls) => calls.get(api.path('secrets', 'one-token')),
        (answer) => answer.at('data', 'token') !== undefined,
      );
      api.note('keys', Object.keys(filled.at('data') ?? {}).sort());
      api.note('annotations', Object.keys(filled.at('metadata', 'annotations') ?? {}).sort());
      const token = Buffer.from(filled.text('data', 'token'), 'base64').toString('utf8');
      await api.get(api.path('configmaps'), { as: { token } });
    },
    async 'an aggregated ClusterRole is filled'(api) {
      await api.quietly.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: `${api.id}-part`, labels: { [`into-${api.id}`]: 'true' } },
        rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      });
      await api.quietly.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: `${api.id}-whole` },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`into-${api.id}`]: 'true' } }] },
        rules: [],
      });
      await api.until(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${api.id}-whole`, (answer) =>
        Array.isArray(answer.at('rules')),
      );
    },
  },
  { server: 'controllers' },
);
