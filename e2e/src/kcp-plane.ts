import { type RunningKcp, startKcp } from '@hawser/kcp';
import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Workspace, resources as kcpResources, withWorkspace } from '@hawser/kcp-api';
import { type ConnectionConfig, loadKubeconfig } from '@hawser/kubeconfig';
import { eventually, kubeconfigText } from '@hawser/testenv';

export interface KcpUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Options for kcp in this process. */
export interface WorkspaceOptions {
  readonly shard?: string;
  /** Name of its logical cluster. */
  readonly cluster?: string;
}

/** A kcp, seen by its administrator. */
export interface KcpPlane {
  /** Prefix of all workspaces of this run: another run may have created others. */
  readonly root: string;
  kubeconfig(workspace: string, user?: KcpUser): string;
  connection(workspace: string, user?: KcpUser): ConnectionConfig;
  /** Creates a workspace, returns the name of its logical cluster. Parent workspaces must exist. */
  createWorkspace(path: string, options?: WorkspaceOptions): Promise<string>;
  /** Controls of kcp in this process. */
  readonly embedded: RunningKcp | undefined;
  stop(): Promise<void>;
}

/** Kubeconfig of a real kcp's administrator, and a token for the agent's user there. */
const given = {
  kubeconfig: process.env['HAWSER_E2E_KCP_KUBECONFIG'] ?? '',
  agentToken: process.env['HAWSER_E2E_KCP_AGENT_TOKEN'] ?? '',
};

/** Whether suites run on a kcp that the environment names. */
export function onGivenKcp(): boolean {
  return given.kubeconfig !== '';
}

/** Opens the kcp that the environment names, else one in this process with these shards. */
export async function openKcp(shards: readonly string[] = ['root']): Promise<KcpPlane> {
  return onGivenKcp() ? realKcp(given.kubeconfig, given.agentToken) : embedded(shards);
}

async function embedded(shards: readonly string[]): Promise<KcpPlane> {
  const kcp = await startKcp({ shards });
  return {
    embedded: kcp,
    root: 'root',
    kubeconfig: (workspace, user) => kcp.kubeconfig(workspace, user),
    connection: (workspace, user) => kcp.connection(workspace, user),
    createWorkspace: async (path, options) => (await kcp.createWorkspace(path, options)).name,
    stop: () => kcp.stop(),
  };
}

async function realKcp(file: string, agentToken: string): Promise<KcpPlane> {
  const administrator = await loadKubeconfig({ file, env: process.env, clock: systemClock });
  const organization = `e2e-${crypto.randomUUID().slice(0, 8)}`;
  const connection = (workspace: string, user?: KcpUser): ConnectionConfig => ({
    ...administrator,
    server: withWorkspace(administrator.server, workspace),
    ...(user === undefined || agentToken === '' ? {} : { credentials: { kind: 'token', token: agentToken } as const }),
  });
  const clients: Client[] = [];
  const createWorkspace = async (path: string): Promise<string> => {
    const parent = path.slice(0, path.lastIndexOf(':'));
    const name = path.slice(parent.length + 1);
    const client = createClient({ name: parent, connection: connection(parent), userAgent: 'e2e' });
    clients.push(client);
    await client.create(kcpResources.workspaces, {
      apiVersion: 'tenancy.kcp.io/v1alpha1',
      kind: 'Workspace',
      metadata: { name },
    });
    return eventually(
      async () => {
        const { spec, status } = await client.get<Workspace>(kcpResources.workspaces, { name });
        if (status?.phase !== 'Ready' || spec?.cluster === undefined) throw new Error(`workspace ${path} is not ready`);
        return spec.cluster;
      },
      { timeoutMs: 90_000, intervalMs: 200 },
    );
  };
  await createWorkspace(`root:${organization}`);
  return {
    embedded: undefined,
    root: `root:${organization}`,
    kubeconfig: (workspace, user) => kubeconfigText('kcp', connection(workspace, user)),
    connection,
    createWorkspace,
    stop: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
