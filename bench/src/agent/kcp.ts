import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Workspace, resources, withWorkspace } from '@hawser/kcp-api';
import { type ConnectionConfig, loadKubeconfig } from '@hawser/kubeconfig';
import { eventually } from '@hawser/testenv';

import { startSubject } from '../subject.js';

/** A kcp, seen by its administrator. */
export interface BenchKcp {
  readonly kind: 'embedded' | 'real';
  /** For messages: which kcp, and its version. */
  readonly what: string;
  /** The workspace of this run, parent of all others. */
  readonly root: string;
  connection(workspace: string): ConnectionConfig;
  client(workspace: string): Client;
  /** Creates a workspace, returns the name of its logical cluster. The parent workspace must exist. */
  createWorkspace(path: string): Promise<string>;
  stop(): Promise<void>;
}

/** kcp takes some seconds per workspace, and longer for many at once. */
const READY = { timeoutMs: 600_000, intervalMs: 250 };

/** Opens the kcp of a kubeconfig, else the embedded one in its own process. */
export async function openKcp(kubeconfig: string | undefined, folder: string, root: string): Promise<BenchKcp> {
  if (kubeconfig !== undefined)
    return administered('real', await loadKubeconfig({ file: kubeconfig, env: process.env, clock: systemClock }), () =>
      Promise.resolve(),
    );
  const file = join(folder, 'kcp.json');
  const server = startSubject(
    'kcp',
    process.execPath,
    ['--max-old-space-size=4096', join(root, 'bench/dist/kcp-server.js'), file],
    {},
    join(folder, 'kcp.log'),
  );
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('}'), { timeoutMs: 30_000 });
  return administered('embedded', JSON.parse(readFileSync(file, 'utf8')) as ConnectionConfig, () => server.stop());
}

async function administered(
  kind: BenchKcp['kind'],
  administrator: ConnectionConfig,
  stop: () => Promise<void>,
): Promise<BenchKcp> {
  const connection = (workspace: string): ConnectionConfig => ({
    ...administrator,
    server: withWorkspace(administrator.server, workspace),
  });
  const client = createClient({ name: 'kcp', connection: connection('root'), concurrency: 64, userAgent: 'bench' });
  const at = (workspace: string): Client => client.at(`/clusters/${workspace}`, workspace);
  const createWorkspace = async (path: string): Promise<string> => {
    const parent = path.slice(0, path.lastIndexOf(':'));
    const name = path.slice(parent.length + 1);
    await at(parent).create(resources.workspaces, {
      apiVersion: 'tenancy.kcp.io/v1alpha1',
      kind: 'Workspace',
      metadata: { name },
    });
    return eventually(async () => {
      const { spec, status } = await at(parent).get<Workspace>(resources.workspaces, { name });
      if (status?.phase !== 'Ready' || spec?.cluster === undefined) throw new Error(`workspace ${path} is not ready`);
      return spec.cluster;
    }, READY);
  };
  const root = `root:bench-${crypto.randomUUID().slice(0, 8)}`;
  await createWorkspace(root);
  const { gitVersion = 'unknown' } = (await client.raw('GET', '/version')) as { readonly gitVersion?: string };
  return {
    kind,
    what: kind === 'embedded' ? 'kcp: embedded, in a process of its own' : `kcp: real, API ${gitVersion}`,
    root,
    connection,
    client: at,
    createWorkspace,
    async stop() {
      await client.close();
      await stop();
    },
  };
}
