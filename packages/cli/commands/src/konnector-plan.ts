import { explain, planJson, planText, stepsOf } from '@hawser/konnector-explain';

import { type CommandDescription, type Flag, choice } from '@hawser/config';
import { explainFlags, explaining, readExplainFlags } from './explain-command.js';
import type { Task } from './task.js';

const ABOUT = 'Prints what a konnector would write, object by object, and writes nothing.';

const flags: readonly Flag[] = [
  ...explainFlags,
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

/** Help text for a consumer. */
export const konnectorPlanCommand: CommandDescription = {
  name: 'plan',
  about: ABOUT,
  usage: ['hawser plan [flags]'],
  examples: [
    { purpose: 'what would a konnector write now?', line: 'hawser plan' },
    { purpose: 'with the values that change', line: 'hawser plan -o diff' },
    { purpose: 'have the API servers judge each write, without making it', line: 'hawser plan --dry-run=server' },
  ],
  flags,
};

/** Reads its flags. `description`: the help of the parent command. */
export function readKonnectorPlan(args: readonly string[], description = konnectorPlanCommand): Task | string {
  const parsed = readExplainFlags(description, 0, args);
  if (typeof parsed === 'string') return parsed;
  const dryRun = choice(parsed, 'dry-run', ['none', 'server']) === 'server';
  const output = choice(parsed, 'output', ['text', 'diff', 'json']);
  return (terminal) =>
    explaining(parsed, terminal, async ({ context, binding }) => {
      const reports = await explain(context, { dryRun, binding, objects: 'all' });
      terminal.out(output === 'json' ? planJson(reports) : planText(reports, { values: output === 'diff' }));
      return stepsOf(reports).length === 0 && reports.every(({ standing }) => standing === 'inStep') ? 0 : 1;
    });
}
