import { planJson, planText } from '@hawser/syncagent-explain';

import { type CommandDescription, type Flag, choice } from '@hawser/config';
import { rehearseAgent } from '../rehearse-agent.js';
import { agentFlags, forAgents } from './agent-command.js';
import { readExplainFlags, type Task } from '@hawser/commands';

const ABOUT = 'Prints what an agent would write on the service cluster and in kcp, and writes nothing.';

const flags: readonly Flag[] = [
  ...agentFlags,
  {
    name: 'dry-run',
    kind: 'string',
    help: 'none, or server: have the API servers say what they would make of each write',
    default: 'none',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'string',
    help: 'text: a line for each write; diff: with the values that change; json',
    default: 'text',
  },
];

/** Help text of the command. */
export const agentPlanCommand: CommandDescription = {
  name: 'plan',
  about: ABOUT,
  usage: ['hawser plan --roles syncagent [flags]'],
  examples: [
    {
      purpose: 'what would the agents of a config file write?',
      line: 'hawser plan --roles syncagent --config agents.yaml',
    },
    {
      purpose: 'with the values that change, for one agent',
      line: 'hawser plan --roles syncagent --config agents.yaml --agent-name databases -o diff',
    },
  ],
  flags,
};

/** Reads the flags of `hawser plan --roles syncagent`. */
export function readAgentPlan(args: readonly string[]): Task | string {
  const parsed = readExplainFlags(agentPlanCommand, 0, args);
  if (typeof parsed === 'string') return parsed;
  const dryRun = choice(parsed, 'dry-run', ['none', 'server']) === 'server';
  const output = choice(parsed, 'output', ['text', 'diff', 'json']);
  return async (terminal) => {
    const reports = await forAgents(parsed, terminal, ({ config, agent, context }) =>
      rehearseAgent(config, agent, context, { dryRun, signal: terminal.signal }),
    );
    terminal.out(output === 'json' ? planJson(reports) : planText(reports, { values: output === 'diff' }));
    return reports.every(({ writes, standing }) => writes.length === 0 && standing === 'inStep') ? 0 : 1;
  };
}
