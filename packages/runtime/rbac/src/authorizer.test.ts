import { describe, expect, it } from '@jest/globals';
import type { Attributes, User } from './attributes.js';
import { createAuthorizer } from './authorizer.js';
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './bootstrap.js';
import type { Binding, PolicyRule } from './policy-rule.js';
import { lookupOf } from './rule-resolver.js';

const alice: User = { name: 'alice', groups: ['system:authenticated', 'team'] };
const robot: User = {
  name: 'system:serviceaccount:apps:robot',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:apps'],
};

const binding = (
  name: string,
  kind: string,
  roleName: string,
  subjects: Binding['subjects'],
  namespace?: string,
): Binding => ({
  metadata: namespace === undefined ? { name } : { name, namespace },
  roleRef: { kind, name: roleName },
  subjects: subjects ?? null,
});

const authorizerWith = (
  rules: readonly PolicyRule[],
  ...bindings: readonly Binding[]
): ReturnType<typeof createAuthorizer> =>
  createAuthorizer(
    lookupOf({
      clusterRoles: [{ metadata: { name: 'reader' }, rules }],
      roles: [{ metadata: { name: 'local', namespace: 'apps' }, rules }],
      clusterRoleBindings: bindings.filter(({ metadata }) => metadata.namespace === undefined),
      roleBindings: bindings.filter(({ metadata }) => metadata.namespace !== undefined),
    }),
  );

const read: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] };
const get: Attributes = { verb: 'get', group: '', resource: 'configmaps', namespace: 'apps', name: 'a' };

describe('a decision', () => {
  it('says which binding allows it', () => {
    const authorizer = authorizerWith([read], binding('b', 'ClusterRole', 'reader', [{ kind: 'User', name: 'alice' }]));
    expect(authorizer.authorize(alice, get)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "alice"',
    });
  });

  it('names the namespace of a RoleBinding, and that of a ServiceAccount', () => {
    const authorizer = authorizerWith(
      [read],
      binding('b', 'Role', 'local', [{ kind: 'ServiceAccount', name: 'robot' }], 'apps'),
    );
    expect(authorizer.authorize(robot, get)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/apps" of Role "local" to ServiceAccount "robot/apps"',
    });
  });

  it('takes a RoleBinding for its namespace only', () => {
    const authorizer = authorizerWith(
      [read],
      binding('b', 'ClusterRole', 'reader', [{ kind: 'Group', name: 'team' }], 'apps'),
    );
    expect(authorizer.authorize(alice, get).allowed).toBe(true);
    expect(authorizer.authorize(alice, { ...get, namespace: 'other' })).toEqual({ allowed: false, reason: '' });
    expect(authorizer.authorize(alice, { verb: 'get', group: '', resource: 'configmaps' })).toEqual({
      allowed: false,
      reason: '',
    });
  });

  it('says which role is missing', () => {
    const authorizer = authorizerWith([read], binding('b', 'Role', 'gone', [{ kind: 'User', name: 'alice' }], 'apps'));
    expect(authorizer.authorize(alice, get)).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "gone" not found',
    });
  });

  it('is yes for system:masters, whatever the roles say', () => {
    expect(authorizerWith([]).authorize({ name: 'x', groups: ['system:masters'] }, get).allowed).toBe(true);
  });

  it.each<[string, PolicyRule, Attributes, boolean]>([
    ['a name', { ...read, resourceNames: ['a'] }, get, true],
    ['another name', { ...read, resourceNames: ['b'] }, get, false],
    ['no name', { ...read, verbs: ['list'], resourceNames: ['a'] }, { ...get, verb: 'list', name: '' }, false],
    ['another group', { ...read, apiGroups: ['apps'] }, get, false],
    ['every group', { ...read, apiGroups: ['*'] }, get, true],
    ['a subresource', read, { ...get, subresource: 'status' }, false],
    ['that subresource', { ...read, resources: ['configmaps/status'] }, { ...get, subresource: 'status' }, true],
    ['that subresource of anything', { ...read, resources: ['*/status'] }, { ...get, subresource: 'status' }, true],
    ['everything', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { ...get, subresource: 'status' }, true],
    ['a path', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, { verb: 'get', path: '/healthz' }, true],
    ['a path below', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, { verb: 'get', path: '/healthz/etcd' }, false],
    ['paths below', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, { verb: 'get', path: '/healthz/etcd' }, true],
    [
      'a path, by a rule for resources',
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verb: 'get', path: '/healthz' },
      false,
    ],
  ])('about %s', (_, rule, attributes, allowed) => {
    const authorizer = authorizerWith([rule], binding('b', 'ClusterRole', 'reader', [{ kind: 'User', name: 'alice' }]));
    expect(authorizer.authorize(alice, attributes).allowed).toBe(allowed);
  });
});

describe('a review of rules', () => {
  it('lists what there is, and what is missing', () => {
    const authorizer = authorizerWith(
      [read, { verbs: ['get'], nonResourceURLs: ['/x'] }],
      binding('a', 'ClusterRole', 'reader', [{ kind: 'User', name: 'alice' }]),
      binding('b', 'ClusterRole', 'gone', [{ kind: 'User', name: 'alice' }], 'apps'),
    );
    expect(authorizer.rulesFor(alice, 'apps')).toEqual({
      resourceRules: [read],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: false,
      evaluationError: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });
});

describe('the roles of every cluster', () => {
  const roles = new Map(bootstrapClusterRoles.map((role) => [role.metadata.name, role.rules ?? []]));

  it('let anybody who is known discover the API', () => {
    const authorizer = createAuthorizer(
      lookupOf({ clusterRoles: bootstrapClusterRoles, clusterRoleBindings: bootstrapClusterRoleBindings }),
    );
    expect(authorizer.authorize(alice, { verb: 'get', path: '/apis/apps/v1' }).allowed).toBe(true);
    expect(
      authorizer.authorize(
        { name: 'system:anonymous', groups: ['system:unauthenticated'] },
        { verb: 'get', path: '/apis' },
      ).allowed,
    ).toBe(false);
    expect(
      authorizer.authorize(
        { name: 'system:anonymous', groups: ['system:unauthenticated'] },
        { verb: 'get', path: '/version' },
      ).allowed,
    ).toBe(true);
  });

  it('gather what they are made of', () => {
    expect(roles.get('view')).toEqual(roles.get('system:aggregate-to-view'));
    expect(roles.get('admin')).toEqual(
      expect.arrayContaining([...(roles.get('edit') ?? []), ...(roles.get('system:aggregate-to-admin') ?? [])]),
    );
  });
});
