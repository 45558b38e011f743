import { explain, treeText } from '@hawser/konnector-explain';

import { explainFlags, explaining, readExplainFlags } from './explain-command.js';
import type { Task } from './task.js';

const ABOUT = 'Draws connections, their bindings, and the exports, resources and claims of each, with its health.';

/** Reads the flags of `hawser tree`. */
export function readTree(args: readonly string[]): Task | string {
  const parsed = readExplainFlags({ usage: 'tree [flags]', about: ABOUT, flags: explainFlags, positional: 0 }, args);
  if (typeof parsed === 'string') return parsed;
  return (terminal) => explaining(parsed, terminal, async ({ context, binding }) => {
    const reports = await explain(context, { dryRun: false, binding, objects: 'all' });
    terminal.out(treeText(reports, context.now()));
    return reports.every(({ standing }) => standing === 'inStep') ? 0 : 1;
  });
}
