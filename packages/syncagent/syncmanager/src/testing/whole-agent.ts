import {
  type AgentWorld,
  type AgentWorldOptions,
  EXPORT,
  crontabs,
  publish,
  startAgentWorld,
} from '@hawser/agent-world';
import { createAPIResourceSchema } from '@hawser/apiresourceschema';
import { type KubeObject, type Resource, type UnstructuredObject, getIfExists } from '@hawser/client';
import { customResourceDefinitions } from '@hawser/crd';
import { type APIExportEndpointSlice, resources as kcpResources } from '@hawser/kcp-api';
import { resources } from '@hawser/syncagent-api';
import { type Rules, type Sync, type SyncOptions, createNeighbours, createSync } from '@hawser/syncagent-sync';
import { createSyncagentAPIExport } from '@hawser/syncagent-apiexport';
import { type Logger, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';
import { type Syncmanager, createSyncmanager } from '../index.js';

export const CRONTABS: Resource = { group: 'example.com', version: 'v1', resource: 'crontabs' };
export const SECRETS: Resource = { group: '', version: 'v1', resource: 'secrets' };
const AGENT = { name: 'textor', exportName: EXPORT, namespace: 'default' };
/** A slice that kcp does not recreate by itself. */
const SLICE = 'own';

export interface WholeAgentOptions {
  readonly shards?: readonly string[];
  readonly related?: Rules['related'];
  /** Resources that the export claims. */
  readonly claims?: readonly string[];
  readonly logger?: Logger;
  /** Replaces the API server of the service cluster. */
  readonly service?: AgentWorldOptions['service'];
}

/** Body of a patch of an object after an admission of kcp. */
export type Admission = (
  patch: {
    readonly metadata?: {
      readonly finalizers?: readonly string[] | null;
      readonly annotations?: Readonly<Record<string, string | null>>;
    };
  },
  name: string,
  resource: string,
) => object;

/** An agent with real syncs, with a kcp and a service cluster in the process. Publishes CronTabs as `a`. */
export interface WholeAgent {
  readonly world: AgentWorld;
  readonly manager: Syncmanager;
  sync(): Sync | undefined;
  /** Admission of patches of CronTabs and Secrets in kcp. */
  admission: Admission | undefined;
  /** Times of patches of CronTabs in kcp, in milliseconds. */
  readonly patches: readonly number[];
  start(more?: Partial<SyncOptions>): Promise<void>;
  publish(): Promise<void>;
  /** Deletes the PublishedResource. */
  unpublish(): Promise<void>;
  makeSlice(): Promise<void>;
  removeSlice(): Promise<void>;
  /** Writes another version of the slice, with all its endpoints. */
  touchSlice(): Promise<void>;
  create(path: string, name: string, spec?: object): Promise<void>;
  crontab(path: string, name: string): Promise<UnstructuredObject | undefined>;
  change(path: string, name: string, patch: object): Promise<void>;
  /** Waits until the object has its copy. */
  placed(path: string, name: string): Promise<UnstructuredObject>;
  copyOf(path: string, name: string): Promise<UnstructuredObject | undefined>;
  /** Keys of the publication records. */
  records(): Promise<readonly string[]>;
}

export async function openWholeAgent({
  shards,
  related = [],
  claims = [],
  logger = silentLogger,
  service,
}: WholeAgentOptions = {}): Promise<WholeAgent> {
  const world = await startAgentWorld({
    logger,
    ...(shards === undefined ? {} : { shards }),
    ...(service === undefined ? {} : { service }),
  });
  let manager: Syncmanager | undefined;
  await world.service.create(customResourceDefinitions, crontabs());
  const permissionClaims = claims.map((resource) => ({ group: '', resource, verbs: ['*'] }));
  if (claims.length > 0)
    await world.providerClient.patch(
      kcpResources.apiExports,
      { name: EXPORT },
      { type: 'merge', patch: { spec: { permissionClaims } } },
    );
  const clusterOf = (path: string): string => world.kcp.kcp.find(path)?.name ?? '';
  const rules: Rules = {
    naming: ({ metadata }, cluster) => ({ name: metadata.name, namespace: `copies-${cluster}` }),
    mutations: undefined,
    related,
    filter: { resource: undefined, namespace: undefined },
    workspacePaths: false,
  };
  const patches: number[] = [];
  const { kcp } = world.kcp;
  const handle = kcp.handle.bind(kcp);
  // Before kcp itself, as tests cannot choose its admission plugins.
  kcp.handle = (request, sink) => {
    const { resource, name } =
      /\/(?<resource>crontabs|secrets)\/(?<name>[^/?]+)(?:\?|$)/u.exec(request.path)?.groups ?? {};
    if (request.method !== 'PATCH' || resource === undefined || name === undefined) return handle(request, sink);
    if (resource === 'crontabs') patches.push(performance.now());
    return handle(
      agent.admission === undefined
        ? request
        : {
            ...request,
            body: JSON.stringify(
              agent.admission(JSON.parse(request.body ?? '{}') as Parameters<Admission>[0], name, resource),
            ),
          },
      sink,
    );
  };
  const agent: WholeAgent = {
    world,
    patches,
    admission: undefined,
    get manager() {
      if (manager === undefined) throw new Error('not started');
      return manager;
    },
    sync: () => manager?.syncOf('a') ?? manager?.publications[0]?.sync,
    async start(more = {}) {
      const neighbours = createNeighbours();
      await world.start(createAPIResourceSchema({ agent: AGENT, discover: (source) => world.discover(source) }));
      await world.start(createSyncagentAPIExport({ agent: AGENT }));
      manager = await world.start(
        createSyncmanager({
          agent: AGENT,
          endpointSlice: SLICE,
          hosts: world.hosts,
          discover: (source) => world.discover(source),
          createSync: ({ publishedResource: { apiVersion, kind, metadata }, ...request }) =>
            createSync({
              ...request,
              publishedResource: {
                apiVersion,
                kind,
                name: metadata.name,
                ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
              },
              rules,
              agentName: AGENT.name,
              namespace: AGENT.namespace,
              adoption: 'refuse',
              neighbours,
              ...more,
            }),
        }),
      );
    },
    async publish() {
      await world.service.create(resources.publishedResources, publish('a'));
      await eventually(async () => {
        if (((await world.export()).spec?.resources ?? []).length !== 1) throw new Error('not exported yet');
      });
    },
    unpublish: async () => {
      await world.service.delete(resources.publishedResources, { name: 'a' });
    },
    async makeSlice() {
      await world.providerClient.create(kcpResources.apiExportEndpointSlices, {
        apiVersion: 'apis.kcp.io/v1alpha1',
        kind: 'APIExportEndpointSlice',
        metadata: { name: SLICE },
        spec: { export: { name: EXPORT } },
      } as APIExportEndpointSlice);
    },
    removeSlice: async () => {
      await world.providerClient.delete(kcpResources.apiExportEndpointSlices, { name: SLICE });
    },
    touchSlice: async () => {
      await world.providerClient.patch(
        kcpResources.apiExportEndpointSlices,
        { name: SLICE },
        { type: 'merge', patch: { metadata: { annotations: { touched: 'yes' } } } },
      );
    },
    async create(path, name, spec = { cronSpec: '*' }) {
      await eventually(() =>
        world.workspace(path).create(CRONTABS, {
          apiVersion: 'example.com/v1',
          kind: 'CronTab',
          metadata: { name, namespace: 'default' },
          spec,
        } as UnstructuredObject),
      );
    },
    crontab: (path, name) => getIfExists(world.workspace(path), CRONTABS, { namespace: 'default', name }),
    change: async (path, name, patch) => {
      await world.workspace(path).patch(CRONTABS, { namespace: 'default', name }, { type: 'merge', patch });
    },
    placed: (path, name) =>
      eventually(async () => {
        const copy = await agent.copyOf(path, name);
        if (copy === undefined) throw new Error('it has no copy yet');
        return copy;
      }),
    copyOf: (path, name) => getIfExists(world.service, CRONTABS, { namespace: `copies-${clusterOf(path)}`, name }),
    async records() {
      const secret = await getIfExists<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
        world.service,
        SECRETS,
        { namespace: AGENT.namespace, name: `hawser-publications.${AGENT.name}` },
      );
      return Object.keys(secret?.data ?? {});
    },
  };
  return agent;
}
