import { explain, treeDocument, treeText } from '@hawser/konnector-explain';

import { type CommandDescription, choice } from '@hawser/config';
import { explainFlags, explaining, readExplainFlags } from './explain-command.js';
import { document, noColorFlag, paintOf } from './output.js';
import type { Task } from './task.js';

const ABOUT = 'Draws connections, their bindings, and the exports, resources and claims of each, with its health.';

/** Help text. */
export const treeCommand: CommandDescription = {
  name: 'tree',
  about: ABOUT,
  usage: ['hawser tree [flags]'],
  examples: [
    { purpose: 'everything that is bound, with its health', line: 'hawser tree' },
    {
      purpose: "as long as the provider's kubeconfig is not in a Secret that you may read",
      line: 'hawser tree --provider-kubeconfig provider.kubeconfig',
    },
    { purpose: 'the same for a program', line: 'hawser tree -o json' },
  ],
  flags: [
    ...explainFlags,
    { name: 'output', short: 'o', kind: 'string', help: 'text, json or yaml', default: 'text' },
    noColorFlag,
  ],
};

/** Reads the flags of `hawser tree`. */
export function readTree(args: readonly string[]): Task | string {
  const parsed = readExplainFlags(treeCommand, 0, args);
  if (typeof parsed === 'string') return parsed;
  const output = choice(parsed, 'output', ['text', 'json', 'yaml']);
  return (terminal) =>
    explaining(parsed, terminal, async ({ context, binding }) => {
      const reports = await explain(context, { dryRun: false, binding, objects: 'all' });
      terminal.out(
        output === 'text'
          ? treeText(reports, context.now(), paintOf(parsed, terminal))
          : document(treeDocument(reports), output),
      );
      return reports.every(({ standing }) => standing === 'inStep') ? 0 : 1;
    });
}
