import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type KubeObject, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import {
  consumerBounds,
  consumerBoundsBinding,
  consumerPolicy,
  consumerPolicyBinding,
  consumerRoles,
  createExportRbac,
  policyResources,
} from '@hawser/exportrbac';
import {
  type APIServiceExport,
  type GroupResource,
  type Isolation,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type ControlPlaneOptions, createCertificateAuthority, eventually, uniqueNamespace } from '@hawser/testenv';
import { rights as rbacRights } from '../../../exportrbac/src/testing/rights.js';
import { createServiceNamespaceController } from '../../../servicenamespace/src/index.js';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../servicenamespace/src/testing/provider-cluster.js';
import { rights as namespaceRights } from '../../../servicenamespace/src/testing/rights.js';
import { type Gateway, type GatewayOptions, createGateway } from '../index.js';
import { gatewayRights } from './rights.js';

export const group = 'gateway.example.com';

/** Exported kinds: one for each way in which a konnector lists, in the whole cluster or in its namespaces. */
export const kinds = {
  /** Cluster-scoped, isolation Prefixed. */
  zones: { resource: 'zones', scope: 'Cluster', bound: 'Cluster', isolation: 'Prefixed' },
  /** Cluster-scoped, isolation None. */
  realms: { resource: 'realms', scope: 'Cluster', bound: 'Cluster', isolation: 'None' },
  /** Namespaced on the provider, cluster-scoped for consumers. */
  plots: { resource: 'plots', scope: 'Namespaced', bound: 'Cluster', isolation: 'Namespaced' },
  /** Namespaced. */
  databases: { resource: 'databases', scope: 'Namespaced', bound: 'Namespaced', isolation: 'Prefixed' },
  /** Exported to no consumer. */
  secretplans: { resource: 'secretplans', scope: 'Namespaced', bound: 'Namespaced', isolation: 'Prefixed' },
} as const satisfies Record<
  string,
  { resource: string; scope: 'Cluster' | 'Namespaced'; bound: 'Cluster' | 'Namespaced'; isolation: Isolation }
>;
export type Kind = keyof typeof kinds;

export interface TestConsumer {
  readonly name: string;
  /** Client straight to the API server. */
  readonly straight: Client;
  /** Client of the consumer's konnector, through the gateway. */
  readonly through: Client;
  readonly connection: ConnectionConfig;
  readonly token: string;
}

export interface GatewayWorld {
  readonly cluster: ProviderCluster;
  readonly gateway: Gateway;
  /** Resource of an exported kind. */
  resource(kind: Kind): Resource;
  onboard(kinds?: readonly Kind[]): Promise<TestConsumer>;
  /** Starts another gateway as a further replica. It sends all its requests over `connection`, if given. */
  another(options?: Partial<GatewayOptions>): Promise<{ readonly gateway: Gateway; readonly running: Running }>;
  connectionTo(gateway: Gateway, token: string): ConnectionConfig;
  /** An object as a konnector would make it. */
  object(
    kind: Kind,
    name: string,
    consumer: string | undefined,
    fields?: object,
    namespace?: string,
  ): UnstructuredObject;
  close(): Promise<void>;
}

/** Additions of a world to {@link kinds}. */
export interface WorldOptions {
  /** Resources of another group; the test makes their CRDs and exports itself. */
  readonly exported?: readonly GroupResource[];
  /**
   * Whether consumers get their rights and service namespaces, and admission limits them to these. Default true; false:
   * the test does this itself.
   */
  readonly governed?: boolean;
  readonly controlPlane?: ControlPlaneOptions;
}

export async function openGatewayWorld(
  options: Partial<GatewayOptions> = {},
  { exported: more = [], governed = true, controlPlane = {} }: WorldOptions = {},
): Promise<GatewayWorld> {
  const exported: readonly GroupResource[] = [
    ...Object.values(kinds).map(({ resource }) => ({ group, resource })),
    ...more,
  ];
  const roles = consumerRoles(exported, kubeBindDialect);
  const cluster = await openProviderCluster(
    [
      ...rbacRights,
      ...namespaceRights,
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: roles.map(({ metadata }) => metadata.name),
        verbs: ['bind'],
      },
    ],
    { controllerManager: true, ...controlPlane },
  );
  const { client } = cluster;
  for (const role of roles) await client.create(resources.clusterRoles, role);
  for (const { resource, scope } of Object.values(kinds)) await makeCRD(client, resource, scope);
  if (governed) await govern(cluster);
  const folder = await mkdtemp(join(tmpdir(), 'hawser-gateway-'));
  const authority = await createCertificateAuthority(folder, 'gateway authority');
  const { cert, key } = await authority.issueServer('gateway', ['localhost'], ['127.0.0.1']);
  const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key);
  const own = await cluster.plane.userAccess('hawser-gateway');
  await grantTo(client, 'hawser-gateway', gatewayRights(...new Set(exported.map((one) => one.group ?? ''))));
  const clients = new Set<Client>();
  const another: GatewayWorld['another'] = async (more = {}) => {
    const gateway = createGateway({
      dialects: [kubeBindDialect],
      connection: () => own.connection,
      address: '127.0.0.1:0',
      tls,
      ...options,
      ...more,
    });
    return { gateway, running: await cluster.runThrough(more.connection?.() ?? own.connection, gateway) };
  };
  const connectionTo = (gateway: Gateway, token: string): ConnectionConfig => ({
    server: `https://${gateway.address ?? ''}`,
    caData: authority.cert,
    credentials: { kind: 'token', token },
  });
  const { gateway } = await another();
  const opened = (connection: ConnectionConfig): Client => {
    const made = createClient({ name: 'provider', connection });
    clients.add(made);
    return made;
  };
  return {
    cluster,
    gateway,
    another,
    connectionTo,
    resource: (kind) => ({ group, version: 'v1', resource: kinds[kind].resource }),
    object: (kind, name, consumer, fields = {}, namespace) => ({
      apiVersion: `${group}/v1`,
      kind: kindOf(kinds[kind].resource),
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(consumer === undefined ? {} : { annotations: { 'kube-bind.io/cluster-namespace': consumer } }),
      },
      spec: { size: 1, ...fields },
    }),
    onboard: async (wanted = ['zones', 'realms', 'plots', 'databases']) => {
      const name = uniqueNamespace('kube-bind');
      await client.create(resources.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, annotations: { 'backend.kube-bind.io/identity': name } },
      });
      const { connection } = await cluster.plane.serviceAccountAccess(name, 'kube-binder');
      await client.create(resources.roleBindings, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'kube-binder', namespace: name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kube-binder' },
        subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: name }],
      } as KubeObject);
      for (const kind of wanted) await exportTo(client, name, kind);
      for (const kind of wanted) await granted(client, name, kind);
      const token = connection.credentials.kind === 'token' ? connection.credentials.token : '';
      const through = connectionTo(gateway, token);
      return { name, token, connection: through, straight: opened(connection), through: opened(through) };
    },
    close: async () => {
      await Promise.all([...clients].map((one) => one.close()));
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Gives consumers their rights and service namespaces, and limits them to these. */
async function govern(cluster: ProviderCluster): Promise<void> {
  const { client } = cluster;
  for (const [policy, binding] of [
    [consumerPolicy(kubeBindDialect), consumerPolicyBinding(kubeBindDialect)],
    [consumerBounds, consumerBoundsBinding],
  ] as const) {
    await client.create(policyResources.policies, policy);
    await client.create(policyResources.bindings, binding);
  }
  const { controller, rights } = createExportRbac({ dialect: kubeBindDialect, clusterReads: 'gateway' });
  await cluster.run(
    controller,
    createServiceNamespaceController({ dialect: kubeBindDialect, isolation: 'Prefixed', rights }),
  );
}

async function exportTo(client: Client, consumer: string, kind: Kind): Promise<void> {
  const { resource, bound, isolation } = kinds[kind];
  await client.create(resources.boundSchemas, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BoundSchema',
    metadata: { name: `${resource}.${group}`, namespace: consumer },
    spec: {
      informerScope: 'Namespaced',
      group,
      scope: bound,
      names: names(resource),
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  } as KubeObject);
  await client.create(resources.apiServiceExports, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExport',
    metadata: { name: resource, namespace: consumer },
    spec: { resources: [{ group, resource, versions: ['v1'] }], informerScope: 'Cluster', isolation },
  } as KubeObject);
}

/**
 * Waits until the consumer has the right that its export needs: without namespaces, an export of a namespaced resource
 * needs none.
 */
async function granted(client: Client, consumer: string, kind: Kind): Promise<void> {
  if (kinds[kind].bound === 'Namespaced') return;
  const found = kinds[kind].scope === 'Cluster' ? resources.clusterRoleBindings : resources.roleBindings;
  await eventually(async () => {
    const { items } = await client.list(found, kinds[kind].scope === 'Cluster' ? {} : { namespace: consumer });
    const [last] = items.filter(
      ({ metadata }) =>
        metadata.name.startsWith(`kube-binder:${consumer}:`) &&
        metadata.name.endsWith(`:${kinds[kind].resource}.${group}`),
    );
    if (last === undefined) {
      const { status } = await client.get<APIServiceExport>(resources.apiServiceExports, {
        namespace: consumer,
        name: kinds[kind].resource,
      });
      throw new Error(`${kind} is not granted: ${JSON.stringify(status)}`);
    }
  });
}

async function grantTo(client: Client, user: string, rules: readonly object[]): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await client.create(resources.clusterRoles, {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: user },
    rules,
  } as KubeObject);
  await client.create(resources.clusterRoleBindings, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  } as KubeObject);
}

async function makeCRD(client: Client, resource: string, scope: string): Promise<void> {
  const name = `${resource}.${group}`;
  await client.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      scope,
      names: names(resource),
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  } as KubeObject);
  await eventually(async () => {
    await client.list({ group, version: 'v1', resource });
  });
}

const kindOf = (resource: string): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1, -1)}`;

function names(resource: string) {
  const kind = kindOf(resource);
  return { plural: resource, singular: resource.slice(0, -1), kind, listKind: `${kind}List` };
}
