import { type Listener, type UserInfo, kubeconfigText, listen } from '@hawser/apiserver';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type Kcp, type KcpOptions, type WorkspaceOptions, createKcp } from './create-kcp.js';
import type { LogicalCluster } from './logical-cluster.js';

export interface StartKcpOptions extends KcpOptions {
  /** Default: a free one. */
  readonly port?: number;
}

/** kcp on a loopback address, by https. */
export interface RunningKcp {
  readonly kcp: Kcp;
  /** `https://127.0.0.1:6443`, without a workspace. */
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /**
   * Kubeconfig text for a workspace, for the administrator or for a user with a client certificate with this name and
   * groups.
   */
  kubeconfig(workspace?: string, user?: UserInfo): string;
  /** The same for clients of Hawser. */
  connection(workspace?: string, user?: UserInfo): ConnectionConfig;
  createWorkspace(path: string, options?: WorkspaceOptions): Promise<LogicalCluster>;
  /**
   * Breaks all connections and refuses new ones until {@link RunningKcp.up}. Workspaces keep their content, as over a
   * restart.
   */
  down(): Promise<void>;
  /** Listens again at the same address. */
  up(): Promise<void>;
  /** Ends the server and its connections. Idempotent. */
  stop(): Promise<void>;
}

/** Starts kcp in this process: ready in milliseconds. Stop it, or the process does not end. */
export async function startKcp(options: StartKcpOptions = {}): Promise<RunningKcp> {
  const { port, ...rest } = options;
  const kcp = createKcp(rest);
  let listener = await listen(kcp, { ...(port === undefined ? {} : { port }), name: 'kcp' });
  const server = (workspace: string): string => `${listener.url}/clusters/${workspace}`;
  return {
    kcp,
    url: listener.url,
    authority: listener.authority,
    kubeconfig: (workspace = 'root', user) =>
      kubeconfigText({
        name: 'kcp',
        server: server(workspace),
        authority: listener.authority,
        user: user === undefined ? { token: kcp.adminToken } : clientOf(listener, user),
      }),
    connection: (workspace = 'root', user) => ({
      server: server(workspace),
      caData: listener.authority,
      credentials:
        user === undefined
          ? { kind: 'token', token: kcp.adminToken }
          : { kind: 'certificate', ...clientOf(listener, user) },
    }),
    createWorkspace: (path, workspaceOptions) => kcp.createWorkspace(path, workspaceOptions),
    down: () => listener.close(),
    up: async () => {
      listener = await listen(kcp, { port: listener.port, authority: listener.authorityPair, name: 'kcp' });
    },
    stop: async () => {
      kcp.stop();
      await listener.close();
    },
  };
}

const clientOf = (listener: Listener, { name, groups }: UserInfo): { readonly cert: string; readonly key: string } =>
  listener.issueClient({ commonName: name, organizations: [...groups] });
