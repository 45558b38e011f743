import {
  coreKbindUnbindStepText,
  type CoreKbindUninstallWish,
  planCoreKbindUninstall,
  readCoreKbindStanding,
  unbindCoreKbind,
} from '@hawser/bind';

import type { ConsumerCommand } from './consumer-command.js';
import type { Terminal } from './task.js';

export interface CoreKbindUninstall {
  readonly wish: CoreKbindUninstallWish;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly timeoutMs: number;
}

/**
 * Removes bindings, Connections and Secrets of `core.kbind.io` from the consumer, or prints what it would do. Resolves
 * to the exit code.
 */
export async function uninstallCoreKbind(
  { client: consumer, context: { clock } }: ConsumerCommand,
  terminal: Terminal,
  { wish, dryRun, yes, timeoutMs }: CoreKbindUninstall,
): Promise<number> {
  const { out, err, signal } = terminal;
  const plan = await planCoreKbindUninstall(consumer, wish, signal);
  if (plan.steps.length > 0) {
    const lines = plan.steps.map((step) => `  ${coreKbindUnbindStepText(step)}`);
    out(`${dryRun ? 'This would be done:' : 'This is to be done:'}\n${lines.join('\n')}`);
    if (dryRun) return 0;
    if (!yes && !(await confirmed(terminal))) return 1;
    const result = await unbindCoreKbind({ consumer, clock, print: out, timeoutMs, signal }, plan);
    if (result.kind === 'waiting')
      err(
        `Gave up waiting for ${result.what}. A konnector has to run that serves core.kbind.io; the same command goes on from there.`,
      );
  }
  const { objects, crds } = await readCoreKbindStanding(consumer, signal);
  out('Read live afterwards:');
  out(`  of core.kbind.io: ${objects.length === 0 ? 'none' : objects.join(', ')}`);
  if (crds.length > 0)
    out(
      `  CRDs that stay, with their objects: ${crds.join(', ')}. To delete one with all objects: kubectl delete crd NAME`,
    );
  if (objects.length === 0) {
    out('Nothing else is left. The konnector may go now, and the CRDs of core.kbind.io after it.');
    return 0;
  }
  err(`Something is left: ${objects.join(', ')}.`);
  return 1;
}

async function confirmed({ ask, err }: Terminal): Promise<boolean> {
  const answer = await ask('Type "uninstall" to go on: ');
  if (answer?.trim() === 'uninstall') return true;
  err(answer === undefined ? 'Nobody can be asked here: give --yes to go on. Nothing was done.' : 'Nothing was done.');
  return false;
}
