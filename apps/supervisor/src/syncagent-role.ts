import { type Client, type Hosts, createHosts } from '@hawser/client';
import { type ExportLocation, createFailedStarts, locateExport } from '@hawser/publication';

import { kcpConnection, serviceConnection } from './agent-connections.js';
import { clientOf, type ProcessContext, userAgentOf } from '@hawser/commands';
import { clusterOf } from './cluster-of.js';
import type { Config } from '@hawser/config';
import { createElected } from './elected.js';
import { electedRole } from './elected-role.js';
import type { HealthCheck } from './health-server.js';
import { persistently } from './persistently.js';
import type { RunningRole } from './role.js';
import { type AgentConfig, type RunningAgent, agentNameOf, startAgent } from './running-agent.js';
import { until } from './until.js';

/** One agent: everything that publishes through one endpoint slice. Agents in one process are independent. */
export async function createSyncagentRole(
  config: Config['syncagent'],
  agent: AgentConfig,
  shared: ProcessContext,
): Promise<RunningRole> {
  const agentName = agentNameOf(agent);
  const context: ProcessContext = { ...shared, logger: shared.logger.child({ agent: agentName }) };
  const connection = await serviceConnection(config, context);
  const client = clientOf('service', connection, 'syncagent', context, agent.limits.service);
  const leaseClient =
    agent.limits.service.qps === undefined ? client : clientOf('service', connection, 'syncagent', context);
  const kcp = await kcpConnection(agent.kcpKubeconfig, context);
  let running: RunningAgent | undefined;
  const failedStarts = createFailedStarts({ name: agentName, selector: agent.publishedResourceSelector });

  const locate = async (hosts: Hosts, guarded: Client, signal: AbortSignal): Promise<ExportLocation> => {
    try {
      const location = await locateExport(hosts, kcp().server, agent.endpointSlice, signal);
      failedStarts.succeeded();
      return location;
    } catch (error) {
      if (!signal.aborted) await reportFailedStart(error, guarded, signal);
      throw error;
    }
  };
  const reportFailedStart = async (failure: unknown, guarded: Client, signal: AbortSignal): Promise<void> => {
    const service = clusterOf('service', guarded, 'hawser-syncagent', context);
    try {
      await failedStarts.failed(failure, { client: guarded, events: service.cluster.events }, signal);
    } catch (error) {
      context.logger.warn('PublishedResources cannot be told that the agent does not begin', { error });
    } finally {
      await service.close();
    }
  };

  const work = async (guarded: Client, signal: AbortSignal, mayWrite: AbortSignal): Promise<void> => {
    const hosts = createHosts({
      name: 'kcp',
      connection: kcp,
      clock: context.clock,
      random: context.random,
      logger: context.logger,
      metrics: context.metrics,
      userAgent: userAgentOf('syncagent', context),
      dispatcher: context.network?.dispatcher,
      ...agent.limits.kcp,
    });
    try {
      const location = await locate(hosts, guarded, signal);
      context.logger.info('export found', {
        export: location.exportName,
        workspace: location.provider.path ?? location.provider.cluster,
      });
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
    lease: {
      ...agent.lease,
      namespace: agent.lease.namespace === '' ? agent.namespace : agent.lease.namespace,
      identity: identityOf(agent, context),
    },
    defaultName: `syncagent.${agentName}`,
    client,
    leaseClient,
    context,
    work: persistently(work, context),
  });
  return electedRole({
    name: `syncagent/${agentName}`,
    elected,
    clients: [client, leaseClient],
    working: () => running?.working ?? false,
    checks: () => checksOf(agentName, running),
  });
}

/** Another pod may get the same name later, and several processes may share a host's name. */
function identityOf({ lease }: AgentConfig, { env, random }: ProcessContext): string {
  return lease.identity !== ''
    ? lease.identity
    : (env['POD_UID'] ?? '') || `${env['POD_NAME'] ?? 'hawser'}-${Math.floor(random() * 2 ** 31)}`;
}

function checksOf(agentName: string, running: RunningAgent | undefined): readonly HealthCheck[] {
  const name = `agent/${agentName}`;
  if (running === undefined) return [{ name, ok: false, critical: false, detail: 'not started' }];
  const engaged = running.manager?.engagements.length ?? 0;
  return [
    {
      name,
      ok: running.working,
      critical: false,
      detail: !running.working ? 'starting' : engaged === 1 ? '1 virtual workspace' : `${engaged} virtual workspaces`,
    },
  ];
}
