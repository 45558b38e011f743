import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { createAPIResourceSchema } from '@hawser/apiresourceschema';
import { type Client, type Hosts, createHosts } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { WorkspaceURLError, workspaceOfURL } from '@hawser/kcp-api';
import { type ConnectionConfig, followKubeconfig } from '@hawser/kubeconfig';
import { type Agent, type Discover, type ExportLocation, locateExport } from '@hawser/publication';
import { createSyncagentAPIExport } from '@hawser/syncagent-apiexport';
import { discoverCRD } from '@hawser/syncagent-discovery';
import { agentFunctions } from '@hawser/syncagent-naming';
import { hawserAnnotations } from '@hawser/syncagent-api';
import { type AdoptionPolicy, adoptionOf, compileRules, createSync } from '@hawser/syncagent-sync';
import { InvalidRulesError, type Syncmanager, createSyncmanager } from '@hawser/syncmanager';

import { clientOf } from './client-of.js';
import { type OpenCluster, clusterOf } from './cluster-of.js';
import { type Config, ConfigError } from './config.js';
import { createElected } from './elected.js';
import { electedRole } from './elected-role.js';
import type { HealthCheck } from './health-server.js';
import { ownConnection } from './own-connection.js';
import { persistently } from './persistently.js';
import type { ProcessContext } from './process-context.js';
import type { RunningRole } from './role.js';
import { until } from './until.js';

type AgentConfig = Config['syncagent']['agents'][number];
const adoptionPolicies: Readonly<Record<AgentConfig['adoption'], AdoptionPolicy>> = { Adopt: 'adopt', Overwrite: 'overwrite', Refuse: 'refuse' };
type AgentController = Controller<'service' | 'provider' | 'endpoints'>;

/** What is in flight may end for so long; then it is given up, so that the process ends in time also when kcp does not answer. */
const DRAIN_MS = 4_000;

/** One agent: everything that publishes through one endpoint slice. Several in one process know nothing of each other. */
export async function createSyncagentRole(config: Config['syncagent'], agent: AgentConfig, shared: ProcessContext): Promise<RunningRole> {
  const agentName = agent.agentName ?? `${agent.endpointSlice}-syncagent`;
  const context: ProcessContext = { ...shared, logger: shared.logger.child({ agent: agentName }) };
  const connection = await serviceConnection(config, context);
  const client = clientOf('service', connection, 'syncagent', context, agent.limits.service);
  const leaseClient = agent.limits.service.qps === undefined ? client : clientOf('service', connection, 'syncagent', context);
  const kcp = await kcpConnection(agent.kcpKubeconfig, context);
  let running: RunningAgent | undefined;

  const work = async (guarded: Client, signal: AbortSignal, mayWrite: AbortSignal): Promise<void> => {
    const hosts = createHosts({
      name: 'kcp', connection: kcp, clock: context.clock, random: context.random, logger: context.logger, metrics: context.metrics,
      userAgent: `hawser-syncagent/${context.version}`, dispatcher: context.network?.dispatcher, ...agent.limits.kcp,
    });
    try {
      const location = await locateExport(hosts, kcp().server, agent.endpointSlice, signal);
      context.logger.info('export found', { export: location.exportName, workspace: location.provider.path ?? location.provider.cluster });
      running = startAgent({ config, agent, agentName, guarded, hosts, location, mayWrite, context });
      await running.started;
      context.logger.info('syncagent works');
      await until(signal);
    } finally {
      await running?.stop();
      running = undefined;
      await hosts.close();
    }
  };

  const elected = createElected({
    lease: { ...agent.lease, namespace: agent.lease.namespace === '' ? agent.namespace : agent.lease.namespace, identity: identityOf(agent, context) },
    defaultName: `syncagent.${agentName}`, client, leaseClient, context, work: persistently(work, context),
  });
  return electedRole({ name: `syncagent/${agentName}`, elected, clients: [client, leaseClient], working: () => running?.working ?? false, checks: () => checksOf(agentName, running) });
}

/** A pod's name may be another pod's tomorrow, and a host's name that of several processes. */
function identityOf({ lease }: AgentConfig, { env, random }: ProcessContext): string {
  return lease.identity !== '' ? lease.identity : (env['POD_UID'] ?? '') || `${env['POD_NAME'] ?? 'hawser'}-${Math.floor(random() * 2 ** 31)}`;
}

async function serviceConnection(config: Config['syncagent'], context: ProcessContext): Promise<() => ConnectionConfig> {
  const own = await ownConnection(config, context);
  const { hostOverride, caFileOverride } = config;
  if (hostOverride === '' && caFileOverride === '') return own;
  const caData = caFileOverride === '' ? undefined : await readFile(caFileOverride, 'utf8').catch(() => { throw new ConfigError(`kubeconfig-ca-file-override: ${caFileOverride} cannot be read`); });
  // Getters of the original stay getters: they follow the files that a kubeconfig names.
  return () => Object.create(own(), {
    ...(hostOverride === '' ? {} : { server: { value: hostOverride, enumerable: true } }),
    ...(caData === undefined ? {} : { caData: { value: caData, enumerable: true } }),
  }) as ConnectionConfig;
}

async function kcpConnection(file: string, context: ProcessContext): Promise<() => ConnectionConfig> {
  const { network, logger } = context;
  if (network !== undefined) return () => network.ownConnection(file);
  const current = await followKubeconfig({
    file, env: context.env, clock: context.clock,
    onChange: (problem) => {
      if (problem === undefined) logger.info('the kcp kubeconfig was replaced, and is used from now on');
      else logger.error('the kcp kubeconfig was replaced, and cannot be used; the one before it still is', { error: problem });
    },
  }).catch((error: unknown) => { throw new ConfigError(`kcp kubeconfig: ${error instanceof Error ? error.message : String(error)}`); });
  try {
    workspaceOfURL(current().server);
  } catch (error) {
    throw error instanceof WorkspaceURLError ? new ConfigError(`kcp kubeconfig ${file}: ${error.message}`) : error;
  }
  return current;
}

interface RunningAgent {
  /** Rejects where a controller cannot be started. */
  readonly started: Promise<void>;
  readonly working: boolean;
  readonly manager: Syncmanager | undefined;
  stop(): Promise<void>;
}

interface AgentOptions {
  readonly config: Config['syncagent'];
  readonly agent: AgentConfig;
  readonly agentName: string;
  readonly guarded: Client;
  readonly hosts: Hosts;
  readonly location: ExportLocation;
  readonly mayWrite: AbortSignal;
  readonly context: ProcessContext;
}

function startAgent({ config, agent: settings, agentName, guarded, hosts, location, mayWrite, context }: AgentOptions): RunningAgent {
  const open: OpenCluster[] = [];
  const opened = (name: string, client: Client): OpenCluster => {
    const cluster = clusterOf(name, client, 'hawser-syncagent', context);
    open.push(cluster);
    return cluster;
  };
  const { clock, random, logger, metrics } = context;
  const service = opened('service', guarded);
  const provider = opened('provider', location.provider.client.withWriteGuard(mayWrite));
  const endpoints = location.endpoints === location.provider ? provider : opened('endpoints', location.endpoints.client.withWriteGuard(mayWrite));
  const agent: Agent = { name: agentName, exportName: location.exportName, namespace: settings.namespace, selector: settings.publishedResourceSelector };
  const discover: Discover = (source, signal) => discoverCRD(guarded, source, { signal });
  const functions = agentFunctions({ clock, random: randomBytes });

  const manager = settings.disabledControllers.includes('sync') ? undefined : createSyncmanager({
    agent, endpointSlice: settings.endpointSlice, hosts, discover, mayWrite, annotations: [hawserAnnotations.adoption],
    createSync: ({ publishedResource, kinds, engagements, onReport }) => {
      const compiled = compileRules(publishedResource.spec, { functions, kinds });
      if (compiled.kind === 'refused') throw new InvalidRulesError(compiled.findings.filter(({ severity }) => severity === 'error').map(({ path, message }) => `${path}: ${message}.`));
      const { apiVersion, kind, metadata } = publishedResource;
      return createSync({
        publishedResource: { apiVersion, kind, name: metadata.name, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) },
        kinds, rules: compiled.value, agentName, namespace: settings.namespace, adoption: adoptionOf(publishedResource, adoptionPolicies[settings.adoption]), engagements, concurrency: config.concurrency, onReport,
      });
    },
  });
  const controllers: readonly AgentController[] = [
    ...(settings.disabledControllers.includes('apiresourceschema') ? [] : [createAPIResourceSchema({ agent, discover })]),
    ...(settings.disabledControllers.includes('apiexport') ? [] : [createSyncagentAPIExport({ agent })]),
    ...(manager === undefined ? [] : [manager]),
  ];
  const closing = new AbortController();
  let working = false;
  const start = async (): Promise<void> => {
    await Promise.all(controllers.map((controller) => controller.start({
      clusters: { service: service.cluster, provider: provider.cluster, endpoints: endpoints.cluster },
      logger: logger.child({ controller: controller.name }), metrics, clock, random, signal: closing.signal,
    })));
    working = true;
  };
  return {
    started: start(),
    get working() { return working; },
    manager,
    async stop() {
      working = false;
      const hurry = clock.setTimeout(() => { closing.abort(); }, DRAIN_MS);
      await Promise.all(controllers.map((controller) => controller.stop()));
      hurry.cancel();
      closing.abort();
      await Promise.all(open.map((cluster) => cluster.close()));
    },
  };
}

function checksOf(agentName: string, running: RunningAgent | undefined): readonly HealthCheck[] {
  const name = `agent/${agentName}`;
  if (running === undefined) return [{ name, ok: false, critical: false, detail: 'not started' }];
  const engaged = running.manager?.engagements.length ?? 0;
  return [{ name, ok: running.working, critical: false, detail: !running.working ? 'starting' : engaged === 1 ? '1 virtual workspace' : `${engaged} virtual workspaces` }];
}
