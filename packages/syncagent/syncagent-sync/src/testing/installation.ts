import { type ApiServer, DirectDispatcher, createApiServer } from '@hawser/apiserver';
import {
  type Client,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  createClient,
  getIfExists,
  isAlreadyExists,
} from '@hawser/client';
import { type Clock, systemClock } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { crdOf } from '@hawser/installation';
import { type RunningKcp, startKcp } from '@hawser/kcp';
import { clusterNameOf, clusterPath, wildcardPath } from '@hawser/kcp-api';
import {
  type EventMessage,
  type EventRecorder,
  type Logger,
  type ObjectReference,
  noMetrics,
  silentLogger,
} from '@hawser/telemetry';
import {
  type AuditEntry,
  type AuditMark,
  type SharedControlPlane,
  eventually,
  settled,
  sharedControlPlane,
  uniqueGroup,
  uniqueNamespace,
} from '@hawser/testenv';

import type { Engagement } from '../engagement.js';
import { createNeighbours } from '../neighbours.js';
import type { PublishedKinds } from '../published.js';
import type { Rules } from '../rules.js';
import type { Sync, SyncOptions } from '../sync-options.js';
import { createSync } from '../sync.js';

/** kcp with two workspaces that have bound databases, and a service cluster, for tests of the engine alone. */
export interface Installation {
  readonly kcp: RunningKcp;
  readonly kinds: PublishedKinds;
  readonly service: Client;
  /** The control plane of a real service cluster. */
  readonly plane: SharedControlPlane;
  /** The server of a service cluster in this process. */
  server(): ApiServer;
  /** Namespace of the agent. */
  readonly agentNamespace: string;
  readonly workspaces: Readonly<Record<'a' | 'b', Workspace>>;
  /** Events on the PublishedResource. */
  readonly events: { readonly regarding: ObjectReference; readonly event: EventMessage }[];
  readonly engagement: Engagement & { engage(cluster: string): void; disengage(cluster: string): void };
  /** The default of spec.naming in a readable form: `<workspace's cluster>` / `<namespace>-<name>`. */
  readonly rules: Rules;
  readonly startSync: (more?: Partial<SyncOptions>, surroundings?: Surroundings) => Promise<Sync>;
  /** A client for a second service cluster, with the same kind and agent's namespace. */
  readonly secondService: () => Promise<Client>;
  /** A client for the service cluster with these rights there, and all rights on Secrets in the agent's namespace. */
  readonly withRights: (rules: readonly object[]) => Promise<Client>;
  object(name: string, spec: unknown, metadata?: Record<string, unknown>): UnstructuredObject;
  readonly copyOf: (workspace: Workspace, name: string) => Promise<UnstructuredObject | undefined>;
  readonly mark: () => Promise<AuditMark>;
  /** Waits until writes to the service cluster stop, and returns those since the mark. */
  readonly writesSince: (mark: AuditMark) => Promise<readonly AuditEntry[]>;
  close(): Promise<void>;
}

export interface Surroundings {
  readonly clock?: Clock;
  /** Replaces the administrator's client. */
  readonly service?: Client;
  readonly logger?: Logger;
  /** Shared watches of the service cluster. Default: its own. */
  readonly informers?: SharedInformers;
}

export interface Workspace {
  readonly cluster: string;
  /** Client of its administrator. */
  readonly client: Client;
  get(key: ObjectKey, resource?: Resource): Promise<UnstructuredObject | undefined>;
}

export const secrets: Resource = { group: '', version: 'v1', resource: 'secrets' };
export const configMaps: Resource = { group: '', version: 'v1', resource: 'configmaps' };
/** A related kind of the export itself, with a status. */
export const backups: Resource = { group: 'kcp.example.com', version: 'v1', resource: 'backups' };
export const namespaces: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const crds: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const CLAIMED = ['events', 'namespaces', 'secrets', 'configmaps'];

export interface InstallationOptions {
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly statusSubresource?: boolean;
  /** Claimed resources that workspaces accept. Default: all. */
  readonly accepted?: readonly string[];
  /** Whether {@link backups} exist. */
  readonly related?: boolean;
  /** Whether the service cluster is an API server in this process: needs nothing but Node. */
  readonly embedded?: boolean;
}

export async function openInstallation({
  scope = 'Namespaced',
  statusSubresource = true,
  accepted = CLAIMED,
  related = false,
  embedded = false,
}: InstallationOptions = {}): Promise<Installation> {
  const server = embedded ? createApiServer() : undefined;
  const plane = embedded ? undefined : await sharedControlPlane('provider');
  const kcp = await startKcp();
  const group = uniqueGroup('sync');
  const kinds: PublishedKinds = {
    service: {
      resource: { group, version: 'v1', resource: 'databases' },
      kind: 'Database',
      scope,
      subresources: statusSubresource ? ['status'] : [],
    },
    kcp: {
      resource: { group: 'kcp.example.com', version: 'v1', resource: 'manageddatabases' },
      kind: 'ManagedDatabase',
      scope,
      subresources: statusSubresource ? ['status'] : [],
    },
  };
  const clients: Client[] = [];
  const open = (
    name: string,
    connection: Parameters<typeof createClient>[0]['connection'],
    more: Pick<Parameters<typeof createClient>[0], 'dispatcher'> = {},
  ): Client => {
    const client = createClient({
      name,
      connection,
      ...more,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    clients.push(client);
    return client;
  };
  const service =
    server === undefined
      ? open('service', present(plane).connection)
      : open(
          'service',
          { server: 'https://service.invalid', credentials: { kind: 'token', token: server.adminToken } },
          { dispatcher: () => new DirectDispatcher({ server }) },
        );
  const agentNamespace = uniqueNamespace('agent');
  await service.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace } });
  await installCrd(service, kinds, statusSubresource);

  const provider = await kcp.createWorkspace('root:provider');
  const admin = open('kcp', kcp.connection('root'));
  if (related) await installBackups(service);
  await publish(admin.at('/clusters/root:provider'), kinds, statusSubresource, related);
  const workspaces = { a: await workspace('a'), b: await workspace('b') };
  const endpoint = { path: `/services/apiexport/${provider.name}/kcp.example.com` };
  const listeners = new Set<(cluster: string) => void>();
  const engaged = new Set([workspaces.a.cluster, workspaces.b.cluster]);
  const change = (cluster: string): void => {
    for (const listener of listeners) listener(cluster);
  };
  const vwInformers = createSharedInformers({
    client: admin.at(wildcardPath(endpoint), 'virtual workspace'),
    clusterOf: clusterNameOf,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
  });
  const engagement: Installation['engagement'] = {
    url: `${kcp.url}${endpoint.path}`,
    informers: vwInformers,
    recovery: admin.recovery,
    clientFor: (cluster) => admin.at(clusterPath(endpoint, cluster), cluster),
    workspaces: {
      hasOverlaps: false,
      has: (cluster) => engaged.has(cluster),
      get names() {
        return [...engaged];
      },
      pathOf: (cluster) => (cluster === workspaces.a.cluster ? 'root:a' : 'root:b'),
      onChange(listener) {
        listeners.add(listener);
        return {
          close: () => {
            listeners.delete(listener);
          },
        };
      },
    },
    engage(cluster) {
      engaged.add(cluster);
      change(cluster);
    },
    disengage(cluster) {
      engaged.delete(cluster);
      change(cluster);
    },
  };
  const rules: Rules = {
    naming: ({ metadata }, cluster) => ({
      name: `${metadata.namespace ?? cluster}-${metadata.name}`,
      namespace: scope === 'Cluster' ? undefined : `copies-${cluster}`,
    }),
    mutations: undefined,
    related: [],
    filter: { resource: undefined, namespace: undefined },
    workspacePaths: false,
  };
  const events: Installation['events'] = [];
  const recorder: EventRecorder = {
    record: (regarding, event) => {
      events.push({ regarding, event });
    },
    flush: () => Promise.resolve(),
  };
  const closers: (() => Promise<void>)[] = [];
  const neighbours = createNeighbours();

  return {
    kcp,
    kinds,
    service,
    agentNamespace,
    workspaces,
    events,
    engagement,
    rules,
    get plane() {
      return present(plane);
    },
    server: () => present(server),
    async startSync(
      more = {},
      {
        clock = systemClock,
        service: client = service,
        logger = silentLogger,
        informers = createSharedInformers({
          client,
          clock: systemClock,
          random: Math.random,
          logger: silentLogger,
          metrics: noMetrics,
        }),
      } = {},
    ) {
      const ending = new AbortController();
      const started: { sync?: Sync } = {};
      // Before anything can fail: open connections would keep the tests from ending.
      closers.push(async () => {
        await started.sync?.stop();
        ending.abort();
        await informers.close();
      });
      const sync = createSync({
        publishedResource: { apiVersion: 'syncagent.kcp.io/v1alpha1', kind: 'PublishedResource', name: 'databases' },
        kinds,
        rules,
        agentName: agentNamespace,
        namespace: agentNamespace,
        adoption: 'adopt',
        engagements: [engagement],
        neighbours,
        ...more,
      });
      started.sync = sync;
      await sync.start({
        clusters: { service: { name: 'service', client, informers, events: recorder } },
        clock,
        random: Math.random,
        logger,
        metrics: noMetrics,
        signal: ending.signal,
      });
      return sync;
    },
    async secondService() {
      const client = open('second service', (await sharedControlPlane('consumer')).connection);
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace } });
      await installCrd(client, kinds, statusSubresource);
      return client;
    },
    async withRights(given) {
      const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
      const name = agentNamespace;
      const subjects = [{ kind: 'ServiceAccount', name, namespace: agentNamespace }];
      await service.create(
        { group: '', version: 'v1', resource: 'serviceaccounts' },
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: agentNamespace } },
      );
      for (const [suffix, namespace, roleRules] of [
        ['', undefined, given],
        ['s', agentNamespace, [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]],
      ] as const) {
        const [kind, plural] = namespace === undefined ? ['ClusterRole', 'clusterroles'] : ['Role', 'roles'];
        const metadata = { name: `${name}${suffix}`, namespace };
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name };
        await service.create(rbac(plural), {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind,
          metadata,
          rules: roleRules,
        } as UnstructuredObject);
        await service.create(rbac(plural.replace('roles', 'rolebindings')), {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: `${kind}Binding`,
          metadata,
          roleRef,
          subjects,
        } as UnstructuredObject);
      }
      const { connection } = await present(plane).serviceAccountAccess(agentNamespace, name);
      return open('limited', connection);
    },
    object: (name, spec, metadata = {}) => ({
      apiVersion: 'kcp.example.com/v1',
      kind: 'ManagedDatabase',
      metadata: { name, ...(scope === 'Namespaced' ? { namespace: 'default' } : {}), ...metadata },
      spec,
    }),
    copyOf: ({ cluster }, name) =>
      getIfExists(
        service,
        kinds.service.resource,
        scope === 'Cluster'
          ? { name: `${cluster}-${name}` }
          : { namespace: `copies-${cluster}`, name: `default-${name}` },
      ),
    mark: () => present(plane).auditLog().mark(),
    async writesSince(mark) {
      return settled<AuditEntry>(async () => [
        ...(await present(plane).auditLog().writes({ since: mark, group })),
        ...(await present(plane).auditLog().writes({ since: mark, resource: 'secrets', namespace: agentNamespace })),
      ]);
    },
    async close() {
      await Promise.all(closers.map((closer) => closer()));
      await vwInformers.close();
      await Promise.all(clients.map((client) => client.close()));
      await kcp.stop();
      server?.stop();
    },
  };

  async function workspace(name: string): Promise<Workspace> {
    const made = await kcp.createWorkspace(`root:${name}`);
    const client = admin.at(`/clusters/root:${name}`, name);
    await bind(client, kinds, accepted);
    return {
      cluster: made.name,
      client,
      get: (key, resource = kinds.kcp.resource) => getIfExists(client, resource, key),
    };
  }
}

function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('this installation has another service cluster');
  return part;
}

async function installCrd(
  client: Client,
  { service: { resource, scope } }: PublishedKinds,
  statusSubresource: boolean,
): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await client.create(
    crds,
    crdOf(
      { group: resource.group, plural: 'databases', kind: 'Database', scope },
      {
        properties: {
          spec: {
            ...open,
            properties: { tier: { type: 'string', default: 'standard' }, size: { type: 'string', maxLength: 20 } },
          },
          status: open,
        },
        statusSubresource,
      },
    ),
  );
  await eventually(async () => {
    await client.list(resource);
  });
}

const apis = (version: string, resource: string): Resource => ({ group: 'apis.kcp.io', version, resource });

/** Once for all tests of a service cluster. */
async function installBackups(client: Client): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  try {
    await client.create(
      crds,
      crdOf(
        { group: backups.group, plural: 'backups', kind: 'Backup', scope: 'Namespaced' },
        { properties: { spec: open, status: open } },
      ),
    );
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  await eventually(async () => {
    await client.list(backups);
  });
}

async function publish(
  provider: Client,
  { kcp: { kind, scope } }: PublishedKinds,
  statusSubresource: boolean,
  related: boolean,
): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  if (related) {
    await provider.create(apis('v1alpha1', 'apiresourceschemas'), {
      apiVersion: 'apis.kcp.io/v1alpha1',
      kind: 'APIResourceSchema',
      metadata: { name: 'v1.backups.kcp.example.com' },
      spec: {
        group: backups.group,
        names: { plural: 'backups', singular: 'backup', kind: 'Backup', listKind: 'BackupList' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { type: 'object', properties: { spec: open, status: open } },
          },
        ],
      },
    } as UnstructuredObject);
  }
  await provider.create(apis('v1alpha1', 'apiresourceschemas'), {
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIResourceSchema',
    metadata: { name: 'v1.manageddatabases.kcp.example.com' },
    spec: {
      group: 'kcp.example.com',
      names: { plural: 'manageddatabases', singular: 'manageddatabase', kind, listKind: `${kind}List` },
      scope,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          ...(statusSubresource ? { subresources: { status: {} } } : { subresources: {} }),
          schema: { type: 'object', properties: { spec: open, status: open } },
        },
      ],
    },
  } as UnstructuredObject);
  await provider.create(apis('v1alpha2', 'apiexports'), {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIExport',
    metadata: { name: 'kcp.example.com' },
    spec: {
      resources: [
        {
          name: 'manageddatabases',
          group: 'kcp.example.com',
          schema: 'v1.manageddatabases.kcp.example.com',
          storage: { crd: {} },
        },
        ...(related
          ? [{ name: 'backups', group: backups.group, schema: 'v1.backups.kcp.example.com', storage: { crd: {} } }]
          : []),
      ],
      permissionClaims: CLAIMED.map((resource) => ({ group: '', resource, verbs: ['*'] })),
    },
  } as UnstructuredObject);
}

async function bind(client: Client, { kcp }: PublishedKinds, accepted: readonly string[]): Promise<void> {
  await client.create(apis('v1alpha2', 'apibindings'), {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIBinding',
    metadata: { name: 'databases' },
    spec: {
      reference: { export: { path: 'root:provider', name: 'kcp.example.com' } },
      permissionClaims: CLAIMED.map((resource) => ({
        group: '',
        resource,
        verbs: ['*'],
        selector: { matchAll: true },
        state: accepted.includes(resource) ? 'Accepted' : 'Rejected',
      })),
    },
  } as UnstructuredObject);
  await eventually(async () => {
    await client.list(kcp.resource);
  });
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
