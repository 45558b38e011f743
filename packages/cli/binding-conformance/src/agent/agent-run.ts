import type { Check } from '../check.js';
import { type Report, type RunOptions, carryOut, unmet } from '../run.js';
import { AgentWorld, type AgentWorldOptions } from './agent-world.js';
import { agentEndingChecks } from './checks/ending.js';
import { agentMeasures } from './checks/measures.js';
import { agentObjectChecks } from './checks/objects.js';
import { publishingChecks } from './checks/publishing.js';
import { relatedChecks } from './checks/related.js';

export type AgentRunOptions = RunOptions & AgentWorldOptions;

/** All checks, in the order of execution. */
export const agentChecks: readonly Check<AgentWorld>[] = [
  ...publishingChecks,
  ...agentObjectChecks,
  ...relatedChecks,
  ...agentMeasures,
  ...agentEndingChecks,
];

/**
 * Checks an agent of api-syncagent between a service cluster and a kcp from outside: by the objects in both. All
 * objects it makes have names of its own, and it removes them at the end.
 * @throws Deviation if the clusters are unfit for it, ApiError if they do not answer; both leave nothing behind
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
