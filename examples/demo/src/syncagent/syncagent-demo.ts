import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningKcp, startKcp } from '@hawser/kcp';
import { resources as kcpResources } from '@hawser/kcp-api';
import { type Cluster, openCluster } from '../cluster.js';
import { type Opening, findKubectl } from '../clusters.js';
import { startEmbedded } from '../embedded.js';
import { apiUser } from '../api-user.js';
import { DemoError } from '../demo-error.js';
import type { Timeline } from '../timeline.js';
import { bindIn, createExport, offerApi, prepareService, publish, workspaceStory } from './story.js';
import { agentNamespace, exportName, providerWorkspace, teams } from './names.js';

export interface SyncagentScene {
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly folder: string;
  /** Closed when the demo ends. */
  readonly own: (close: () => Promise<void>) => void;
  readonly startRole: (name: string, command: readonly ['hawser-syncagent', ...string[]], env: Readonly<Record<string, string>>) => void;
}

/** An API of a service cluster, used in three workspaces of kcp. Resolves when every step was seen. */
export async function showSyncagent({ timeline, signal, folder, own, startRole }: SyncagentScene): Promise<string> {
  const service: Opening = startEmbedded('service', { folder, signal });
  own(() => service.close());
  const kcp = await startKcp();
  own(() => kcp.stop());
  const workspace = async (path: string): Promise<Cluster> => {
    const kubeconfigFile = join(folder, `${path.replaceAll(':', '-')}.kubeconfig`);
    await writeFile(kubeconfigFile, kcp.kubeconfig(path), { mode: 0o600 });
    const opened = openCluster({ side: 'kcp', connection: kcp.connection(path), kubeconfigFile, userOf: (client) => apiUser({ client, tableOf: () => Promise.reject(new DemoError('failed', 'tables are not shown')) }), signal });
    own(() => opened.close());
    return opened;
  };
  const cluster = await service.cluster;
  timeline.seen('service', `API server ${cluster.connection.server} is ready`);
  const provider = await made(kcp, workspace, providerWorkspace);
  timeline.seen('kcp', `kcp ${kcp.url} is ready, with workspace ${providerWorkspace}`);
  await Promise.all([prepareService(cluster, signal), createExport(provider, timeline)]);
  startRole('syncagent', ['hawser-syncagent', '--kubeconfig', cluster.kubeconfigFile, '--kcp-kubeconfig', provider.kubeconfigFile, '--namespace', agentNamespace, '--apiexportendpointslice-ref', exportName, '--agent-name', 'demo', '--metrics-address', '0', '--log-format', 'Console'], { POD_NAME: 'demo' });
  const operator = await offerApi(cluster, timeline);
  own(() => operator.close());
  await publish(cluster, provider, timeline);

  const consumers: Cluster[] = [];
  for (const team of teams) {
    const consumer = await made(kcp, workspace, team);
    await bindIn(consumer, provider, team, timeline);
    consumers.push(consumer);
  }
  await workspaceStory(cluster, consumers, (team) => clusterOf(kcp, team), timeline);
  return afterwards(cluster, consumers, await findKubectl());
}

async function made(kcp: RunningKcp, open: (path: string) => Promise<Cluster>, path: string): Promise<Cluster> {
  await kcp.createWorkspace(path);
  const cluster = await open(path);
  await cluster.served(kcpResources.apiExports);
  return cluster;
}

function clusterOf(kcp: RunningKcp, path: string): string {
  const name = kcp.kcp.find(path)?.name;
  if (name === undefined) throw new DemoError('failed', `kcp: there is no workspace ${path}`);
  return name;
}

/** What can be tried while everything stays up. */
function afterwards(service: Cluster, consumers: readonly Cluster[], kubectl: string | undefined): string {
  if (kubectl === undefined) return `Any tool that reads kubeconfigs can look: ${[service, ...consumers].map(({ kubeconfigFile }) => kubeconfigFile).join(', ')}`;
  const aliases = [['service', service] as const, ...consumers.map((consumer, at) => [teams[at]?.split(':').at(-1) ?? 'workspace', consumer] as const)];
  return `${aliases.map(([name, { kubeconfigFile }]) => `  alias ${name}='${kubectl} --kubeconfig ${kubeconfigFile}'`).join('\n')}

  service get databases -A
  service describe publishedresource databases
  team-a get databases,secrets -A
  team-a patch database orders --type merge -p '{"spec":{"size":"medium"}}'
  team-b delete database orders`;
}
