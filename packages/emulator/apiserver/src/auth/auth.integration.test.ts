import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import type { JsonObject } from '@hawser/json';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { createApiServer } from '../create-api-server.js';
import { type ApiServer } from '../api-server.js';
import { type Question, askBoth, comparable } from '../testing/both-servers.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const role = (name: string, rules: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name },
  rules,
  ...more,
});
const rule = (verbs: readonly string[], resources: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiGroups: [''],
  resources,
  verbs,
  ...more,
});

describeWithControlPlane('authorization, beside a real API server', () => {
  const namespace = uniqueNamespace('auth');
  const clusterRole = `auth-${namespace}`;
  let real: SharedControlPlane;
  let embedded: ApiServer;

  beforeAll(async () => {
    real = await sharedControlPlane('provider');
    embedded = createApiServer({ clock: new FakeClock() });
    await same(
      {
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      },
      201,
    );
    await same(
      {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
        body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
      },
      201,
    );
    const rules = [
      rule(['get', 'list'], ['configmaps']),
      rule(['get'], ['secrets'], { resourceNames: ['mine'] }),
      rule(['update'], ['configmaps/status', '*/scale']),
    ];
    await same({ method: 'POST', path: `${rbac}/namespaces/${namespace}/roles`, body: role('reader', rules) }, 201);
    await same(
      {
        method: 'POST',
        path: `${rbac}/namespaces/${namespace}/roles`,
        body: role('granter', [
          rule(['create', 'update'], ['roles', 'rolebindings'], { apiGroups: ['rbac.authorization.k8s.io'] }),
        ]),
      },
      201,
    );
    await same(
      {
        method: 'POST',
        path: `${rbac}/clusterroles`,
        body: {
          ...role(clusterRole, [
            rule(['list'], ['namespaces']),
            { nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] },
          ]),
          kind: 'ClusterRole',
        },
      },
      201,
    );
    await bind('reader', 'Role', [user('alice'), { kind: 'ServiceAccount', name: 'robot', namespace }]);
    await bind('granter', 'Role', [user('alice'), user('carol')]);
    await bind('missing', 'Role', [user('dave')]);
    await same(
      {
        method: 'POST',
        path: `${rbac}/clusterrolebindings`,
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: clusterRole },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `group-${namespace}` }],
        },
      },
      201,
    );
    // The real server learns of bindings by watching.
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'x', groups: [`group-${namespace}`], resourceAttributes: { verb: 'list', resource: 'namespaces' } },
    };
    await eventually(async () =>
      JSON.stringify(
        (
          await askBoth(real, embedded, {
            method: 'POST',
            path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
            body: review,
          })
        ).real.body,
      ).includes('"allowed":true'),
    );
  });
  afterAll(async () => {
    embedded.stop();
    await Promise.all(
      ['clusterroles', 'clusterrolebindings'].map((resource) =>
        real.request({ method: 'DELETE', path: `${rbac}/${resource}/${clusterRole}` }),
      ),
    );
  });

  const user = (name: string): JsonObject => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
  const bind = (name: string, kind: string, subjects: readonly JsonObject[]): Promise<void> =>
    same(
      {
        method: 'POST',
        path: `${rbac}/namespaces/${namespace}/rolebindings`,
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
          subjects,
        },
      },
      201,
    );

  /** Both answer the same, with this status. */
  async function same(question: Question, status: number): Promise<void> {
    const answers = await askBoth(real, embedded, question);
    expect([question.method, question.path, answers.real.status]).toEqual([question.method, question.path, status]);
    expect(answers.embedded.status).toBe(answers.real.status);
    expect(comparable(answers.embedded.body)).toEqual(comparable(answers.real.body));
  }

  const as = (name: string, ...groups: readonly string[]): Record<string, string> => ({
    'impersonate-user': name,
    ...(groups[0] === undefined ? {} : { 'impersonate-group': groups[0] }),
  });
  const ask = (
    method: string,
    path: string,
    who: Record<string, string>,
    status: number,
    body?: JsonObject,
  ): Promise<void> => same({ method, path, headers: who, ...(body === undefined ? {} : { body }) }, status);
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;

  describe('requests', () => {
    it.each([
      ['GET', `/api/v1/namespaces/${namespace}/secrets`, as('alice'), 403],
      ['GET', `/api/v1/namespaces/${namespace}/secrets/mine`, as('alice'), 404],
      ['GET', `/api/v1/namespaces/${namespace}/secrets/other`, as('alice'), 403],
      ['GET', '/api/v1/configmaps', as('alice'), 403],
      ['GET', `${maps}/nobody`, as('bob'), 403],
      ['GET', `${maps}/nobody`, as('alice'), 404],
      ['GET', `${maps}/nobody`, as(`system:serviceaccount:${namespace}:robot`), 404],
      ['GET', `${maps}/nobody`, as(`system:serviceaccount:${namespace}:other`), 403],
      ['GET', `${maps}/nobody`, as('dave'), 403],
      ['DELETE', maps, as('alice'), 403],
      ['GET', '/api/v1/nodes/x', as('alice'), 403],
      ['GET', `/apis/example.com/v1/namespaces/${namespace}/things/x/status`, as('alice'), 403],
      ['GET', '/metrics', as('alice'), 403],
      ['GET', '/version/x', as('alice'), 403],
      ['GET', '/healthz', as('system:anonymous'), 200],
      ['GET', '/api/v1', as('system:anonymous'), 403],
      ['GET', maps, as('<script>'), 403],
    ])('%s %s as %j: %i', (method, path, who, status) => ask(method, path, who, status));
  });

  describe('grants', () => {
    const grant = (name: string, rules: readonly JsonObject[], who: string, status: number): Promise<void> =>
      ask('POST', `${rbac}/namespaces/${namespace}/roles`, as(who), status, role(name, rules));

    it('of what one has are allowed', () => grant('lesser', [rule(['get'], ['configmaps'])], 'alice', 201));
    it('of more are not', () => grant('more', [rule(['get', 'delete'], ['configmaps', 'secrets'])], 'alice', 403));
    it('of one name are covered by the right to that name only', () =>
      grant('name', [rule(['get'], ['secrets'], { resourceNames: ['mine'] })], 'alice', 201));
    it('of all names are not covered by one', () => grant('names', [rule(['get'], ['secrets'])], 'alice', 403));
    it('of a role that one does not have are not allowed', () =>
      ask('POST', `${rbac}/namespaces/${namespace}/rolebindings`, as('carol'), 403, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'mine' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [user('carol')],
      }));
    it('of a role that is not there are not allowed', () =>
      ask('POST', `${rbac}/namespaces/${namespace}/rolebindings`, as('carol'), 404, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'none' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nobody' },
        subjects: [user('carol')],
      }));
  });

  describe('questions', () => {
    const review = (kind: string, spec: JsonObject, more: JsonObject = {}): JsonObject => ({
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      spec,
      ...more,
    });
    const reviews = '/apis/authorization.k8s.io/v1';
    const get = { verb: 'get', resource: 'configmaps', namespace };

    it.each<[string, string, JsonObject, number]>([
      ['selfsubjectaccessreviews', 'alice', review('SelfSubjectAccessReview', { resourceAttributes: get }), 201],
      ['selfsubjectaccessreviews', 'bob', review('SelfSubjectAccessReview', { resourceAttributes: get }), 201],
      ['selfsubjectaccessreviews', 'dave', review('SelfSubjectAccessReview', { resourceAttributes: get }), 201],
      ['selfsubjectaccessreviews', 'alice', review('SelfSubjectAccessReview', {}), 422],
      [
        'selfsubjectaccessreviews',
        'alice',
        review('SelfSubjectAccessReview', {
          resourceAttributes: get,
          nonResourceAttributes: { path: '/x', verb: 'get' },
        }),
        422,
      ],
      ['subjectaccessreviews', 'alice', review('SubjectAccessReview', { user: 'bob', resourceAttributes: get }), 403],
    ])('%s by %s: %j', (resource, who, body, status) => ask('POST', `${reviews}/${resource}`, as(who), status, body));

    it.each<[string, JsonObject, number]>([
      ['subjectaccessreviews', review('SubjectAccessReview', { user: 'alice', resourceAttributes: get }), 201],
      [
        'subjectaccessreviews',
        review('SubjectAccessReview', {
          groups: [`group-${namespace}`],
          nonResourceAttributes: { path: '/logs/a', verb: 'get' },
        }),
        201,
      ],
      [
        'subjectaccessreviews',
        review('SubjectAccessReview', {
          user: 'x',
          groups: [`group-${namespace}`],
          resourceAttributes: { verb: 'list', resource: 'namespaces' },
        }),
        201,
      ],
      ['subjectaccessreviews', review('SubjectAccessReview', { resourceAttributes: get }), 422],
      [
        `namespaces/${namespace}/localsubjectaccessreviews`,
        review('LocalSubjectAccessReview', { user: 'alice', resourceAttributes: get }, { metadata: { namespace } }),
        201,
      ],
      [
        `namespaces/${namespace}/localsubjectaccessreviews`,
        review(
          'LocalSubjectAccessReview',
          { user: 'alice', nonResourceAttributes: { path: '/x', verb: 'get' } },
          { metadata: { namespace } },
        ),
        422,
      ],
    ])('%s by the administrator: %j', (resource, body, status) =>
      ask('POST', `${reviews}/${resource}`, {}, status, body),
    );

    it('what may I do', () =>
      ask(
        'POST',
        `${reviews}/selfsubjectrulesreviews`,
        as('system:anonymous'),
        403,
        review('SelfSubjectRulesReview', { namespace }),
      ));
    it('what may I do where', () =>
      ask('POST', `${reviews}/selfsubjectrulesreviews`, {}, 400, review('SelfSubjectRulesReview', {})));
    it('who am I', () =>
      ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', as('alice'), 201, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
      }));
    it('is this a token', () =>
      ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {}, 201, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'abc' },
      }));
    it('is nothing a token', () =>
      ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {}, 400, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: {},
      }));
  });

  describe('token requests', () => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`;
    const body = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata,
      spec,
    });

    it.each<[JsonObject, number]>([
      [body({}), 201],
      [body({ expirationSeconds: 600, audiences: ['a', 'b'] }), 201],
      [body({ expirationSeconds: 599 }), 422],
      [body({ expirationSeconds: 4294967297 }), 422],
      [body({}, { name: 'other' }), 422],
      [body({}, { uid: 'other' }), 409],
      [body({ boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } }), 400],
      [body({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'nobody' } }), 404],
    ])('%j: %i', async (each, status) => {
      const answers = await askBoth(real, embedded, { method: 'POST', path, body: each });
      expect([answers.real.status, answers.embedded.status]).toEqual([status, status]);
      const normalized = [answers.real, answers.embedded].map((answer) =>
        JSON.stringify(comparable(answer.body)).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uid'),
      );
      expect(JSON.parse(normalized[1] ?? '')).toEqual(JSON.parse(normalized[0] ?? ''));
    });

    it('for nobody', () =>
      ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/nobody/token`, {}, 404, body({})));
  });
});
