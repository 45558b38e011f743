import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Client, type KubeObject, type UnstructuredObject, createClient, getIfExists } from '@hawser/client';
import { type APIBinding, type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import { eventually, kubeconfigText } from '@hawser/testenv';
import { renderChart } from './chart.js';
import { type KcpPlane, openKcp } from './kcp-plane.js';
import { type Plane, openPlane } from './plane.js';
import { type Program, startProgram, working } from './program.js';
import { executables, executablesIn } from './roles.js';
import { root } from './root.js';
import { serviceAccountConnection } from './service-account.js';
import { startWatchdog } from './watchdog.js';

const customResourceDefinitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
export const agentNamespace = 'agents';
/** The APIExport, and its endpoint slice. */
export const EXPORT = 'example.com';
const agentOfKcp = { name: 'agent', groups: ['system:authenticated'] };
/** Name of the chart's release and of the agent. */
export const RELEASE = 'agent';
export const agentUser = userIn(agentNamespace);

function userIn(namespace: string): string {
  return `system:serviceaccount:${namespace}:${RELEASE}-syncagent`;
}

export interface GrantedResources {
  readonly group: string;
  readonly resources: readonly string[];
}

export interface AgentSystemOptions {
  /** Name of the folder for logs below `tmp/e2e`. */
  readonly name: string;
  /** The chart's values for rights on the service cluster. */
  readonly rights: Readonly<
    Partial<Record<'publishedResources' | 'relatedFromKcp' | 'relatedFromService', readonly GrantedResources[]>>
  > & { readonly namespaces?: { readonly remove: boolean } };
  /** Shards of kcp: only for kcp in this process. */
  readonly shards?: readonly string[];
  /** APIExports in the provider's workspace besides {@link EXPORT}. */
  readonly moreExports?: readonly string[];
  /** Default agent of the system. Default: {@link agentNamespace}, {@link RELEASE}, {@link EXPORT}. */
  readonly agent?: { readonly namespace: string; readonly name: string; readonly export: string };
  /** Initial clusters. Default: an empty service cluster and an empty kcp. */
  readonly ground?: () => Promise<AgentGround>;
}

/** Clusters that agents start on. Creates the provider's workspace and its exports if they are missing. */
export interface AgentGround {
  readonly service: Plane;
  readonly kcp: KcpPlane;
}

export interface AgentOptions {
  readonly args?: readonly string[];
  /** Wait until the agent works. Default true. */
  readonly wait?: boolean;
  /** Default: that of the system. */
  readonly agentName?: string;
  /** Default: that of the system. */
  readonly export?: string;
  /** Folder of the built program. Default: here. */
  readonly release?: string;
}

/** One of several agents in a process, as in a config file. */
export interface AgentInConfig {
  readonly endpointSlice: string;
  readonly agentName: string;
  readonly publishedResourceSelector?: string;
}

/** A workspace of a consumer. */
export interface ConsumerWorkspace {
  readonly path: string;
  /** Name of its logical cluster. */
  readonly cluster: string;
  readonly client: Client;
}

/** A service cluster, a kcp with workspaces of a provider and of consumers, and agents between them. */
export interface AgentSystem {
  readonly service: Plane;
  readonly kcp: KcpPlane;
  /** The agents' user on the service cluster. */
  readonly user: string;
  /** Path of the workspace of the export. */
  readonly providerPath: string;
  /** The administrator in the provider's workspace. */
  readonly provider: Client;
  /** The administrator in any workspace. */
  inWorkspace(path: string): Client;
  /**
   * Starts an agent as a ServiceAccount with exactly the chart's rights, and as a kcp user with exactly the rights that
   * an agent needs there.
   */
  startAgent(options?: AgentOptions): Promise<Program>;
  /** Several agents in one process, with the same rights. */
  startAgents(agents: readonly AgentInConfig[]): Promise<Program>;
  /** The kcp kubeconfig of running and future agents. */
  readonly kcpKubeconfig: string;
  publish(object: Pick<PublishedResource, 'metadata' | 'spec'>): Promise<void>;
  published(name: string): Promise<PublishedResource>;
  /** Creates a workspace that binds the export, and accepts all its claims by default. */
  consumer(
    name: string,
    options?: { readonly shard?: string; readonly accepted?: (resource: string) => boolean },
  ): Promise<ConsumerWorkspace>;
  /** Binds one more export. */
  bind(workspace: ConsumerWorkspace, exportName: string): Promise<void>;
  logs(): string;
  close(): Promise<void>;
}

export async function startAgentSystem({
  name,
  rights,
  shards,
  moreExports = [],
  agent = { namespace: agentNamespace, name: RELEASE, export: EXPORT },
  ground = () => emptyGround(shards),
}: AgentSystemOptions): Promise<AgentSystem> {
  const folder = join(root, 'tmp', 'e2e', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const watchdog = startWatchdog();
  const { service, kcp } = await ground();
  const providerPath = `${kcp.root}:provider`;
  const clients = new Map<string, Client>();
  const clientIn = (workspace: string): Client => {
    const client =
      clients.get(workspace) ??
      createClient({ name: workspace, connection: kcp.connection(workspace), userAgent: 'e2e' });
    clients.set(workspace, client);
    return client;
  };
  const programs: Program[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.stop('SIGTERM', 5_000)));
    await watchdog.close();
    await Promise.all([...clients.values()].map((client) => client.close()));
    await Promise.all([kcp.stop(), service.stop()]);
  };
  const provider = clientIn(providerPath);
  const serviceKubeconfig = join(folder, 'service.kubeconfig');
  const kcpKubeconfig = join(folder, 'kcp.kubeconfig');
  try {
    await kcp.createWorkspace(providerPath);
    const exports = [agent.export, ...moreExports];
    for (const object of rightsInKcp(exports)) await provider.create(object.resource, object.body);
    for (const of of exports) {
      if ((await getIfExists(provider, kcpResources.apiExports, { name: of })) === undefined)
        await provider.create(kcpResources.apiExports, {
          apiVersion: 'apis.kcp.io/v1alpha2',
          kind: 'APIExport',
          metadata: { name: of },
          spec: {},
        } as UnstructuredObject);
    }
    await service.apply(
      parse(
        readFileSync(join(root, 'packages/api/syncagent-api/crds/syncagent.kcp.io_publishedresources.yaml'), 'utf8'),
      ) as object,
    );
    await established(service, 'publishedresources.syncagent.kcp.io');
    await service.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: agent.namespace } });
    await service.apply(
      ...renderChart(
        join(root, 'charts/syncagent'),
        ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml', 'admissionpolicy.yaml'],
        { name: RELEASE, namespace: agent.namespace, values: { agentName: agent.name, ...rights } },
      ),
    );
    writeFileSync(
      serviceKubeconfig,
      kubeconfigText('service', await serviceAccountConnection(service, agent.namespace, `${RELEASE}-syncagent`)),
      { mode: 0o600 },
    );
    replaceFile(kcpKubeconfig, kcp.kubeconfig(providerPath, agentOfKcp));
  } catch (error) {
    await close();
    throw error;
  }

  const bind = async (client: Client, exportName: string, accepted: (resource: string) => boolean): Promise<void> => {
    const { spec } = await provider.get<APIExport>(kcpResources.apiExports, { name: exportName });
    await client.create(kcpResources.apiBindings, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIBinding',
      metadata: { name: exportName },
      spec: {
        reference: { export: { path: providerPath, name: exportName } },
        permissionClaims: (spec?.permissionClaims ?? []).map((claim) => ({
          ...claim,
          state: accepted(claim.resource) ? 'Accepted' : 'Rejected',
          selector: { matchAll: true },
        })),
      },
    } as UnstructuredObject);
    await eventually(
      async () =>
        (await client.get<APIBinding>(kcpResources.apiBindings, { name: exportName })).status?.phase === 'Bound',
      { timeoutMs: 60_000 },
    );
  };
  const start = async (command: string, addressFlag: string, args: readonly string[]): Promise<Program> => {
    const program = await startProgram({
      name: programs.length === 0 ? 'agent' : `agent-${programs.length}`,
      command,
      addressFlag,
      folder,
      watchdog,
      args: [...args, `--kubeconfig=${serviceKubeconfig}`],
      env: { POD_NAME: `agent-${programs.length}`, POD_UID: crypto.randomUUID() },
    });
    programs.push(program);
    return program;
  };

  return {
    service,
    kcp,
    user: userIn(agent.namespace),
    providerPath,
    provider,
    inWorkspace: clientIn,
    kcpKubeconfig,
    async startAgent({
      args = [],
      wait = true,
      agentName = agent.name,
      export: slice = agent.export,
      release = root,
    } = {}) {
      const program = await start(executablesIn(release).syncagent, '--health-address', [
        `--kcp-kubeconfig=${kcpKubeconfig}`,
        `--namespace=${agent.namespace}`,
        `--apiexportendpointslice-ref=${slice}`,
        `--agent-name=${agentName}`,
        '--metrics-address=0',
        '--log-format=Console',
        ...args,
      ]);
      if (wait) await working(program, 'syncagent works');
      return program;
    },
    async startAgents(agents) {
      const file = join(folder, `agents-${programs.length}.json`);
      writeFileSync(
        file,
        JSON.stringify({
          roles: ['syncagent'],
          syncagent: {
            kubeconfig: serviceKubeconfig,
            agents: agents.map((one) => ({ kcpKubeconfig, namespace: agent.namespace, ...one })),
          },
        }),
      );
      const program = await start(executables.hawser, '--server-address', ['run', `--config=${file}`]);
      await eventually(
        () => {
          if (program.log().split('syncagent works').length <= agents.length)
            throw new Error(`not all agents work: ${program.log().slice(-300)}`);
        },
        { timeoutMs: 60_000 },
      );
      return program;
    },
    async publish({ metadata, spec }) {
      await service.apply({ apiVersion: 'syncagent.kcp.io/v1alpha1', kind: 'PublishedResource', metadata, spec });
    },
    published: (of) => service.client.get<PublishedResource>(resources.publishedResources, { name: of }),
    async consumer(of, { shard, accepted = () => true } = {}) {
      const path = `${kcp.root}:${of}`;
      const cluster = await kcp.createWorkspace(path, shard === undefined ? {} : { shard });
      const client = clientIn(path);
      await bind(client, agent.export, accepted);
      return { path, cluster, client };
    },
    bind: ({ client }, exportName) => bind(client, exportName, () => true),
    logs: () =>
      programs
        .map(
          (program) =>
            `----- ${program.name}${program.running ? '' : ' (ended)'}: ${program.logFile}\n${program.log().split('\n').slice(-120).join('\n')}`,
        )
        .join('\n'),
    close,
  };
}

async function emptyGround(shards: readonly string[] | undefined): Promise<AgentGround> {
  const [service, kcp] = await Promise.all([openPlane('provider'), openKcp(shards)]);
  return { service, kcp };
}

/** Waits until a CRD is served. */
export async function established({ client }: Plane, name: string): Promise<void> {
  await eventually(
    async () => {
      const crd = await client.get<
        KubeObject & {
          readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
        }
      >(customResourceDefinitions, { name });
      return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
    },
    { timeoutMs: 60_000 },
  );
}

/** Replaces a file atomically, like a mounted Secret. */
export function replaceFile(path: string, content: string): void {
  writeFileSync(`${path}.next`, content, { mode: 0o600 });
  renameSync(`${path}.next`, path);
}

/** Rights that an agent needs in the provider's workspace (`spec/api-syncagent.md §7.2`). */
function rightsInKcp(exports: readonly string[]): readonly {
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly body: KubeObject;
}[] {
  const rbac = (resource: string): { readonly group: string; readonly version: string; readonly resource: string } => ({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    resource,
  });
  const rule = (group: string, of: readonly string[], verbs: readonly string[], names?: readonly string[]): object => ({
    apiGroups: [group],
    resources: of,
    verbs,
    ...(names === undefined ? {} : { resourceNames: names }),
  });
  const role: KubeObject & { readonly rules: readonly object[] } = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'agent' },
    rules: [
      { nonResourceURLs: ['/'], verbs: ['access'] },
      rule('core.kcp.io', ['logicalclusters'], ['get'], ['cluster']),
      rule('apis.kcp.io', ['apiexports'], ['get', 'list', 'watch', 'update', 'patch'], exports),
      rule('apis.kcp.io', ['apiresourceschemas'], ['get', 'list', 'watch', 'create']),
      rule('apis.kcp.io', ['apiexportendpointslices'], ['get', 'list', 'watch'], exports),
      rule('', ['events'], ['create', 'patch']),
      rule('apis.kcp.io', ['apiexports/content'], ['*'], exports),
    ],
  };
  const binding: KubeObject & { readonly roleRef: object; readonly subjects: readonly object[] } = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'agent' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'agent' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: agentOfKcp.name }],
  };
  return [
    { resource: rbac('clusterroles'), body: role },
    { resource: rbac('clusterrolebindings'), body: binding },
  ];
}
