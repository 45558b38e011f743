import {
  type CoreKbindUnbindWish,
  coreKbindUnbindStepText,
  planCoreKbindUnbinding,
  refusalText,
  unbindCoreKbind,
} from '@hawser/bind';

import type { ConsumerCommand } from './consumer-command.js';
import { type Output, document } from './output.js';
import type { Terminal } from './task.js';

export interface CoreKbindUnbinding {
  readonly wish: CoreKbindUnbindWish;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly output: Output;
  readonly timeoutMs: number;
}

/** Unbinds a ClusterBinding or Binding of `core.kbind.io`, or prints what it would do. */
export async function unbindCoreKbindBinding(
  { client: consumer, context: { clock } }: ConsumerCommand,
  terminal: Terminal,
  { wish, dryRun, yes, output, timeoutMs }: CoreKbindUnbinding,
): Promise<number> {
  const { out, err, signal } = terminal;
  const name = wish.namespace === undefined ? wish.name : `${wish.namespace}/${wish.name}`;
  const plan = await planCoreKbindUnbinding(consumer, wish, signal);
  const { refusals, remarks } = plan;
  for (const refusal of refusals) err(refusalText(refusal));
  for (const remark of remarks) err(remark);
  const lines = plan.steps.map(coreKbindUnbindStepText);
  if (dryRun) {
    const text = lines.map((line) => `  ${line}`).join('\n');
    if (output !== 'table') out(document({ name, steps: lines, remarks, refusals }, output));
    else out(lines.length === 0 ? 'Nothing would be done.' : `This would be done:\n${text}`);
    return refusals.length === 0 ? 0 : 1;
  }
  if (refusals.length > 0) {
    if (output !== 'table') out(document({ name, result: 'refused', refusals }, output));
    return 1;
  }
  const deletes = plan.steps.some((step) => step.kind === 'deleteBinding' && step.policy === 'Delete');
  if (deletes && !yes && !(await confirmed(terminal, name, lines))) return 1;
  const print = output === 'table' ? out : err;
  const result = await unbindCoreKbind({ consumer, clock, print, timeoutMs, signal }, plan);
  if (result.kind === 'waiting') err(`Gave up waiting for ${result.what}. The same command goes on from there.`);
  else print(`${name} is unbound.`);
  if (output !== 'table') out(document({ name, result: result.kind }, output));
  return result.kind === 'unbound' ? 0 : 1;
}

/** Asks only before it deletes data of people. */
async function confirmed({ ask, err }: Terminal, name: string, lines: readonly string[]): Promise<boolean> {
  err(lines.map((line) => `  ${line}`).join('\n'));
  const answer = await ask(`This deletes copies on the provider. Type "${name}" to go on: `);
  if (answer?.trim() === name) return true;
  err(answer === undefined ? 'Nobody can be asked here: give --yes to go on. Nothing was done.' : 'Nothing was done.');
  return false;
}
