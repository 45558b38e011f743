import { createClient, createHosts } from '@hawser/client';
import { locateExport } from '@hawser/publication';
import { type Activity, createActivity } from '@hawser/preview';
import { type AgentReport, createRehearsal, explainAgent } from '@hawser/syncagent-explain';

import { kcpConnection, serviceConnection } from './agent-connections.js';
import type { Config } from '@hawser/config';
import type { ProcessContext } from '@hawser/commands';
import { type AgentConfig, type RunningAgent, agentNameOf, startAgent } from './running-agent.js';

export interface RehearseOptions {
  /** Ask the API servers how they would answer each write. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * Rehearses an agent: its controllers run on clients that write nothing until no work is left. Returns what they would
 * have done. Rejects if the export cannot be found.
 */
export async function rehearseAgent(
  config: Config['syncagent'],
  agent: AgentConfig,
  shared: ProcessContext,
  { dryRun, signal }: RehearseOptions,
): Promise<AgentReport> {
  const { clock, random, version, network } = shared;
  const activity = createActivity(clock);
  const context: ProcessContext = { ...shared, metrics: activity.metrics };
  const agentName = agentNameOf(agent);
  const [service, kcp] = await Promise.all([
    serviceConnection(config, context),
    kcpConnection(agent.kcpKubeconfig, context),
  ]);
  const rehearsal = createRehearsal({ kcpServer: kcp().server, dryRun, onRequest: activity.onRequest });
  const common = { clock, random, userAgent: `hawser-explain/${version}`, dispatcher: network?.dispatcher };
  const client = createClient({ name: 'service', connection: service, ...common, ...agent.limits.service });
  const hosts = createHosts({ name: 'kcp', connection: kcp, ...common, ...agent.limits.kcp });
  try {
    const guarded = rehearsal.service(client);
    const rehearsed = rehearsal.hosts(hosts);
    const location = await locateExport(rehearsed, kcp().server, agent.endpointSlice, signal);
    const running = startAgent({
      config,
      agent,
      agentName,
      guarded,
      hosts: rehearsed,
      location,
      mayWrite: new AbortController().signal,
      context,
      during: (publishedResource, object, work) => rehearsal.during({ publishedResource, object }, work),
    });
    // An unreadable resource keeps the agent from starting; report that.
    running.started.catch(() => undefined);
    try {
      const settled = await settle(running, activity, signal);
      return await explainAgent(
        {
          agent: running.agent,
          location,
          manager: running.manager,
          service: guarded,
          informers: running.informers,
          writes: rehearsal.writes,
          settled,
          nowMs: clock.now(),
        },
        signal,
      );
    } finally {
      await running.stop();
    }
  } finally {
    await Promise.all([client.close(), hosts.close()]);
  }
}

/** Whether the agent ran out of work. */
async function settle(running: RunningAgent, activity: Activity, signal: AbortSignal): Promise<boolean> {
  const surveyed = (): boolean =>
    running.working &&
    (running.manager?.publications ?? []).every(({ sync }) => sync.surveyed || sync.troubles().length > 0);
  const settled = await activity.settled(surveyed, signal);
  running.manager?.report();
  if (settled) await activity.settled(surveyed, signal);
  return settled;
}
