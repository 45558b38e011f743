import { randomBytes } from 'node:crypto';

import { createAPIResourceSchema } from '@hawser/apiresourceschema';
import type { Client, Hosts } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import type { SharedInformers } from '@hawser/informer';
import type { Agent, Discover, ExportLocation } from '@hawser/publication';
import { createSyncagentAPIExport } from '@hawser/syncagent-apiexport';
import { hawserAnnotations } from '@hawser/syncagent-api';
import { discoverCRD } from '@hawser/apiresourceschema';
import { agentFunctions } from '@hawser/syncagent-sync';
import {
  type AdoptionPolicy,
  adoptionOf,
  compileRules,
  createNeighbours,
  createSync,
  pauseOfPublication,
} from '@hawser/syncagent-sync';
import { InvalidRulesError, type Syncmanager, createSyncmanager } from '@hawser/syncmanager';

import { type OpenCluster, clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import type { ProcessContext } from '@hawser/commands';

export type AgentConfig = Config['syncagent']['agents'][number];
type AgentController = Controller<'service' | 'provider' | 'endpoints'>;

const adoptionPolicies: Readonly<Record<AgentConfig['adoption'], AdoptionPolicy>> = {
  Adopt: 'adopt',
  Overwrite: 'overwrite',
  Refuse: 'refuse',
};

/** Longest wait for work in flight; then it is abandoned, and the process ends in time even if kcp does not answer. */
const DRAIN_MS = 4_000;

/** The agent's name, which every copy carries. */
export function agentNameOf({ agentName, endpointSlice }: AgentConfig): string {
  return agentName ?? `${endpointSlice}-syncagent`;
}

/** The running controllers of one agent. */
export interface RunningAgent {
  /** Rejects if a controller cannot start. */
  readonly started: Promise<void>;
  readonly working: boolean;
  readonly manager: Syncmanager | undefined;
  readonly agent: Agent;
  /** Shared informers of its controllers. */
  readonly informers: readonly SharedInformers[];
  stop(): Promise<void>;
}

export interface AgentOptions {
  readonly config: Config['syncagent'];
  readonly agent: AgentConfig;
  readonly agentName: string;
  readonly guarded: Client;
  readonly hosts: Hosts;
  readonly location: ExportLocation;
  readonly mayWrite: AbortSignal;
  readonly context: ProcessContext;
  /** See the option of the sync, for each PublishedResource. */
  readonly during?: (<T>(publishedResource: string, object: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Starts all controllers that publish through one endpoint slice. */
export function startAgent(options: AgentOptions): RunningAgent {
  const { agent: settings, agentName, guarded, location, mayWrite, context } = options;
  const open: OpenCluster[] = [];
  const opened = (name: string, client: Client): OpenCluster => {
    const cluster = clusterOf(name, client, 'hawser-syncagent', context);
    open.push(cluster);
    return cluster;
  };
  const { clock, random, logger, metrics } = context;
  const service = opened('service', guarded);
  const provider = opened('provider', location.provider.client.withWriteGuard(mayWrite));
  const endpoints =
    location.endpoints === location.provider
      ? provider
      : opened('endpoints', location.endpoints.client.withWriteGuard(mayWrite));
  const agent: Agent = {
    name: agentName,
    exportName: location.exportName,
    namespace: settings.namespace,
    selector: settings.publishedResourceSelector,
  };
  const discover: Discover = (source, signal) => discoverCRD(guarded, source, { signal });
  const works = (name: (typeof settings.disabledControllers)[number]): boolean =>
    !settings.disabledControllers.includes(name);
  const manager = works('sync') ? managerOf(options, agent, discover) : undefined;
  const controllers: readonly AgentController[] = [
    ...(works('apiresourceschema') ? [createAPIResourceSchema({ agent, discover })] : []),
    ...(works('apiexport') ? [createSyncagentAPIExport({ agent })] : []),
    ...(manager === undefined ? [] : [manager]),
  ];
  const closing = new AbortController();
  let working = false;
  const start = async (): Promise<void> => {
    await Promise.all(
      controllers.map((controller) =>
        controller.start({
          clusters: { service: service.cluster, provider: provider.cluster, endpoints: endpoints.cluster },
          logger: logger.child({ controller: controller.name }),
          metrics,
          clock,
          random,
          signal: closing.signal,
        }),
      ),
    );
    working = true;
  };
  return {
    started: start(),
    get working() {
      return working;
    },
    manager,
    agent,
    informers: open.map(({ cluster }) => cluster.informers),
    async stop() {
      working = false;
      const hurry = clock.setTimeout(() => {
        closing.abort();
      }, DRAIN_MS);
      await Promise.all(controllers.map((controller) => controller.stop()));
      hurry.cancel();
      closing.abort();
      await Promise.all(open.map((cluster) => cluster.close()));
    },
  };
}

/** The controller that starts a sync for each PublishedResource. */
function managerOf(options: AgentOptions, agent: Agent, discover: Discover): Syncmanager {
  const { agent: settings, hosts, location, mayWrite, context } = options;
  const functions = agentFunctions({ clock: context.clock, random: randomBytes });
  const neighbours = createNeighbours();
  return createSyncmanager({
    agent,
    endpointSlice: settings.endpointSlice,
    located: location.slice,
    hosts,
    discover,
    mayWrite,
    annotations: [hawserAnnotations.adoption, hawserAnnotations.paused, hawserAnnotations.retryAt],
    createSync: (published) => syncOf(options, functions, neighbours, published),
  });
}

type Published = Parameters<Parameters<typeof createSyncmanager>[0]['createSync']>[0];

/** @throws InvalidRulesError for a PublishedResource whose rules do not compile */
function syncOf(
  { config, agent: settings, agentName, during }: AgentOptions,
  functions: ReturnType<typeof agentFunctions>,
  neighbours: ReturnType<typeof createNeighbours>,
  { publishedResource, kinds, engagements, isWhole, isGone, publishesSameKind, onReport }: Published,
): ReturnType<typeof createSync> {
  const compiled = compileRules(publishedResource.spec, { functions, kinds });
  if (compiled.kind === 'refused')
    throw new InvalidRulesError(
      compiled.findings
        .filter(({ severity }) => severity === 'error')
        .map(({ path, message }) => `${path}: ${message}.`),
    );
  const { apiVersion, kind, metadata } = publishedResource;
  return createSync({
    publishedResource: {
      apiVersion,
      kind,
      name: metadata.name,
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
    kinds,
    rules: compiled.value,
    agentName,
    namespace: settings.namespace,
    adoption: adoptionOf(publishedResource, adoptionPolicies[settings.adoption]),
    engagements,
    pause: pauseOfPublication(publishedResource),
    concurrency: config.concurrency,
    isWhole,
    isGone,
    publishesSameKind,
    neighbours,
    onReport,
    ...(during === undefined ? {} : { during: (object, work) => during(metadata.name, object, work) }),
  });
}
