import { isObject, type JsonValue } from '@hawser/json';
import { dig, textOf } from '../answer.js';
import { cases, table } from '../case.js';
import { definition, integer, list, object, string } from '../definition.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const covered = [
  'namespaces',
  'secrets',
  'configmaps',
  'serviceaccounts',
  'events',
  'leases',
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'customresourcedefinitions',
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'tokenreviews',
  'selfsubjectreviews',
];

const itemsOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];

/** Without hashes, which mean nothing across servers, and without resources that only a whole cluster has. */
const withoutOthers = (body: JsonValue): JsonValue => {
  if (!isObject(body)) return body;
  const resources = itemsOf(body['resources']).filter(
    (one) =>
      covered.includes(textOf(dig(one, ['name'])).split('/')[0] ?? '') ||
      !/^v1$|k8s\.io/u.test(textOf(body['groupVersion'])),
  );
  return { ...body, resources: resources.map((one) => (isObject(one) ? without(one, 'storageVersionHash') : one)) };
};

const without = (one: Readonly<Record<string, JsonValue | undefined>>, key: string): JsonValue =>
  Object.fromEntries(Object.entries(one).filter(([name]) => name !== key));

const ofGroup =
  (group: string) =>
  (body: JsonValue): JsonValue => {
    const found = itemsOf(dig(body, ['items'])).find((one) => (dig(one, ['metadata', 'name']) ?? '') === group);
    return found === undefined
      ? null
      : {
          ...(found as Readonly<Record<string, JsonValue>>),
          versions: itemsOf(dig(found, ['versions'])).map((version) => ({
            ...(version as Readonly<Record<string, JsonValue>>),
            resources: itemsOf(dig(version, ['resources'])).filter(
              (one) => group.includes('conformance') || covered.includes(textOf(dig(one, ['resource']))),
            ),
          })),
        };
  };

/** Descriptions of common fields are prose. */
const withoutProse = (schema: JsonValue): JsonValue => {
  const properties = dig(schema, ['properties']);
  if (!isObject(schema) || !isObject(properties)) return schema;
  const plain = Object.fromEntries(
    ['apiVersion', 'kind', 'metadata'].flatMap((name) => {
      const one = properties[name];
      return isObject(one) ? [[name, without(one, 'description')]] : [];
    }),
  );
  return { ...schema, properties: { ...properties, ...plain } };
};

const untilListed = 5;

export const discoveryCases = cases('discovery', {
  async 'the versions of core'(api) {
    await api.get('/api', {
      select: (body) =>
        isObject(body)
          ? { ...body, serverAddressByClientCIDRs: itemsOf(body['serverAddressByClientCIDRs']).length }
          : body,
    });
    await api.get('/api/v1', { select: withoutOthers });
  },
  ...table(
    Object.fromEntries(
      [
        'coordination.k8s.io',
        'rbac.authorization.k8s.io',
        'apiextensions.k8s.io',
        'authorization.k8s.io',
        'authentication.k8s.io',
      ].map((group) => [`the group ${group}`, group]),
    ),
    async (api, group) => {
      await api.get(`/apis/${group}`, {
        select: (body) =>
          isObject(body)
            ? { ...body, versions: itemsOf(body['versions']).filter((one) => dig(one, ['version']) === 'v1') }
            : body,
      });
      await api.get(`/apis/${group}/v1`, { select: withoutOthers });
      await api.get('/apis', {
        accept: aggregated,
        select: (body) => {
          const found = ofGroup(group)(body);
          return isObject(found)
            ? { ...found, versions: itemsOf(found['versions']).filter((one) => dig(one, ['version']) === 'v1') }
            : found;
        },
      });
    },
  ),
  async 'a group of custom resources'(api) {
    const group = 'fixtures.conformance.test';
    await api.until(`/apis/${group}/v1`, (answer) => itemsOf(answer.at('resources')).length > untilListed, {
      select: (body) =>
        isObject(body)
          ? {
              ...(withoutOthers(body) as Readonly<Record<string, JsonValue>>),
              resources: sorted(itemsOf(dig(withoutOthers(body), ['resources'])), 'name'),
            }
          : body,
    });
    await api.until(`/apis/${group}`, ({ status }) => status === 200);
    await api.until(`/apis/${group}/v1beta1`, ({ status }) => status === 200, { select: withoutOthers });
  },
  async 'a group of custom resources, aggregated'(api) {
    const select = (body: JsonValue): JsonValue => {
      const found = ofGroup('fixtures.conformance.test')(body);
      return isObject(found)
        ? {
            ...found,
            versions: itemsOf(found['versions']).map((version) => ({
              ...(version as Readonly<Record<string, JsonValue>>),
              resources: sorted(itemsOf(dig(version, ['resources'])), 'resource'),
            })),
          }
        : found;
    };
    await api.until(
      '/apis',
      (answer) =>
        itemsOf(dig(ofGroup('fixtures.conformance.test')(answer.body), ['versions', 0, 'resources'])).length >=
        untilListed - 1,
      { accept: aggregated, select },
    );
  },
  async 'core, aggregated'(api) {
    await api.get('/api', { accept: aggregated, select: ofGroup('') });
  },
  async 'a group that comes and goes'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          { name: 'v1alpha1', storage: false },
          { name: 'v1', storage: true },
          { name: 'v2beta1', storage: false },
          { name: 'v10', storage: false },
          { name: 'other', storage: false },
        ],
      }),
    );
    await api.until(`/apis/${api.group}`, (answer) => itemsOf(answer.at('versions')).length === 5);
    await api.quietly.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${api.group}`);
    await api.until(`/apis/${api.group}`, ({ status }) => status === 404);
    await api.get(`/apis/${api.group}/v1`);
  },
  async 'what is not there'(api) {
    await api.get('/apis/nothing.example.com');
    await api.get('/apis/nothing.example.com/v1');
    await api.get('/apis/coordination.k8s.io/v9');
  },
  async 'the version of the server'(api) {
    const { body } = await api.get('/version', {
      select: (version) => (isObject(version) ? Object.keys(version).sort() : version),
    });
    api.note('minor', dig(body, ['minor']) ?? null);
  },
  async health(api) {
    for (const path of ['/healthz', '/livez', '/readyz', '/readyz/ping', '/healthz/ping', '/healthz/nothing'])
      await api.get(path);
  },
  async 'the paths of OpenAPI v3'(api) {
    await api.until(
      '/openapi/v3',
      (answer) => dig(answer.body, ['paths', 'apis/fixtures.conformance.test/v1']) !== undefined,
      {
        select: (body) => {
          const paths = dig(body, ['paths']);
          return isObject(paths)
            ? [
                'api/v1',
                'apis/coordination.k8s.io/v1',
                'apis/fixtures.conformance.test/v1',
                'apis/fixtures.conformance.test/v1beta1',
                'apis/fixtures.conformance.test/v1alpha1',
              ].map((path) => [
                path,
                textOf(dig(paths[path], ['serverRelativeURL'])).replaceAll(/hash=[0-9A-F]+/gu, 'hash=x'),
              ])
            : body;
        },
      },
    );
  },
  async 'OpenAPI v3 of a custom resource: its schema'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          {
            spec: object(
              {
                a: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'An a.' },
                list: list(object({ name: string }, { required: ['name'] }), {
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                }),
                either: { 'x-kubernetes-int-or-string': true },
                free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                n: { ...integer, nullable: true },
              },
              { required: ['a'] },
            ),
            more: { subresources: { status: {} } },
          },
        ],
      }),
    );
    const component = `test.conformance.${api.id}.v1.Thing`;
    await api.until(
      `/openapi/v3/apis/${api.group}/v1`,
      (answer) => dig(answer.body, ['components', 'schemas', component]) !== undefined,
      { select: (body) => withoutProse(dig(body, ['components', 'schemas', component]) ?? null) },
    );
  },
  async 'OpenAPI v3 of a custom resource: its paths'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          {
            more: {
              subresources: {
                status: {},
                scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
              },
            },
          },
        ],
      }),
    );
    await api.until(
      `/openapi/v3/apis/${api.group}/v1`,
      (answer) => isObject(answer.at('paths')) && Object.keys(answer.at('paths') ?? {}).length > 3,
      {
        select: (body) => {
          const paths = dig(body, ['paths']);
          return isObject(paths)
            ? Object.fromEntries(
                Object.entries(paths).map(([path, methods]) => [
                  path,
                  isObject(methods) ? Object.keys(methods).sort() : null,
                ]),
              )
            : body;
        },
      },
    );
  },
  async 'OpenAPI v3 of built-in kinds'(api) {
    await api.get('/openapi/v3/apis/coordination.k8s.io/v1', {
      select: (body) => {
        const lease = dig(body, ['components', 'schemas', 'io.k8s.api.coordination.v1.Lease']);
        return isObject(lease)
          ? {
              keys: Object.keys(lease['properties'] ?? {}).sort(),
              gvk: lease['x-kubernetes-group-version-kind'] ?? null,
              type: lease['type'] ?? null,
            }
          : (lease ?? null);
      },
    });
  },
  async 'OpenAPI v3 of what is not there'(api) {
    await api.get('/openapi/v3/apis/nothing.example.com/v1');
  },
});

function sorted(items: readonly JsonValue[], key: string): readonly JsonValue[] {
  return [...items].sort((one, other) => (textOf(dig(one, [key])) < textOf(dig(other, [key])) ? -1 : 1));
}
