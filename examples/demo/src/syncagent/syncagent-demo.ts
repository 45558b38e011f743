import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '@hawser/clock';
import { resources as kcpResources } from '@hawser/kcp-api';
import { type ConnectionConfig, loadKubeconfig } from '@hawser/kubeconfig';
import { type Cluster, openCluster } from '../cluster.js';
import { findKubectl } from '../clusters.js';
import { startEmbedded } from '../embedded.js';
import { apiUser } from '../api-user.js';
import { DemoError } from '../demo-error.js';
import type { Timeline } from '../timeline.js';
import { agentName, agentNamespace, exportName, teams } from './names.js';
import { type Consumer, bindIn, createExport, offerApi, prepareService, publish, workspaceStory } from './story.js';
import { serviceMayBeUsed, tidy } from './tidy.js';
import { embeddedKcp, givenKcp } from './workspaces.js';

export interface SyncagentScene {
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly folder: string;
  /** Existing servers, by their kubeconfigs. Else servers inside the demo. */
  readonly given: { readonly kcp: string; readonly service: string } | undefined;
  /** Runs at the end while the agent still works; returns what remains. */
  readonly atEnd: (tidy: (stopRoles: () => Promise<void>) => Promise<readonly string[]>) => void;
  /** Closed when the demo ends. */
  readonly own: (close: () => Promise<void>) => void;
  readonly startRole: (
    name: string,
    command: readonly ['hawser-syncagent', ...string[]],
    env: Readonly<Record<string, string>>,
  ) => void;
}

/** Shows an API of a service cluster, used in three workspaces of kcp. Resolves when every step was seen. */
export async function showSyncagent({
  timeline,
  signal,
  folder,
  given,
  atEnd,
  own,
  startRole,
}: SyncagentScene): Promise<string> {
  const opened = (side: 'service' | 'kcp', connection: ConnectionConfig, kubeconfigFile: string): Cluster => {
    const cluster = openCluster({
      side,
      connection,
      kubeconfigFile,
      userOf: (client) =>
        apiUser({ client, tableOf: () => Promise.reject(new DemoError('failed', 'tables are not shown')) }),
      signal,
    });
    own(() => cluster.close());
    return cluster;
  };
  const service =
    given === undefined
      ? await embeddedService(folder, signal, own)
      : opened(
          'service',
          await loadKubeconfig({ file: given.service, env: process.env, clock: systemClock }),
          resolve(given.service),
        );
  timeline.seen('service', `API server ${service.connection.server} is ready`);
  if (given !== undefined) await serviceMayBeUsed(service);
  const workspaces = given === undefined ? await embeddedKcp() : await givenKcp(given.kcp, signal);
  own(() => workspaces.close());
  const consumers: Consumer[] = [];
  if (given !== undefined)
    atEnd((stopRoles) =>
      tidy({ service, consumers: consumers.map(({ workspace }) => workspace), workspaces, stopRoles }),
    );
  const made = async (path: string): Promise<{ readonly cluster: string; readonly workspace: Cluster }> => {
    const cluster = await workspaces.create(path);
    const kubeconfigFile = join(folder, `${path.replaceAll(':', '-')}.kubeconfig`);
    await writeFile(kubeconfigFile, workspaces.kubeconfig(path), { mode: 0o600 });
    const workspace = opened('kcp', workspaces.connection(path), kubeconfigFile);
    await workspace.served(kcpResources.apiExports);
    return { cluster, workspace };
  };
  const path = `${workspaces.root}:provider`;
  const { workspace: provider } = await made(path);
  timeline.seen('kcp', `kcp ${workspaces.url} is ready, with workspace ${path}`);
  await Promise.all([prepareService(service, signal), createExport(provider, path, timeline)]);
  startRole(
    'syncagent',
    [
      'hawser-syncagent',
      '--kubeconfig',
      service.kubeconfigFile,
      '--kcp-kubeconfig',
      provider.kubeconfigFile,
      '--namespace',
      agentNamespace,
      '--apiexportendpointslice-ref',
      exportName,
      '--agent-name',
      agentName,
      '--metrics-address',
      '0',
      '--log-format',
      'Console',
    ],
    { POD_NAME: 'demo' },
  );
  const operator = await offerApi(service, timeline);
  own(() => operator.close());
  await publish(service, provider, timeline);

  for (const name of teams) {
    const team = `${workspaces.root}:${name}`;
    const { cluster, workspace } = await made(team);
    await bindIn(workspace, { cluster: provider, path }, team, timeline);
    consumers.push({ team, cluster, workspace });
  }
  await workspaceStory(service, consumers, timeline);
  return afterwards(
    service,
    consumers.map(({ workspace }) => workspace),
    await findKubectl(),
  );
}

async function embeddedService(folder: string, signal: AbortSignal, own: SyncagentScene['own']): Promise<Cluster> {
  const opening = startEmbedded('service', { folder, signal });
  own(() => opening.close());
  return opening.cluster;
}

/** Prints commands to try while everything stays up. */
function afterwards(service: Cluster, consumers: readonly Cluster[], kubectl: string | undefined): string {
  if (kubectl === undefined)
    return `Any tool that reads kubeconfigs can look: ${[service, ...consumers].map(({ kubeconfigFile }) => kubeconfigFile).join(', ')}`;
  const aliases = [
    ['service', service] as const,
    ...consumers.map((consumer, at) => [teams[at] ?? 'workspace', consumer] as const),
  ];
  return `${aliases.map(([name, { kubeconfigFile }]) => `  alias ${name}='${kubectl} --kubeconfig ${kubeconfigFile}'`).join('\n')}

  service get databases -A
  service describe publishedresource databases
  team-a get databases,secrets -A
  team-a patch database orders --type merge -p '{"spec":{"size":"medium"}}'
  team-b delete database orders`;
}
