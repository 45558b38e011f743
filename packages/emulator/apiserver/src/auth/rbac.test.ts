import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@hawser/json';
import { metaOf } from '../object/meta.js';
import type { AuthParts, AuthorizationAttributes, UserInfo } from '../parts.js';
import { MemoryHost } from '../testing/memory-host.js';
import { createAuth } from './index.js';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac-resources.js';

let host: MemoryHost;
let auth: AuthParts;

beforeEach(() => {
  host = new MemoryHost();
  auth = createAuth(host, {});
});

const alice: UserInfo = { name: 'alice', groups: ['dev', 'system:authenticated'] };
const get: AuthorizationAttributes = {
  user: alice,
  verb: 'get',
  isResourceRequest: true,
  path: '',
  namespace: 'n',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'secrets',
  subresource: '',
  name: 'x',
};
const rule = (more: JsonObject = {}): JsonObject => ({
  apiGroups: [''],
  resources: ['secrets'],
  verbs: ['get'],
  ...more,
});
const role = (name: string, rules: readonly JsonObject[], namespace?: string): JsonObject => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});
const binding = (
  name: string,
  kind: string,
  roleName: string,
  subjects: readonly JsonObject[],
  namespace?: string,
): JsonObject => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { kind, name: roleName },
  subjects,
});

describe('the authorizer', () => {
  it('says by which binding', () => {
    host.create(clusterRoles, role('reader', [rule()]));
    host.create(roleBindings, binding('readers', 'ClusterRole', 'reader', [{ kind: 'Group', name: 'dev' }], 'n'));
    expect(auth.authorize(get)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/n" of ClusterRole "reader" to Group "dev"',
    });
    expect(auth.authorize({ ...get, namespace: 'other' })).toEqual({ allowed: false, reason: '' });
  });

  it('says what is missing', () => {
    host.create(clusterRoleBindings, binding('broken', 'ClusterRole', 'nobody', [{ kind: 'User', name: 'alice' }]));
    expect(auth.authorize(get)).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "nobody" not found',
    });
  });

  it('follows the objects', () => {
    host.create(roles, role('reader', [rule()], 'n'));
    const bound = host.create(
      roleBindings,
      binding('readers', 'Role', 'reader', [{ kind: 'ServiceAccount', name: 'robot' }], 'n'),
    );
    const robot = { ...get, user: { name: 'system:serviceaccount:n:robot', groups: [] } };
    expect(auth.authorize(robot).allowed).toBe(true);
    host.update(roles, {
      ...(host.get(roles, { namespace: 'n', name: 'reader' }) ?? {}),
      rules: [rule({ resourceNames: ['y'] })],
    });
    expect(auth.authorize(robot).allowed).toBe(false);
    expect(auth.authorize({ ...robot, name: 'y' }).allowed).toBe(true);
    host.delete(roleBindings, { namespace: 'n', name: metaOf(bound).name ?? '' });
    expect(auth.authorize({ ...robot, name: 'y' }).allowed).toBe(false);
  });

  it.each<[JsonObject, Partial<AuthorizationAttributes>, boolean]>([
    [rule({ verbs: ['*'] }), {}, true],
    [rule({ apiGroups: ['*'] }), { apiGroup: 'apps' }, true],
    [rule(), { apiGroup: 'apps' }, false],
    [rule(), { subresource: 'status' }, false],
    [rule({ resources: ['*/status'] }), { subresource: 'status' }, true],
    [rule({ resources: ['*'] }), { subresource: 'status' }, true],
    [rule({ resourceNames: ['y'] }), { name: '' }, false],
    [{ nonResourceURLs: ['/a/*'], verbs: ['get'] }, { isResourceRequest: false, path: '/a/b' }, true],
    [{ nonResourceURLs: ['/a'], verbs: ['get'] }, { isResourceRequest: false, path: '/a/b' }, false],
  ])('%j allows %j: %s', (each, change, allowed) => {
    host.create(clusterRoles, role('r', [each]));
    host.create(clusterRoleBindings, binding('b', 'ClusterRole', 'r', [{ kind: 'User', name: 'alice' }]));
    expect(auth.authorize({ ...get, ...change }).allowed).toBe(allowed);
  });

  it('lets system:masters do everything, and everybody where it is told to', () => {
    expect(auth.authorize({ ...get, user: { name: 'root', groups: ['system:masters'] } })).toEqual({
      allowed: true,
      reason: '',
    });
    expect(createAuth(host, { authorization: 'allow-all' }).authorize(get)).toEqual({ allowed: true, reason: '' });
  });
});

describe('every cluster', () => {
  it('lets everybody who is known discover, and nobody else', () => {
    auth.bootstrap?.();
    const discover = (user: UserInfo): boolean =>
      auth.authorize({ ...get, isResourceRequest: false, path: '/apis/apps', user }).allowed;
    expect([discover(alice), discover({ name: 'system:anonymous', groups: ['system:unauthenticated'] })]).toEqual([
      true,
      false,
    ]);
    const before = host.list(clusterRoles).length;
    auth.bootstrap?.();
    expect(host.list(clusterRoles)).toHaveLength(before);
  });
});

describe('what everybody may do', () => {
  it('is listed rule by rule', () => {
    host.create(clusterRoles, role('r', [rule({ resourceNames: ['x'] }), { nonResourceURLs: ['/a'], verbs: ['get'] }]));
    host.create(clusterRoleBindings, binding('b', 'ClusterRole', 'r', [{ kind: 'User', name: 'alice' }]));
    host.create(roleBindings, binding('broken', 'Role', 'nobody', [{ kind: 'User', name: 'alice' }], 'n'));
    const review = auth.virtualResources.find(({ kind }) => kind === 'SelfSubjectRulesReview');
    const info = {
      isResourceRequest: true,
      path: '',
      verb: 'create',
      apiGroup: '',
      apiVersion: '',
      namespace: '',
      resource: '',
      subresource: '',
      name: '',
      query: new URLSearchParams(),
    };
    expect(review?.create({ user: alice, info, body: { spec: { namespace: 'n' } }, dryRun: false })).toMatchObject({
      status: {
        resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['x'] }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }],
        incomplete: false,
        evaluationError: 'role.rbac.authorization.k8s.io "nobody" not found',
      },
    });
  });
});

describe('aggregation', () => {
  it('needs everything', () => {
    host.create(
      clusterRoles,
      role('granter', [
        rule(),
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] },
      ]),
    );
    host.create(clusterRoleBindings, binding('b', 'ClusterRole', 'granter', [{ kind: 'User', name: 'alice' }]));
    const gathering = { ...role('all', []), aggregationRule: { clusterRoleSelectors: [{}] } };
    expect(() => {
      auth.checkEscalation?.(alice, clusterRoles, gathering, undefined);
    }).toThrow(
      'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    expect(() => {
      auth.checkEscalation?.(alice, clusterRoles, role('all', [rule()]), undefined);
    }).not.toThrow();
  });

  it('of what only the garbage collector changes needs nothing', () => {
    const before = role('r', [rule({ verbs: ['*'] })]);
    const after = { ...before, metadata: { name: 'r', finalizers: ['orphan'] } };
    expect(() => {
      auth.checkEscalation?.(alice, clusterRoles, after, before);
    }).not.toThrow();
    expect(() => {
      auth.checkEscalation?.(alice, clusterRoles, { ...after, rules: [rule({ verbs: ['*', 'x'] })] }, before);
    }).toThrow(
      'is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["*" "x"]}',
    );
  });

  it('and escalation are allowed by the verb for it', () => {
    host.create(
      clusterRoles,
      role('escalator', [
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['escalate', 'bind'] },
      ]),
    );
    host.create(clusterRoleBindings, binding('b', 'ClusterRole', 'escalator', [{ kind: 'User', name: 'alice' }]));
    expect(() => {
      auth.checkEscalation?.(alice, clusterRoles, role('all', [rule({ verbs: ['*'] })]), undefined);
    }).not.toThrow();
    expect(() => {
      auth.checkEscalation?.(alice, clusterRoleBindings, binding('b2', 'ClusterRole', 'nobody', []), undefined);
    }).not.toThrow();
  });
});
