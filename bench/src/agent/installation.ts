import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Client, type KubeObject, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { databases, ensure, sampleCrd } from '@hawser/installation';
import {
  type APIBinding,
  type APIExport,
  type APIExportEndpointSlice,
  conditionTypes,
  isConditionTrue,
  resources as kcpResources,
  virtualWorkspaceOf,
  wildcardPath,
} from '@hawser/kcp-api';
import { type PublishedResource, installCRDs, resources } from '@hawser/syncagent-api';
import { type ControlPlane, eventually, kubeconfigText, startControlPlane } from '@hawser/testenv';

import { startSubject, type Subject } from '../subject.js';
import { writers } from '../writers.js';
import { type ProbedSubject, startProbed } from './agent.js';
import type { BareAgentSetup } from './bare-agent-setup.js';
import { type BenchKcp, openKcp } from './kcp.js';

/** A workspace that has bound the export and accepted its claims. */
export interface BoundWorkspace {
  readonly path: string;
  readonly cluster: string;
  readonly client: Client;
}

/** A service cluster, a kcp, an export of four equal APIs, and no agent. */
export interface AgentInstallation {
  readonly folder: string;
  readonly service: ControlPlane;
  readonly serviceClient: Client;
  readonly kcp: BenchKcp;
  /** Client over all workspaces. Exists once a workspace has bound the export. */
  readonly wildcard: () => Promise<Client>;
  readonly workspaces: readonly BoundWorkspace[];
  /** Creates workspaces and binds the export in them, up to `count`. */
  bind(count: number): Promise<void>;
  /** A workspace without bindings. */
  workspace(name: string): Promise<BoundWorkspace>;
  /** Resolves when its binding is Ready. */
  bound(workspace: BoundWorkspace): Promise<void>;
  /** Starts an agent that syncs the PublishedResources with sync on. */
  startAgent(options?: { readonly profile?: string | undefined; readonly wait?: boolean }): Promise<ProbedSubject>;
  startReference(profile?: string): Promise<Subject>;
  close(): Promise<void>;
}

const api = (group: string): Resource => ({ group, version: 'v1', resource: databases.plural });
/** What the agent syncs. */
export const synced = api(databases.group);
/** Synced by the reference: published, so that workspaces can bind it, with the agent's sync off. */
export const byReference = api('reference.example.com');
/** Not synced at all: the ceiling. */
export const raw = api('raw.example.com');
/** The agent syncs it only after objects exist. */
export const late = api('late.example.com');

const EXPORT = 'example.com';
const NAMESPACE = 'agents';
const AT_ONCE = 8;
const WITHIN = { timeoutMs: 300_000, intervalMs: 250 };

export async function installAgents({
  root,
  kubeconfig,
  print,
}: {
  readonly root: string;
  readonly kubeconfig: string | undefined;
  readonly print: (line: string) => void;
}): Promise<AgentInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const [service, kcp] = await Promise.all([startControlPlane({ name: 'service' }), openKcp(kubeconfig, folder, root)]);
  print(kcp.what);
  const serviceClient = createClient({
    name: 'service',
    connection: service.connection,
    concurrency: 64,
    userAgent: 'bench',
  });
  const providerPath = `${kcp.root}:provider`;
  const workspaces: BoundWorkspace[] = [];
  const provider = kcp.client(providerPath);
  const serviceKubeconfig = join(folder, 'service.kubeconfig');
  const kcpKubeconfig = join(folder, 'kcp.kubeconfig');
  const withoutPath = { ...kcp.connection('root'), server: new URL(kcp.connection('root').server).origin };
  const hostClient = createClient({ name: 'kcp', connection: withoutPath, concurrency: 64, userAgent: 'bench' });

  const virtualWorkspace = async (): Promise<string> => {
    const { status } = await provider.get<APIExportEndpointSlice>(kcpResources.apiExportEndpointSlices, {
      name: EXPORT,
    });
    const [endpoint] = status?.endpoints ?? [];
    if (endpoint === undefined) throw new Error('the endpoint slice is empty');
    return virtualWorkspaceOf(endpoint.url).path;
  };
  const workspace = async (name: string): Promise<BoundWorkspace> => {
    const path = `${kcp.root}:${name}`;
    return { path, cluster: await kcp.createWorkspace(path), client: kcp.client(path) };
  };
  const startAgent: AgentInstallation['startAgent'] = async ({ profile, wait = true } = {}) => {
    const args = [
      `--kubeconfig=${serviceKubeconfig}`,
      `--kcp-kubeconfig=${kcpKubeconfig}`,
      `--namespace=${NAMESPACE}`,
      `--apiexportendpointslice-ref=${EXPORT}`,
      '--metrics-address=0',
    ];
    const log = join(folder, 'agent.log');
    const from = logOf(log).length;
    const subject = await startProbed({
      name: 'agent',
      command: join(root, 'apps/supervisor/bin/hawser-syncagent'),
      args,
      folder,
      root,
      profile,
    });
    if (wait) await eventually(() => logOf(log).slice(from).includes('syncagent works'), WITHIN);
    return subject;
  };
  const bound = async ({ client }: BoundWorkspace): Promise<void> => {
    const { spec } = await provider.get<APIExport>(kcpResources.apiExports, { name: EXPORT });
    const permissionClaims = (spec?.permissionClaims ?? []).map((claim) => ({
      ...claim,
      state: 'Accepted',
      selector: { matchAll: true },
    }));
    await client.create(kcpResources.apiBindings, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIBinding',
      metadata: { name: EXPORT },
      spec: { reference: { export: { path: providerPath, name: EXPORT } }, permissionClaims },
    } as UnstructuredObject);
    await eventually(
      async () =>
        isConditionTrue(await client.get<APIBinding>(kcpResources.apiBindings, { name: EXPORT }), conditionTypes.ready),
      { ...WITHIN, intervalMs: 50 },
    );
  };

  await kcp.createWorkspace(providerPath);
  await provider.create(kcpResources.apiExports, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIExport',
    metadata: { name: EXPORT },
    spec: {},
  } as KubeObject);
  await installCRDs(serviceClient, { clock: systemClock });
  for (const name of [NAMESPACE, 'raw', 'bare'])
    await ensure(serviceClient, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const { group } of [synced, byReference, raw, late]) {
    await ensure(serviceClient, resources.customResourceDefinitions, sampleCrd({ ...databases, group }));
    await eventually(() => serviceClient.list(api(group), { limit: 1 }), WITHIN);
    await serviceClient.create(resources.publishedResources, published(group, group === synced.group));
  }
  writeFileSync(serviceKubeconfig, kubeconfigText('service', service.connection), { mode: 0o600 });
  writeFileSync(kcpKubeconfig, kubeconfigText('kcp', kcp.connection(providerPath)), { mode: 0o600 });
  const first = await startAgent();
  await eventually(
    async () =>
      (await provider.get<APIExport>(kcpResources.apiExports, { name: EXPORT })).spec?.resources?.length === 4,
    WITHIN,
  );
  await first.stop();

  return {
    folder,
    service,
    serviceClient,
    kcp,
    workspaces,
    workspace,
    bound,
    startAgent,
    wildcard: async () => hostClient.at(wildcardPath({ path: await virtualWorkspace() })),
    async bind(count) {
      const from = workspaces.length;
      await writers(count - from, AT_ONCE, async (index) => {
        const made = await workspace(`w${from + index}`);
        await bound(made);
        // The agent does not delete a namespace it has not created once the last object is gone: no controller here
        // would finish the deletion.
        await ensure(serviceClient, resources.namespaces, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: made.cluster },
        });
        // A bound API is not yet served.
        for (const of of [synced, byReference, raw, late])
          await eventually(() => made.client.list(of, { limit: 1 }), WITHIN);
        workspaces.push(made);
      });
    },
    async startReference(profile) {
      const setup: BareAgentSetup = {
        service: service.connection,
        kcp: withoutPath,
        virtualWorkspace: await virtualWorkspace(),
        namespace: 'bare',
        resource: byReference,
      };
      const file = join(folder, 'bare-agent.json');
      writeFileSync(file, JSON.stringify(setup), { mode: 0o600 });
      const log = join(folder, `reference-${Date.now()}.log`);
      const subject = startSubject(
        'reference',
        process.execPath,
        [join(root, 'bench/dist/bare-agent.js'), file],
        profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` },
        log,
      );
      await eventually(() => logOf(log).startsWith('ready'), WITHIN);
      return subject;
    },
    async close() {
      await Promise.all([serviceClient.close(), hostClient.close()]);
      await Promise.all([service.stop(), kcp.stop()]);
    },
  };
}

/** Turns the sync of a PublishedResource on. */
export async function synchronise({ serviceClient }: AgentInstallation, { group }: Resource): Promise<void> {
  await serviceClient.patch(
    resources.publishedResources,
    { name: group },
    { type: 'merge', patch: { spec: { synchronization: { enabled: true } } } },
  );
}

function published(group: string, enabled: boolean): PublishedResource {
  return {
    apiVersion: 'syncagent.kcp.io/v1alpha1',
    kind: 'PublishedResource',
    metadata: { name: group },
    spec: { resource: { apiGroup: group, kind: databases.kind, versions: ['v1'] }, synchronization: { enabled } },
  };
}

function logOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
