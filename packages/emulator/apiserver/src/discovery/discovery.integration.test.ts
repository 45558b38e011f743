import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@hawser/json';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueGroup,
} from '@hawser/testenv';
import { createApiServer } from '../create-api-server.js';
import { type ApiServer } from '../api-server.js';
import { type Reply, askBoth, comparable } from '../testing/both-servers.js';

const schema: JsonObject = {
  description: 'A widget.',
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', default: 1, minimum: 0, description: 'How many.' },
        color: { type: 'string', enum: ['red', 'blue'] },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        map: { type: 'object', additionalProperties: { type: 'string' }, nullable: true },
        list: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
      'x-kubernetes-validations': [{ rule: 'self.replicas < 10' }],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};

function definition(group: string): JsonObject {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      subresources: { status: {}, scale },
      selectableFields: [{ jsonPath: '.spec.color' }],
      schema: { openAPIV3Schema: schema },
    },
    {
      name: 'v1beta1',
      served: true,
      storage: false,
      deprecated: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
    { name: 'v2', served: false, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
  ];
  const names = {
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    shortNames: ['wd'],
    categories: ['all'],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: 'Namespaced', names, versions },
  };
}

describeWithControlPlane('discovery, beside a real API server', () => {
  const group = uniqueGroup('discovery');
  let real: SharedControlPlane;
  let embedded: ApiServer;

  beforeAll(async () => {
    real = await sharedControlPlane('provider');
    embedded = createApiServer();
    await askBoth(real, embedded, {
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: definition(group),
    });
    await eventually(async () => {
      const answers = await ask(`/openapi/v3/apis/${group}/v1`);
      const lists = await ask(`/apis/${group}/v1`);
      return [answers.real, answers.embedded, lists.real, lists.embedded].every(({ status }) => status === 200);
    });
    await eventually(async () => JSON.stringify((await ask('/apis', aggregated)).real.body).includes(group));
  });
  afterAll(async () => {
    embedded.stop();
    await real.request({
      method: 'DELETE',
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`,
    });
  });

  const aggregated = {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
  };
  const ask = (path: string, headers: Record<string, string> = {}): Promise<{ real: Reply; embedded: Reply }> =>
    askBoth(real, embedded, { method: 'GET', path, headers });
  const items = (reply: Reply, key: string): readonly JsonObject[] =>
    (reply.body as JsonObject)[key] as readonly JsonObject[];

  it.each([
    `/apis/GROUP`,
    '/apis/GROUP/',
    '/apis/GROUP/v1',
    '/apis/GROUP/v1beta1',
    '/apis/GROUP/v2',
    '/apis/nobody.example.com',
    '/apis/nobody.example.com/v1',
    '/apis/rbac.authorization.k8s.io',
    '/apis/rbac.authorization.k8s.io/v1',
    '/apis/authorization.k8s.io/v1',
    '/apis/coordination.k8s.io/v1',
    '/apis/events.k8s.io/v1',
    '/healthz',
    '/readyz',
    '/livez/ping',
    '/healthz/nobody',
  ])('of %s is the same', async (path) => {
    const answers = await ask(path.replace('GROUP', group));
    expect(withoutDetails(answers.embedded)).toEqual(withoutDetails(answers.real));
  });

  it('of groups is the same, as far as they are here', async () => {
    const answers = await ask('/apis');
    const mine = items(answers.embedded, 'groups');
    const names = new Set(mine.map(({ name }) => name));
    expect(mine.length).toBeGreaterThan(6);
    expect(mine).toEqual(items(answers.real, 'groups').filter(({ name }) => names.has(name)));
  });

  it('of the core group is the same, as far as its kinds are here', async () => {
    const answers = await ask('/api/v1');
    const mine = items(answers.embedded, 'resources');
    const names = new Set(mine.map(({ name }) => name));
    expect(mine.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'configmaps',
        'events',
        'namespaces',
        'namespaces/finalize',
        'namespaces/status',
        'secrets',
        'serviceaccounts',
        'serviceaccounts/token',
      ]),
    );
    expect({ ...(answers.embedded.body as JsonObject), resources: mine }).toEqual({
      ...(answers.real.body as JsonObject),
      resources: items(answers.real, 'resources').filter(({ name }) => names.has(name)),
    });
  });

  it.each(['/api', '/apis'])('of %s at once is the same, as far as it is here', async (path) => {
    const answers = await ask(path, aggregated);
    const resourcesOf = (reply: Reply): ReadonlyMap<string, JsonValue> =>
      new Map(
        items(reply, 'items').flatMap(({ metadata, versions }) =>
          (versions as readonly JsonObject[]).flatMap(({ version, resources }) =>
            (resources as readonly JsonObject[]).map(
              (each) => [JSON.stringify([metadata, version, each['resource']]), each] as const,
            ),
          ),
        ),
      );
    const theirs = resourcesOf(answers.real);
    const mine = resourcesOf(answers.embedded);
    expect(mine.size).toBeGreaterThan(4);
    for (const [key, resource] of mine) expect([key, resource]).toEqual([key, theirs.get(key)]);
  });

  describe('by OpenAPI', () => {
    it('has the same schemas for a CRD', async () => {
      for (const version of ['v1', 'v1beta1']) {
        const answers = await ask(`/openapi/v3/apis/${group}/${version}`);
        const schemas = [answers.real, answers.embedded].map(
          ({ body }) => ((body as JsonObject)['components'] as JsonObject)['schemas'] as JsonObject,
        );
        const own = schemas.map((each) =>
          Object.fromEntries(Object.entries(each).filter(([name]) => name.includes('Widget'))),
        );
        expect(Object.keys(own[1] ?? {})).toHaveLength(2);
        expect(withoutDescriptions(own[1] ?? {})).toEqual(withoutDescriptions(own[0] ?? {}));
        expect(
          (
            (
              ((own[1] ?? {})[`${group.split('.').reverse().join('.')}.v1.Widget`] as JsonObject | undefined)?.[
                'properties'
              ] as JsonObject | undefined
            )?.['spec'] as JsonObject | undefined
          )?.['properties'],
        ).toEqual(
          version === 'v1'
            ? expect.objectContaining({ replicas: expect.objectContaining({ description: 'How many.' }) })
            : undefined,
        );
      }
    });

    it('has the same schemas for what all kinds have', async () => {
      const answers = await ask(`/openapi/v3/apis/${group}/v1`);
      const [theirs, mine] = [answers.real, answers.embedded].map(
        ({ body }) => ((body as JsonObject)['components'] as JsonObject)['schemas'] as JsonObject,
      );
      const names = Object.keys(mine ?? {}).filter((name) => name.startsWith('io.k8s'));
      expect(names).toContain('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
      for (const name of names)
        expect([name, simplified(mine?.[name] ?? null)]).toEqual([name, simplified(theirs?.[name] ?? null)]);
    });

    it('has the same paths, methods and kinds', async () => {
      const answers = await ask(`/openapi/v3/apis/${group}/v1`);
      const [theirs, mine] = [answers.real, answers.embedded].map(({ body }) =>
        methodsOf((body as JsonObject)['paths'] as JsonObject),
      );
      expect(mine).toEqual(theirs);
    });

    it('leads to documents by hashes', async () => {
      const { body } = (await ask('/openapi/v3')).embedded;
      const paths = (body as JsonObject)['paths'] as JsonObject;
      expect(Object.keys(paths)).toEqual(
        expect.arrayContaining(['api/v1', `apis/${group}/v1`, 'apis/rbac.authorization.k8s.io/v1']),
      );
      const { serverRelativeURL } = paths[`apis/${group}/v1`] as { serverRelativeURL: string };
      const answer = await embedded.request({
        method: 'GET',
        path: serverRelativeURL,
        headers: {},
        user: { name: 'root', groups: ['system:masters'] },
      });
      expect([answer.status, serverRelativeURL]).toEqual([
        200,
        `/openapi/v3/apis/${group}/v1?hash=${String(answer.headers['etag']).replaceAll('"', '')}`,
      ]);
      const wrong = await embedded.request({
        method: 'GET',
        path: `/openapi/v3/apis/${group}/v1?hash=x`,
        headers: {},
        user: { name: 'root', groups: ['system:masters'] },
      });
      expect([wrong.status, wrong.headers['location']]).toEqual([301, serverRelativeURL]);
      const known = await embedded.request({
        method: 'GET',
        path: serverRelativeURL,
        headers: { 'if-none-match': String(answer.headers['etag']) },
        user: { name: 'root', groups: ['system:masters'] },
      });
      expect([known.status, known.body]).toEqual([304, '']);
    });
  });
});

function withoutDetails({ status, body }: Reply): JsonValue {
  return [status, comparable(body)];
}

/** Descriptions of what Kubernetes adds are its own. */
function withoutDescriptions(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, each]) =>
      each === undefined || key === 'description' ? [] : [[key, withoutDescriptions(each)]],
    ),
  );
}

/** References written the short way, without defaults, descriptions and kinds; sharded lists are not here. */
function simplified(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, ...rest } = value as JsonObject;
  const [only] = (allOf ?? []) as readonly JsonObject[];
  const entries = Object.entries({ ...rest, ...only }).filter(
    ([key, each]) =>
      each !== undefined &&
      !(key === 'description' && typeof each === 'string') &&
      !(key === 'default' && typeof each !== 'boolean') &&
      key !== 'x-kubernetes-group-version-kind' &&
      key !== 'shardInfo',
  );
  return Object.fromEntries(entries.map(([key, each]) => [key, simplified(each ?? null)]));
}

function methodsOf(paths: JsonObject): JsonValue {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.entries(operations as JsonObject)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => [
          method,
          (operation as JsonObject)['x-kubernetes-group-version-kind'] ?? null,
          (operation as JsonObject)['x-kubernetes-action'] ?? null,
        ])
        .sort() as JsonValue,
    ]),
  );
}
