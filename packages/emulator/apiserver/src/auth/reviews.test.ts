import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@hawser/json';
import type { AuthorizationAttributes, RequestInfo, UserInfo, VirtualResource } from '../parts.js';
import { StatusError } from '../status.js';
import { MemoryHost } from '../testing/memory-host.js';
import { accessReviews } from './access-reviews.js';
import { forbiddenError } from './forbidden.js';
import { impersonate } from './impersonation.js';
import { selfSubjectReviews } from './self-subject-review.js';

const alice: UserInfo = { name: 'alice', groups: ['dev'] };
const getPods: RequestInfo = {
  isResourceRequest: true,
  path: '',
  verb: 'list',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: 'n',
  resource: 'pods',
  subresource: '',
  name: '',
  query: new URLSearchParams(),
};

let host: MemoryHost;
let questions: AuthorizationAttributes[];
let allowed: (attributes: AuthorizationAttributes) => boolean;

beforeEach(() => {
  host = new MemoryHost();
  questions = [];
  allowed = () => true;
  host.authorizer = (attributes) => {
    questions.push(attributes);
    return { allowed: allowed(attributes), reason: allowed(attributes) ? 'because' : '' };
  };
});

function refusal(action: () => unknown): JsonObject {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error.toStatus();
    throw error;
  }
  throw new Error('it was allowed');
}

describe('access reviews', () => {
  const review = (kind: string): VirtualResource =>
    accessReviews(host).find((resource) => resource.kind === kind) as VirtualResource;
  const create = (kind: string, body: JsonObject): JsonObject =>
    review(kind).create({
      user: alice,
      info: { ...getPods, namespace: kind.startsWith('Local') ? 'n' : '' },
      body,
      dryRun: false,
    });
  const resourceAttributes = {
    verb: 'get',
    group: 'apps',
    resource: 'deployments',
    subresource: 'scale',
    namespace: 'n',
    name: 'x',
  };

  it('ask what the one who asks may do', () => {
    expect(create('SelfSubjectAccessReview', { metadata: {}, spec: { resourceAttributes } })).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: { resourceAttributes },
      status: { allowed: true, reason: 'because' },
    });
    expect(questions).toEqual([
      {
        user: alice,
        isResourceRequest: true,
        verb: 'get',
        apiGroup: 'apps',
        apiVersion: '*',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'n',
        name: 'x',
        path: '',
      },
    ]);
  });

  it('ask what somebody else may do', () => {
    allowed = () => false;
    const spec = {
      user: 'bob',
      groups: ['g'],
      uid: '1',
      extra: { a: ['b'] },
      nonResourceAttributes: { path: '/healthz', verb: 'get' },
    };
    expect(create('SubjectAccessReview', { spec })).toMatchObject({ status: { allowed: false } });
    expect(questions[0]).toMatchObject({
      user: { name: 'bob', groups: ['g'], uid: '1', extra: { a: ['b'] } },
      isResourceRequest: false,
      path: '/healthz',
      verb: 'get',
    });
  });

  it.each([
    [
      'SelfSubjectAccessReview',
      {},
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'SubjectAccessReview',
      { resourceAttributes: {} },
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ])('of kind %s refuse %j', (kind, spec, message) => {
    expect(refusal(() => create(kind, { spec }))).toMatchObject({ code: 422, message });
  });

  it('of one namespace must be of that namespace', () => {
    const body = {
      metadata: { namespace: 'n' },
      spec: { user: 'bob', resourceAttributes: { ...resourceAttributes, namespace: 'other' } },
    };
    expect(refusal(() => create('LocalSubjectAccessReview', body))).toMatchObject({
      code: 422,
      details: {
        causes: [
          {
            field: 'spec.resourceAttributes.namespace',
            message: 'Invalid value: "other": must match metadata.namespace',
          },
        ],
      },
    });
    expect(create('LocalSubjectAccessReview', { ...body, spec: { user: 'bob', resourceAttributes } })).toMatchObject({
      status: { allowed: true },
    });
  });
});

it('says who one is', () => {
  const body = selfSubjectReviews(host).create({
    user: { ...alice, extra: { k: ['v'] } },
    info: getPods,
    body: {},
    dryRun: false,
  });
  expect(body).toMatchObject({
    kind: 'SelfSubjectReview',
    status: { userInfo: { username: 'alice', groups: ['dev'], extra: { k: ['v'] } } },
  });
});

describe('a refusal', () => {
  const base: AuthorizationAttributes = {
    user: alice,
    verb: 'get',
    isResourceRequest: true,
    path: '',
    namespace: 'n',
    apiGroup: 'example.com',
    apiVersion: 'v1',
    resource: 'databases',
    subresource: '',
    name: 'x',
  };

  it.each<[Partial<AuthorizationAttributes>, string, string]>([
    [
      {},
      '',
      'databases.example.com "x" is forbidden: User "alice" cannot get resource "databases" in API group "example.com" in the namespace "n"',
    ],
    [
      { namespace: '', name: '', verb: 'list' },
      '',
      'databases.example.com is forbidden: User "alice" cannot list resource "databases" in API group "example.com" at the cluster scope',
    ],
    [
      { subresource: 'status', apiGroup: '' },
      'RBAC: not found',
      'databases "x" is forbidden: User "alice" cannot get resource "databases/status" in API group "" in the namespace "n": RBAC: not found',
    ],
    [
      { isResourceRequest: false, path: '/metrics', resource: '', apiGroup: '', name: '', namespace: '' },
      '',
      'forbidden: User "alice" cannot get path "/metrics"',
    ],
    [
      { user: { name: '<b>', groups: [] } },
      '',
      'databases.example.com "x" is forbidden: User "&lt;b&gt;" cannot get resource "databases" in API group "example.com" in the namespace "n"',
    ],
  ])('of %j says why (%s)', (change, reason, message) => {
    expect(forbiddenError({ ...base, ...change }, reason).toStatus()).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message,
    });
  });
});

describe('impersonation', () => {
  const as = (headers: Record<string, string | readonly string[]>): UserInfo =>
    impersonate({ method: 'GET', path: '/', headers }, alice, getPods, host.authorizer);
  const legacyOnly = (): void => {
    allowed = ({ verb }) => verb === 'impersonate';
  };

  it('is not asked for: nobody else', () => {
    expect(as({})).toBe(alice);
    expect(questions).toEqual([]);
  });

  it('is checked for every part of the user', () => {
    legacyOnly();
    expect(
      as({
        'impersonate-user': 'bob',
        'impersonate-group': ['a', 'b'],
        'impersonate-uid': '7',
        'impersonate-extra-scopes': 'x',
      }),
    ).toEqual({ name: 'bob', uid: '7', groups: ['a', 'b', 'system:authenticated'], extra: { scopes: ['x'] } });
    expect(
      questions
        .slice(1)
        .map(({ verb, apiGroup, resource, subresource, name }) => [verb, apiGroup, resource, subresource, name]),
    ).toEqual([
      ['impersonate', '', 'users', '', 'bob'],
      ['impersonate', 'authentication.k8s.io', 'uids', '', '7'],
      ['impersonate', '', 'groups', '', 'a'],
      ['impersonate', '', 'groups', '', 'b'],
      ['impersonate', 'authentication.k8s.io', 'userextras', 'scopes', 'x'],
    ]);
  });

  it('of a ServiceAccount brings its groups', () => {
    legacyOnly();
    expect(as({ 'impersonate-user': 'system:serviceaccount:n:robot' })).toEqual({
      name: 'system:serviceaccount:n:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
    });
    expect(questions.at(-1)).toMatchObject({ resource: 'serviceaccounts', namespace: 'n', name: 'robot' });
  });

  it('of nobody stays so', () => {
    legacyOnly();
    expect(as({ 'impersonate-user': 'system:anonymous' })).toEqual({
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
  });

  it('may be allowed for some requests only', () => {
    allowed = ({ verb, resource, name }) =>
      (verb === 'impersonate-on:user-info:list' && resource === 'pods') ||
      (verb === 'impersonate:user-info' && resource === 'users' && name === 'bob');
    expect(as({ 'impersonate-user': 'bob' })).toMatchObject({ name: 'bob' });
    expect(questions).toMatchObject([
      { verb: 'impersonate-on:user-info:list', apiGroup: '' },
      { verb: 'impersonate:user-info', apiGroup: 'authentication.k8s.io', resource: 'users' },
    ]);
    allowed = ({ verb }) => verb.includes('user-info');
    expect(refusal(() => as({ 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }))).toMatchObject({
      message:
        'groups.authentication.k8s.io "system:masters" is forbidden: User "alice" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    });
  });

  it('is refused with what was asked first', () => {
    allowed = () => false;
    expect(refusal(() => as({ 'impersonate-user': 'bob' }))).toMatchObject({
      code: 403,
      message:
        'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "n"',
    });
  });

  it('needs a user', () => {
    expect(refusal(() => as({ 'impersonate-group': 'x' }))).toMatchObject({
      code: 400,
      message:
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"x"}, Extra:map[string][]string(nil)} without impersonating a user name',
    });
  });
});
