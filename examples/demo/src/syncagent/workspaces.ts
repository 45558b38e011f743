import { randomUUID } from 'node:crypto';
import { type RunningKcp, startKcp } from '@hawser/kcp';
import { type Client, createClient } from '@hawser/client';
import { sleep, systemClock } from '@hawser/clock';
import { type Workspace, resources as kcpResources, withWorkspace, workspaceOfURL } from '@hawser/kcp-api';
import { type ConnectionConfig, loadKubeconfig } from '@hawser/kubeconfig';
import { kubeconfigText } from '@hawser/testenv';
import { DemoError } from '../demo-error.js';

/** A kcp in which the demo can create workspaces. */
export interface Workspaces {
  /** Prefix of all workspaces of the demo. */
  readonly root: string;
  readonly url: string;
  /** Creates a workspace; resolves to the name of its logical cluster once it is ready. */
  create(path: string): Promise<string>;
  connection(path: string): ConnectionConfig;
  kubeconfig(path: string): string;
  /** Removes what was created. Does not wait for kcp's own cleanup. */
  remove(): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 120_000;

/** Inside the demo. */
export async function embeddedKcp(): Promise<Workspaces> {
  const kcp: RunningKcp = await startKcp();
  return {
    root: 'root',
    url: kcp.url,
    create: async (path) => (await kcp.createWorkspace(path)).name,
    connection: (path) => kcp.connection(path),
    kubeconfig: (path) => kcp.kubeconfig(path),
    remove: () => Promise.resolve(),
    close: () => kcp.stop(),
  };
}

/** An existing kcp: everything goes into one new workspace below that of the kubeconfig. */
export async function givenKcp(file: string, signal: AbortSignal): Promise<Workspaces> {
  const administrator = await loadKubeconfig({ file, env: process.env, clock: systemClock });
  const above = workspaceOfURL(administrator.server);
  const name = `hawser-demo-${randomUUID().slice(0, 8)}`;
  const root = `${above}:${name}`;
  const connection = (path: string): ConnectionConfig => ({
    ...administrator,
    server: withWorkspace(administrator.server, path),
  });
  const clients = new Map<string, Client>();
  const clientIn = (path: string): Client => {
    const client =
      clients.get(path) ?? createClient({ name: path, connection: connection(path), userAgent: 'hawser-demo' });
    clients.set(path, client);
    return client;
  };
  const create = async (path: string): Promise<string> => {
    const at = path.lastIndexOf(':');
    const client = clientIn(path.slice(0, at));
    const key = { name: path.slice(at + 1) };
    await client.create(kcpResources.workspaces, {
      apiVersion: 'tenancy.kcp.io/v1alpha1',
      kind: 'Workspace',
      metadata: key,
    });
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const { spec, status } = await client.get<Workspace>(kcpResources.workspaces, key, { signal });
      if (status?.phase === 'Ready' && spec?.cluster !== undefined) return spec.cluster;
      if (performance.now() > deadline) throw new DemoError('failed', `kcp: workspace ${path} is not ready`);
      await sleep(systemClock, 200, signal);
    }
  };
  await create(root);
  return {
    root,
    url: new URL(administrator.server).origin,
    create,
    connection,
    kubeconfig: (path) => kubeconfigText('kcp', connection(path)),
    async remove() {
      const client = clientIn(above);
      await client.delete(kcpResources.workspaces, { name });
    },
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
