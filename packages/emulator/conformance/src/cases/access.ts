import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { dig, textOf } from '../answer.js';
import { cases, table } from '../case.js';
import { clusterRole, clusterRoleBinding, configMap, role, roleBinding, user, widget } from './objects.js';
import { tokenOf } from './tokens.js';
import { readers, secretsToo, allow, effective } from './granted.js';

export const rbacCases = cases('rbac', {
  async 'Roles: create, read, update, list, delete'(api) {
    await api.create(api.path('roles'), role('one', readers));
    await api.replace(api.path('roles', 'one'), role('one', secretsToo));
    await api.patch('merge', api.path('roles', 'one'), { metadata: { labels: { a: 'b' } } });
    await api.get(api.path('roles'));
    await api.delete(api.path('roles', 'one'));
    await api.get(api.path('roles', 'one'));
  },
  async 'ClusterRoles: create, read, update, delete'(api) {
    await api.create(
      api.path('clusterroles'),
      clusterRole(`${api.id}-a`, [...readers, { nonResourceURLs: ['/metrics', '/healthz/*'], verbs: ['get'] }]),
    );
    await api.patch('json', api.path('clusterroles', `${api.id}-a`), [{ op: 'remove', path: '/rules/0' }]);
    await api.delete(api.path('clusterroles', `${api.id}-a`));
  },
  async 'bindings: create, change subjects, delete'(api) {
    await api.create(
      api.path('rolebindings'),
      roleBinding('one', { kind: 'ClusterRole', name: 'view' }, [
        user('jane'),
        { kind: 'Group', name: 'devs', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount', name: 'sa', namespace: 'x' },
      ]),
    );
    await api.patch('merge', api.path('rolebindings', 'one'), {
      subjects: [{ kind: 'ServiceAccount', name: 'sa', namespace: 'y' }],
    });
    await api.create(api.path('clusterrolebindings'), clusterRoleBinding(`${api.id}-a`, 'view', [user('jane')]));
    await api.delete(api.path('clusterrolebindings', `${api.id}-a`));
    await api.delete(api.path('rolebindings', 'one'));
  },
  async 'the roleRef cannot change'(api) {
    await api.quietly.create(api.path('rolebindings'), roleBinding('one', { kind: 'Role', name: 'a' }, []));
    await api.patch('merge', api.path('rolebindings', 'one'), { roleRef: { name: 'b' } });
  },
  ...table(
    {
      'a rule without verbs': { rules: [{ apiGroups: [''], resources: ['secrets'] }] },
      'a rule without groups': { rules: [{ resources: ['secrets'], verbs: ['get'] }] },
      'a rule without resources': { rules: [{ apiGroups: [''], verbs: ['get'] }] },
      'a Role with URLs': { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
      'URLs and resources together': {
        rules: [{ nonResourceURLs: ['/metrics'], resources: ['a'], apiGroups: [''], verbs: ['get'] }],
      },
      'an empty rule': { rules: [{}] },
      'rules of null': { rules: null },
      'no rules': {},
    },
    async (api, fields) => {
      await api.create(api.path('roles'), { ...role('one', []), rules: undefined, ...fields });
      await api.create(api.path('clusterroles'), { ...clusterRole(`${api.id}-a`, []), rules: undefined, ...fields });
    },
  ),
  ...table<JsonObject>(
    {
      'a subject of an unknown kind': { subjects: [{ kind: 'Robot', name: 'r' }] },
      'a subject without a name': { subjects: [{ kind: 'User', name: '' }] },
      'a ServiceAccount without a namespace': { subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
      'a ServiceAccount with a bad name': { subjects: [{ kind: 'ServiceAccount', name: 'A_b', namespace: 'x' }] },
      'a user with another group': { subjects: [{ kind: 'User', name: 'a', apiGroup: 'example.com' }] },
      'a user without a group': { subjects: [{ kind: 'User', name: 'a' }] },
      'a roleRef of an unknown kind': { roleRef: { kind: 'Thing', name: 'a', apiGroup: 'rbac.authorization.k8s.io' } },
      'a roleRef without a name': { roleRef: { kind: 'Role', name: '', apiGroup: 'rbac.authorization.k8s.io' } },
      'a roleRef of another group': { roleRef: { kind: 'Role', name: 'a', apiGroup: 'example.com' } },
      'a roleRef without a group': { roleRef: { kind: 'Role', name: 'a' } },
      'no roleRef': { roleRef: null },
      'no subjects': { subjects: null },
    },
    async (api, fields) => {
      await api.create(api.path('rolebindings'), { ...roleBinding('one', { kind: 'Role', name: 'a' }, []), ...fields });
    },
  ),
  async 'a ClusterRole that is aggregated'(api) {
    await api.create(
      api.path('clusterroles'),
      clusterRole(`${api.id}-a`, [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }),
    );
    await api.create(
      api.path('clusterroles'),
      clusterRole(`${api.id}-b`, [], { aggregationRule: { clusterRoleSelectors: [] } }),
    );
    await api.create(
      api.path('clusterroles'),
      clusterRole(`${api.id}-c`, [], {
        aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Wrong' }] }] },
      }),
    );
  },
  async 'the roles that every cluster has'(api) {
    // Their order of creation does not matter.
    const select = (body: JsonValue): JsonValue =>
      isObject(body) ? { ...body, metadata: dig(body, ['metadata', 'labels']) ?? null } : body;
    for (const name of ['cluster-admin', 'system:discovery', 'system:public-info-viewer', 'system:basic-user'])
      await api.get(api.path('clusterroles', name), { select });
    await api.get(api.path('clusterrolebindings', 'cluster-admin'), { select });
    await api.get(api.path('clusterrolebindings', 'system:discovery'), { select });
  },
});

export const authorizationCases = cases('authorization', {
  async 'nobody may do anything at first'(api) {
    const as = { user: 'jane' };
    await api.get(api.path('configmaps'), { as });
    await api.get(api.path('configmaps', 'one'), { as });
    await api.create(api.path('configmaps'), configMap('one'), { as });
    await api.replace(api.path('configmaps', 'one'), configMap('one'), { as });
    await api.patch('merge', api.path('configmaps', 'one'), {}, { as });
    await api.delete(api.path('configmaps', 'one'), undefined, { as });
    await api.delete(api.path('configmaps'), undefined, { as });
    await api.get('/api/v1/configmaps', { as });
    await api.get('/api/v1/namespaces', { as });
    await api.get(`/api/v1/namespaces/${api.id}`, { as });
    await api.create('/api/v1/namespaces', { metadata: { name: 'x' } }, { as });
    await api.get('/metrics', { as });
    await api.get('/apis/coordination.k8s.io/v1/leases', { as });
  },
  async 'custom resources and subresources'(api) {
    const as = { user: 'jane', groups: ['devs'] };
    await api.get(api.fixture('widgets'), { as });
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), {}, { as });
    await api.get(api.fixture('widgets', 'one', 'scale'), { as });
    await api.get(`/apis/${api.group}/v1/nothings`, { as });
    await api.get(api.fixture('widgets'), { as, query: { watch: 'true' } });
  },
  async 'a Role allows what it says'(api) {
    const as = { user: `${api.id}-jane` };
    await allow(api, as.user, readers);
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.get(api.path('configmaps'), { as });
    await api.get(api.path('configmaps', 'one'), { as });
    await api.get(api.path('configmaps', 'two'), { as });
    await api.delete(api.path('configmaps', 'one'), undefined, { as });
    await api.get(api.path('secrets'), { as });
    await api.get('/api/v1/configmaps', { as });
    await using watch = await api.watch(api.path('configmaps'), { as });
    await watch.take(1);
  },
  async 'resourceNames allow single objects'(api) {
    const as = { user: `${api.id}-jane` };
    await allow(api, as.user, [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'patch'], resourceNames: ['one'] },
    ]);
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.get(api.path('configmaps', 'one'), { as });
    await api.get(api.path('configmaps', 'two'), { as });
    await api.get(api.path('configmaps'), { as });
    await api.get(api.path('configmaps'), { as, query: { fieldSelector: 'metadata.name=one' } });
    await api.patch('merge', api.path('configmaps', 'one'), { data: { a: 'b' } }, { as });
    await api.patch('apply', api.path('configmaps', 'two'), configMap('two'), { as, query: { fieldManager: 'm' } });
  },
  async 'an apply that creates needs create too'(api) {
    const as = { user: `${api.id}-jane` };
    await allow(api, as.user, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]);
    await api.patch('apply', api.path('configmaps', 'one'), configMap('one'), { as, query: { fieldManager: 'm' } });
    await api.quietly.create(api.path('configmaps'), configMap('one'));
    await api.patch('apply', api.path('configmaps', 'one'), configMap('one'), { as, query: { fieldManager: 'm' } });
  },
  async 'a subresource is allowed apart'(api) {
    const as = { user: `${api.id}-jane` };
    await allow(api, as.user, [
      { apiGroups: ['fixtures.conformance.test'], resources: ['widgets/status'], verbs: ['patch'] },
    ]);
    await api.quietly.create(api.fixture('widgets'), widget('one'));
    await api.patch('merge', api.fixture('widgets', 'one', 'status'), { status: { phase: 'Ready' } }, { as });
    await api.patch('merge', api.fixture('widgets', 'one'), {}, { as });
  },
  ...table(
    {
      'all resources': { apiGroups: [''], resources: ['*'], verbs: ['get'] },
      'all verbs': { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
      'all groups': { apiGroups: ['*'], resources: ['configmaps'], verbs: ['get'] },
      'a resource in all groups, status only': { apiGroups: ['*'], resources: ['*/status'], verbs: ['get'] },
    },
    async (api, rule) => {
      const as = { user: `${api.id}-jane` };
      await api.quietly.create(api.path('roles'), role('allowed', [rule]));
      await api.quietly.create(
        api.path('rolebindings'),
        roleBinding('allowed', { kind: 'Role', name: 'allowed' }, [user(as.user)]),
      );
      const probe = {
        user: as.user,
        resourceAttributes: {
          namespace: api.namespace,
          verb: 'get',
          resource: 'configmaps',
          subresource: rule.resources.includes('*/status') ? 'status' : '',
        },
      };
      await api.eventually(
        (calls) => calls.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: probe }),
        (answer) => answer.at('status', 'allowed') === true,
      );
      await api.get(api.path('configmaps', 'one'), { as });
      await api.delete(api.path('configmaps', 'one'), undefined, { as });
      await api.get(api.path('secrets', 'one'), { as });
      await api.get(api.path('leases', 'one'), { as });
      await api.get(api.fixture('widgets', 'one', 'status'), { as });
    },
    'a rule for ',
  ),
  async 'a group, and a ClusterRole bound in a namespace'(api) {
    await api.quietly.create(api.path('clusterroles'), clusterRole(`${api.id}-reader`, readers));
    await api.quietly.create(
      api.path('rolebindings'),
      roleBinding('one', { kind: 'ClusterRole', name: `${api.id}-reader` }, [
        { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `${api.id}-devs` },
      ]),
    );
    await api.eventually(
      (calls) => calls.get(api.path('configmaps'), { as: { user: 'joe', groups: [`${api.id}-devs`] } }),
      ({ status }) => status === 200,
    );
    await api.get(api.path('configmaps'), { as: { user: 'joe', groups: [`${api.id}-devs`] } });
    await api.get(api.path('configmaps'), { as: { user: 'joe', groups: ['others'] } });
    await api.get('/api/v1/configmaps', { as: { user: 'joe', groups: [`${api.id}-devs`] } });
  },
  async 'a ClusterRoleBinding counts everywhere'(api) {
    await api.quietly.create(
      api.path('clusterroles'),
      clusterRole(`${api.id}-reader`, [...readers, { nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] }]),
    );
    await api.quietly.create(
      api.path('clusterrolebindings'),
      clusterRoleBinding(`${api.id}-reader`, `${api.id}-reader`, [user(`${api.id}-jane`)]),
    );
    await effective(api, `${api.id}-jane`, readers[0] ?? {});
    const as = { user: `${api.id}-jane` };
    await api.get('/api/v1/configmaps', { as, query: { labelSelector: `of=${api.id}` } });
    await api.get('/debug/nothing', { as });
    await api.get('/other', { as });
  },
  async 'a binding to a role that is missing'(api) {
    const as = { user: `${api.id}-jane` };
    await api.quietly.create(
      api.path('rolebindings'),
      roleBinding('one', { kind: 'Role', name: 'nothing' }, [user(as.user)]),
    );
    await api.eventually(
      (calls) => calls.get(api.path('configmaps'), { as }),
      (answer) => textOf(answer.at('message')).includes('nothing'),
    );
    await api.get(api.path('configmaps'), { as });
  },
  async 'anonymous users'(api) {
    await api.get(api.path('configmaps'), { as: 'anonymous' });
    await api.get('/version', { as: 'anonymous', select: () => 'a version' });
    await api.get('/healthz', { as: 'anonymous' });
    await api.get('/readyz', { as: 'anonymous' });
    await api.get('/livez', { as: 'anonymous' });
    await api.get('/apis', { as: 'anonymous' });
  },
  async 'a token that proves nothing'(api) {
    await api.get(api.path('configmaps'), { as: { token: 'nonsense' } });
    await api.get('/version', { as: { token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln' } });
  },
  async 'impersonation has to be allowed'(api) {
    const { account, token } = await tokenOf(api);
    api.note('account', account);
    await api.get(api.path('configmaps'), { as: { token }, headers: { 'impersonate-user': 'jane' } });
    await api.get(api.path('configmaps'), { headers: { 'impersonate-group': 'devs' } });
  },
  ...table(
    {
      'a Role with more than one has': 'role',
      'a binding to a role with more than one has': 'binding',
      'a change of a Role': 'update',
      'rights that one has': 'same',
      'with the verb bind': 'bind',
      'with the verb escalate': 'escalate',
    } as const,
    async (api, way) => {
      const as = { user: `${api.id}-jane` };
      const writing = {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
        verbs: ['create', 'update', 'patch', 'get'],
      };
      const extra =
        way === 'bind' || way === 'escalate'
          ? [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'clusterroles'], verbs: [way] }]
          : [];
      await allow(api, as.user, [writing, ...readers, ...extra]);
      await api.quietly.create(api.path('roles'), role('mine', readers));
      await api.quietly.create(api.path('roles'), role('strong', secretsToo));
      switch (way) {
        case 'role':
        case 'escalate':
          await api.create(
            api.path('roles'),
            role('one', [...readers, ...secretsToo, { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] }]),
            { as },
          );
          return;
        case 'binding':
        case 'bind':
          await api.create(
            api.path('rolebindings'),
            roleBinding('one', { kind: 'Role', name: 'strong' }, [user('x')]),
            { as },
          );
          await api.create(
            api.path('rolebindings'),
            roleBinding('two', { kind: 'Role', name: 'missing' }, [user('x')]),
            { as },
          );
          return;
        case 'update':
          await api.patch('merge', api.path('roles', 'mine'), { rules: [...readers, ...secretsToo] }, { as });
          await api.patch('merge', api.path('roles', 'strong'), { metadata: { labels: { a: 'b' } } }, { as });
          return;
        case 'same':
          await api.create(
            api.path('roles'),
            role('one', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['x'] }]),
            { as },
          );
          await api.create(api.path('rolebindings'), roleBinding('one', { kind: 'Role', name: 'mine' }, [user('x')]), {
            as,
          });
      }
    },
    'escalation: ',
  ),
});
