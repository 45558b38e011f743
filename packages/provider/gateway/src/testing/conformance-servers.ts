import type { KubeObject } from '@hawser/client';
import {
  type Case,
  type ServerRequest,
  type ServerUnderTest,
  definition,
  fixtureGroup,
  httpsServer,
} from '@hawser/conformance';
import { isFields, parse, stringify } from '@hawser/json';
import { type GroupResource, resources } from '@hawser/kube-bind';
import { type ControlPlaneOptions, eventually, startControlPlane } from '@hawser/testenv';
import { namespacesOf } from './conformance-cases.js';
import { type GatewayWorld, type TestConsumer, openGatewayWorld } from './gateway-world.js';

const CORE = /^\/api\/v1(?=\/(?:namespaces\/[^/]+\/)?configmaps(?:[/?]|$))/u;
/** Paths without rights for consumers: cases use them only to prepare. */
const SERVED_NOT = /\/gadgets|\/namespaces\/[^/]+\/[a-z]+\/[^/]+\/(?:status|scale)(?:\?|$)/u;
const COLLECTION = /\/namespaces\/[^/]+\/[a-z]+(?:\?|$)/u;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** No garbage collection disturbs a case; lists of old versions come from etcd, which can compact them. */
const SETTINGS: ControlPlaneOptions = { controllerManager: false, featureGates: { ListFromCacheSnapshot: false } };

/** ConfigMaps as custom resources, which a provider can export. */
const configMaps = definition({
  group: fixtureGroup,
  plural: 'configmaps',
  kind: 'ConfigMap',
  versions: [
    {
      schema: {
        type: 'object',
        properties: {
          data: { type: 'object', additionalProperties: { type: 'string' } },
          binaryData: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
          immutable: { type: 'boolean' },
        },
      },
    },
  ],
});

/** A real API server whose ConfigMaps are custom resources: cases about ConfigMaps then cover exportable objects. */
export async function startStraight(): Promise<ServerUnderTest> {
  const plane = await startControlPlane({ name: 'straight', ...SETTINGS });
  const server = httpsServer({
    name: 'kube-apiserver',
    connection: plane.connection,
    compact: () => plane.compact(),
    stop: () => plane.stop(),
  });
  await define(server);
  return withCustomConfigMaps(server);
}

/**
 * As {@link startStraight}, for a consumer behind a gateway: all requests of cases for exported kinds. The
 * administrator sends the others.
 */
export async function startBehindGateway(cases: readonly Case[]): Promise<ServerUnderTest> {
  const exported = ['widgets', 'gears', 'loose', 'ruled', 'configmaps'].map((resource): GroupResource => ({
    group: fixtureGroup,
    resource,
  }));
  const world = await openGatewayWorld({}, { exported, governed: false, controlPlane: SETTINGS });
  const { plane } = world.cluster;
  const straight = httpsServer({
    name: 'kube-apiserver',
    connection: plane.connection,
    compact: () => plane.compact(),
    stop: () => world.close(),
  });
  const consumer = await world.onboard([]);
  await grantAll(world, consumer);
  const namespaces = cases.flatMap(namespacesOf);
  await makeServiceNamespaces(world, consumer, namespaces);
  const { server, caData } = consumer.connection;
  const through = httpsServer({
    name: 'gateway',
    connection: { ...plane.connection, server, ...(caData === undefined ? {} : { caData }) },
    compact: () => plane.compact(),
    stop: () => Promise.resolve(),
  });
  const routed = route({ world, consumer, straight, through, namespaces: new Set(namespaces) });
  await define(routed);
  return withCustomConfigMaps(routed);
}

async function define(server: ServerUnderTest): Promise<void> {
  const { status, body } = await server.request({
    method: 'POST',
    path: DEFINITIONS,
    headers: { 'content-type': 'application/json' },
    body: stringify(configMaps),
  });
  if (status !== 201) throw new Error(`ConfigMaps cannot be defined: ${status} ${body}`);
  await eventually(async () => {
    const answer = await server.request({ method: 'GET', path: `/apis/${fixtureGroup}/v1/configmaps` });
    if (answer.status !== 200) throw new Error(`ConfigMaps are not served: ${answer.status} ${answer.body}`);
  });
}

interface Routes {
  readonly world: GatewayWorld;
  readonly consumer: TestConsumer;
  readonly straight: ServerUnderTest;
  readonly through: ServerUnderTest;
  readonly namespaces: ReadonlySet<string>;
}

/**
 * Requests for exported kinds go through the gateway with the consumer's token; a kind is exported once it is defined.
 */
function route({ world, consumer, straight, through, namespaces }: Routes): ServerUnderTest {
  const as = { token: consumer.token };
  const isServed = ({ path, method }: Pick<ServerRequest, 'path'> & { readonly method?: string }): boolean =>
    path.startsWith(`/apis/${fixtureGroup}/`) &&
    !SERVED_NOT.test(path) &&
    !(method === 'DELETE' && COLLECTION.test(path));
  return {
    name: 'gateway',
    async request(request) {
      if (isServed(request)) return through.request({ ...request, as });
      if (request.method === 'POST' && request.path === '/api/v1/namespaces' && namespaces.has(nameIn(request.body)))
        return { status: 201, headers: {}, body: request.body ?? '' };
      const answer = await straight.request(request);
      if (request.method === 'POST' && request.path === DEFINITIONS && answer.status === 201)
        await exportKind(world, consumer, JSON.parse(answer.body) as Definition);
      return answer;
    },
    watch: (request) => (isServed(request) ? through.watch({ ...request, as }) : straight.watch(request)),
    compact: () => straight.compact(),
    async stop() {
      await through.stop();
      await straight.stop();
    },
  };
}

function nameIn(body: string | undefined): string {
  const { metadata } = JSON.parse(body ?? '{}') as Partial<KubeObject>;
  return metadata?.name ?? '';
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly selectableFields?: unknown;
    }[];
  };
}

async function exportKind(world: GatewayWorld, consumer: TestConsumer, { spec }: Definition): Promise<void> {
  const { client } = world.cluster;
  const { group, scope, names } = spec;
  if (group !== fixtureGroup || scope === 'Cluster') return;
  await client.create(resources.boundSchemas, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BoundSchema',
    metadata: { name: `${names.plural}.${group}`, namespace: consumer.name },
    spec: {
      informerScope: 'Cluster',
      group,
      scope,
      names,
      versions: spec.versions.map((version) => ({ ...version, selectableFields: undefined })),
    },
  } as KubeObject);
  await client.create(resources.apiServiceExports, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExport',
    metadata: { name: names.plural, namespace: consumer.name },
    spec: {
      resources: [
        {
          group,
          resource: names.plural,
          versions: spec.versions.filter(({ served }) => served).map(({ name }) => name),
        },
      ],
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    },
  } as KubeObject);
}

/**
 * Grants everything: the API server alone decides on rights and admission, with or without a gateway, so neither
 * refuses here.
 */
async function grantAll({ cluster: { client } }: GatewayWorld, { name: namespace }: TestConsumer): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'conformance' };
  await client.create(resources.clusterRoles, {
    apiVersion,
    kind: 'ClusterRole',
    metadata,
    rules: [{ apiGroups: [fixtureGroup], resources: ['*'], verbs: ['*'] }],
  } as KubeObject);
  await client.create(resources.clusterRoleBindings, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace }],
  } as KubeObject);
}

/**
 * Makes the namespaces of cases service namespaces of the consumer before any case runs: its view does not change
 * during a watch.
 */
async function makeServiceNamespaces(
  { cluster }: GatewayWorld,
  { name: consumer }: TestConsumer,
  all: readonly string[],
): Promise<void> {
  const { client } = cluster;
  for (const name of all) {
    const key = { namespace: consumer, name: `of-${name}` };
    await client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, annotations: { 'kube-bind.io/api-service-namespace': `${consumer}/of-${name}` } },
    });
    await client.create(resources.apiServiceNamespaces, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: key,
    });
    await client.patch(
      resources.apiServiceNamespaces,
      key,
      { type: 'merge', patch: { status: { namespace: name } } },
      { subresource: 'status' },
    );
  }
}

function withCustomConfigMaps(server: ServerUnderTest): ServerUnderTest {
  const custom = <T extends Pick<ServerRequest, 'path'> & { readonly body?: string | undefined }>(request: T): T =>
    CORE.test(request.path)
      ? {
          ...request,
          path: request.path.replace(CORE, `/apis/${fixtureGroup}/v1`),
          ...(request.body === undefined ? {} : { body: customBody(request.body) }),
        }
      : request;
  return {
    ...server,
    request: (request) => server.request(custom(request)),
    watch: (request) => server.watch(custom(request)),
  };
}

/** Kind and version, if the body is an object that may be one. */
function customBody(body: string): string {
  try {
    const value: unknown = parse(body);
    if (!isFields(value) || !isFields(value['metadata'])) return body;
    const { apiVersion = 'v1', kind = 'ConfigMap' } = value;
    return stringify({ ...value, apiVersion: apiVersion === 'v1' ? `${fixtureGroup}/v1` : apiVersion, kind });
  } catch {
    return body;
  }
}
