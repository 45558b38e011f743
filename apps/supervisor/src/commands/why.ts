import type { CommandDescription } from '@hawser/config';
import { roleOf, rolesFlag } from './agent-command.js';
import { agentWhyCommand, readAgentWhy } from './agent-why.js';
import { konnectorWhyCommand, readKonnectorWhy, type Task } from '@hawser/commands';

/** Help text of the command. */
export const whyCommand: CommandDescription = {
  ...konnectorWhyCommand,
  usage: [...konnectorWhyCommand.usage, 'hawser why --roles syncagent …'],
  examples: [
    ...konnectorWhyCommand.examples,
    {
      purpose: 'of an object that an agent publishes',
      line: 'hawser why --roles syncagent --config agents.yaml --all',
    },
  ],
  flags: [...konnectorWhyCommand.flags, rolesFlag('konnector', 'syncagent')],
  variants: [agentWhyCommand],
};

/** Reads the flags of `hawser why`. */
export function readWhy(args: readonly string[]): Task | string {
  const { role, rest } = roleOf(args, ['konnector', 'syncagent']);
  return role === 'syncagent' ? readAgentWhy(rest) : readKonnectorWhy(rest, whyCommand);
}
