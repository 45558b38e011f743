import { type ApiServer, type Listener, createApiServer, listen } from '@hawser/apiserver';
import { type Client, type Hosts, type KubeObject, type Resource, createClient, createHosts } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Cluster, type Controller, type ControllerContext, clientEventWriter } from '@hawser/controller';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { type LogicalCluster, type RunningKcp, startKcp } from '@hawser/kcp';
import { type APIExport, resources as kcpResources, workspacePath } from '@hawser/kcp-api';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type PublishedResource, installCRDs, resources } from '@hawser/syncagent-api';
import { type Logger, type Metrics, createEventRecorder, createMetrics, silentLogger } from '@hawser/telemetry';

/** Name of the APIExport, and of its endpoint slice. */
export const EXPORT = 'example.com';

export interface AgentWorldOptions {
  /** Default: one, `root`. */
  readonly shards?: readonly string[];
  /** Replaces the API server in the process: must be empty, and stays the caller's. */
  readonly service?: ConnectionConfig;
  /** The workspace of the endpoint slice, which is created. Default: the provider workspace. */
  readonly endpoints?: string;
  readonly logger?: Logger;
}

type Names = 'service' | 'provider' | 'endpoints';

/**
 * A test world for an agent of api-syncagent: a service cluster, and a kcp with a provider workspace `root:provider`
 * and its APIExport.
 */
export interface AgentWorld {
  readonly kcp: RunningKcp;
  readonly provider: LogicalCluster;
  readonly hosts: Hosts;
  /** Bypasses every informer. */
  readonly service: Client;
  readonly providerClient: Client;
  readonly metrics: Metrics;
  /** For controllers; closed with the world. */
  readonly clusters: Readonly<Record<Names, Cluster>>;
  /** Starts a controller; it stops with the world at the latest. */
  start<C extends Controller<Names>>(controller: C): Promise<C>;
  /** New informers and caches, as after a restart of the process. Stops what was started. */
  restart(): Promise<void>;
  /** A client for one workspace, by path. */
  workspace(path: string): Client;
  /** Creates a workspace and binds the export in it, all claims accepted; resolves at once. */
  bind(path: string, shard?: string): Promise<LogicalCluster>;
  unbind(path: string): Promise<void>;
  /** Finds the CRD among all. */
  discover(source: { readonly group: string; readonly kind: string }): Promise<CustomResourceDefinition>;
  published(name: string): Promise<PublishedResource>;
  export(): Promise<APIExport>;
  /** `reason: message` of the Events about objects of a kind. */
  events(side: 'service' | 'provider', kind: string): Promise<readonly string[]>;
  /** Names and versions of everything that controllers write: equal results mean no write in between. */
  versions(): Promise<string>;
  /** Watches and sockets of the informers that run now. */
  readonly activeInformers: number;
  close(): Promise<void>;
}

const EVENTS: Resource = { group: '', version: 'v1', resource: 'events' };

export async function startAgentWorld({
  shards = ['root'],
  service: given,
  endpoints,
  logger = silentLogger,
}: AgentWorldOptions = {}): Promise<AgentWorld> {
  const kcp = await startKcp({ shards });
  const provider = await kcp.createWorkspace('root:provider');
  const embedded = given === undefined ? await startService() : undefined;
  const connection = given ?? embedded?.connection;
  if (connection === undefined) throw new Error('there is no service cluster');
  const metrics = createMetrics();
  const service = createClient({ name: 'service', connection });
  const hosts = createHosts({ name: 'kcp', connection: kcp.connection('root:provider') });
  const providerClient = hosts.home;
  if (endpoints !== undefined) await kcp.createWorkspace(endpoints);
  const endpointsClient = endpoints === undefined ? providerClient : hosts.home.at(workspacePath(endpoints));
  await installCRDs(service, { clock: systemClock });
  await providerClient.create(kcpResources.apiExports, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIExport',
    metadata: { name: EXPORT },
  });

  const cluster = (name: Names, client: Client): Cluster => ({
    name,
    client,
    informers: createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger,
      metrics,
      backoff: { initialMs: 20, capMs: 200 },
    }),
    events: createEventRecorder({
      writer: clientEventWriter(client),
      component: 'agent',
      instance: 'agent',
      clock: systemClock,
      random: Math.random,
      logger,
      metrics,
    }),
  });
  const open = (): Record<Names, Cluster> => ({
    service: cluster('service', service),
    provider: cluster('provider', providerClient),
    endpoints: cluster('endpoints', endpointsClient),
  });
  let clusters = open();
  let ending = new AbortController();
  const controllers: Controller<Names>[] = [];

  const stopAll = async (): Promise<void> => {
    for (const controller of controllers.splice(0).toReversed()) await controller.stop();
    ending.abort();
    await Promise.all(
      Object.values(clusters).map(async ({ informers, events }) => {
        await events.flush();
        await informers.close();
      }),
    );
  };
  const list = async (client: Client, resource: Resource): Promise<readonly KubeObject[]> =>
    (await client.list<KubeObject>(resource)).items;

  return {
    kcp,
    provider,
    hosts,
    service,
    providerClient,
    metrics,
    get clusters() {
      return clusters;
    },
    get activeInformers() {
      return Object.values(clusters).reduce((sum, { informers }) => sum + activeOf(informers), 0);
    },
    start: async (controller) => {
      controllers.push(controller);
      const ctx: ControllerContext<Names> = {
        clusters,
        logger,
        metrics,
        clock: systemClock,
        random: Math.random,
        signal: ending.signal,
      };
      await controller.start(ctx);
      return controller;
    },
    restart: async () => {
      await stopAll();
      ending = new AbortController();
      clusters = open();
    },
    workspace: (path) => hosts.home.at(workspacePath(path)),
    bind: async (path, shard) => {
      const workspace = await kcp.createWorkspace(path, shard === undefined ? {} : { shard });
      const { spec } = await providerClient.get<APIExport>(kcpResources.apiExports, { name: EXPORT });
      const permissionClaims = (spec?.permissionClaims ?? []).map((claim) => ({
        ...claim,
        selector: { matchAll: true },
        state: 'Accepted',
      }));
      await hosts.home.at(workspacePath(path)).create(kcpResources.apiBindings, {
        apiVersion: 'apis.kcp.io/v1alpha2',
        kind: 'APIBinding',
        metadata: { name: 'example' },
        spec: { reference: { export: { path: 'root:provider', name: EXPORT } }, permissionClaims },
      } as KubeObject);
      return workspace;
    },
    unbind: async (path) => {
      await hosts.home.at(workspacePath(path)).delete(kcpResources.apiBindings, { name: 'example' });
    },
    discover: async ({ group, kind }) => {
      const { items } = await service.list<CustomResourceDefinition>(customResourceDefinitions);
      const found = items.find(({ spec }) => spec.group === group && spec.names.kind === kind);
      if (found === undefined) throw new Error(`there is no ${kind} in ${group}`);
      return found;
    },
    published: (name) => service.get<PublishedResource>(resources.publishedResources, { name }),
    export: () => providerClient.get<APIExport>(kcpResources.apiExports, { name: EXPORT }),
    events: async (side, kind) => {
      await clusters[side].events.flush();
      const items = (await list(side === 'service' ? service : providerClient, EVENTS)) as readonly (KubeObject & {
        readonly involvedObject: { readonly kind: string };
        readonly reason: string;
        readonly message: string;
      })[];
      return items
        .filter(({ involvedObject }) => involvedObject.kind === kind)
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    versions: async () => {
      await Promise.all(Object.values(clusters).map(({ events }) => events.flush()));
      const all = await Promise.all([
        list(service, resources.publishedResources),
        list(service, EVENTS),
        list(providerClient, kcpResources.apiExports),
        list(providerClient, kcpResources.apiResourceSchemas),
        list(providerClient, EVENTS),
      ]);
      return all
        .flat()
        .map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion ?? ''}`)
        .join('\n');
    },
    close: async () => {
      await stopAll();
      await hosts.close();
      await service.close();
      await kcp.stop();
      await embedded?.stop();
    },
  };
}

function activeOf(informers: SharedInformers): number {
  return informers.active.length;
}

async function startService(): Promise<{ readonly connection: ConnectionConfig; stop(): Promise<void> }> {
  const server: ApiServer = createApiServer();
  const listener: Listener = await listen(server);
  return {
    connection: {
      server: listener.url,
      caData: listener.authority,
      credentials: { kind: 'token', token: server.adminToken },
    },
    stop: async () => {
      await listener.close();
      server.stop();
    },
  };
}
