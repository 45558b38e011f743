import type { Check } from '../check.js';
import { type Report, type RunOptions, carryOut, unmet } from '../run.js';
import { AgentWorld, type AgentWorldOptions } from './agent-world.js';
import { agentEndingChecks } from './checks/ending.js';
import { agentMeasures } from './checks/measures.js';
import { agentObjectChecks } from './checks/objects.js';
import { publishingChecks } from './checks/publishing.js';
import { relatedChecks } from './checks/related.js';

export type AgentRunOptions = RunOptions & AgentWorldOptions;

/** All of them, in the order in which they are carried out. */
export const agentChecks: readonly Check<AgentWorld>[] = [
  ...publishingChecks,
  ...agentObjectChecks,
  ...relatedChecks,
  ...agentMeasures,
  ...agentEndingChecks,
];

/**
 * Checks an agent of api-syncagent between a service cluster and a kcp from outside: by what stands in the two. Everything that it makes has names of its own, and is removed at the end.
 * @throws Deviation if the clusters are not fit for it, ApiError if they do not answer; nothing is left then either
 */
export async function runAgentConformance(options: AgentRunOptions): Promise<Report> {
  const world = new AgentWorld(options);
  await world.assertFree();
  return carryOut(
    {
      role: 'agent',
      world,
      checks: agentChecks,
      begin: () => world.begin(),
      prepare: () => Promise.resolve(),
      unfit: (check, before) => unmet(check, before),
    },
    options,
  );
}
