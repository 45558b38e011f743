import type { CommandDescription } from '@hawser/config';
import { roleOf, rolesFlag } from './agent-command.js';
import { agentPlanCommand, readAgentPlan } from './agent-plan.js';
import { konnectorPlanCommand, readKonnectorPlan, type Task } from '@hawser/commands';

/** Help text of the command. */
export const planCommand: CommandDescription = {
  ...konnectorPlanCommand,
  usage: [...konnectorPlanCommand.usage, 'hawser plan --roles syncagent [flags]'],
  examples: [
    ...konnectorPlanCommand.examples,
    {
      purpose: 'what would the agents of a config file write?',
      line: 'hawser plan --roles syncagent --config agents.yaml',
    },
  ],
  flags: [...konnectorPlanCommand.flags, rolesFlag('konnector', 'syncagent')],
  variants: [agentPlanCommand],
};

/** Reads the flags of `hawser plan`. */
export function readPlan(args: readonly string[]): Task | string {
  const { role, rest } = roleOf(args, ['konnector', 'syncagent']);
  return role === 'syncagent' ? readAgentPlan(rest) : readKonnectorPlan(rest, planCommand);
}
