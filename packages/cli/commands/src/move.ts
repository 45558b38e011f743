import { type MovePlan, type MoveWish, moveObject, moveStepText, planMove, refusalText } from '@hawser/bind';
import { type CommandDescription, ConfigError, type Flag, choice, helpOf, parseFlags } from '@hawser/config';

import { type ConsumerCommand, consumerFlags, readTimeout, withConsumer } from './consumer-command.js';
import { objectNamed } from './named-object.js';
import { type Output, document, outputs } from './output.js';
import type { Task, Terminal } from './task.js';

const ABOUT = `Moves an object of core.kbind.io from the provider of one Connection to that of another. First the bindings must lead there: change labels, selectors or bindings. The konnector then prepares a copy at the new provider; the old one serves until the new copy is ready. After that the new one serves, and the konnector deletes the old copy, if its marks prove that it is its own. The annotation core.kbind.io/deletion-policy: Orphan on the object keeps it.

It can be stopped at any time: the old provider serves until the new one has taken over. The same command goes on from there, and --undo deletes the prepared copy.

Exit codes: 0 moved, 1 refused or not over in time, 2 wrong usage.`;

const flags: readonly Flag[] = [
  { name: 'to', kind: 'string', help: 'name of the Connection to which the object moves' },
  {
    name: 'resource',
    kind: 'string',
    help: 'PLURAL.GROUP of the object; needed only if several bound APIs have one of that name',
  },
  { name: 'undo', kind: 'boolean', help: 'stop a move that is not over: delete the copy that was prepared' },
  ...consumerFlags.filter(({ name }) => ['kubeconfig', 'context', 'help'].includes(name)),
  { name: 'yes', short: 'y', kind: 'boolean', help: 'do not ask' },
  { name: 'dry-run', kind: 'boolean', help: 'print what would be done, and write nothing anywhere' },
  { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
  {
    name: 'timeout',
    kind: 'string',
    help: 'how long the new copy may take to be ready, and the old one to go',
    default: '5m',
  },
];

/** Help text. */
export const moveCommand: CommandDescription = {
  name: 'move',
  about: ABOUT,
  usage: ['hawser move NAMESPACE/NAME --to CONNECTION [flags]', 'hawser move NAME --to CONNECTION [flags]'],
  examples: [
    { purpose: 'what would be done?', line: 'hawser move team-a/orders --to europe --dry-run' },
    { purpose: 'move it, without a question', line: 'hawser move team-a/orders --to europe --yes' },
    { purpose: 'stop a move that is not over', line: 'hawser move team-a/orders --to europe --undo' },
  ],
  flags,
};

interface Moving {
  readonly wish: MoveWish;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly output: Output;
  readonly timeoutMs: number;
}

/** Reads the flags of `hawser move`. @throws ConfigError */
export function readMove(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  const {
    values,
    positional: [name, surplus],
  } = parsed;
  if (values.get('help') === 'true') return helpOf(moveCommand);
  if (name === undefined) throw new ConfigError('move needs NAMESPACE/NAME; see hawser move --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const to = values.get('to') ?? '';
  if (to === '') throw new ConfigError('move needs --to CONNECTION; see hawser move --help');
  const given = (flag: string): boolean => values.get(flag) === 'true';
  // The namespace only has to be a valid one: a name without a namespace is that of a cluster-scoped object.
  const key = name.includes('/') ? objectNamed(name, '') : objectNamed(name, undefined);
  const moving: Moving = {
    wish: { key, to, api: values.get('resource'), undo: given('undo') },
    yes: given('yes'),
    dryRun: given('dry-run'),
    output: choice(parsed, 'output', outputs),
    timeoutMs: readTimeout(parsed),
  };
  return (terminal) => withConsumer(parsed, terminal, (command) => move(command, terminal, moving), 'kube-bind');
}

async function move(
  { client: consumer, context: { clock } }: ConsumerCommand,
  terminal: Terminal,
  moving: Moving,
): Promise<number> {
  const { out, err, signal } = terminal;
  const { wish, yes, dryRun, output, timeoutMs } = moving;
  const plan = await planMove(consumer, wish, signal);
  const lines = plan.steps.map(moveStepText);
  for (const refusal of plan.refusals) err(refusalText(refusal));
  const title = plan.target?.title;
  if (dryRun) {
    const text = lines.map((line) => `  ${line}`).join('\n');
    if (output !== 'table') out(document({ object: title, steps: lines, refusals: plan.refusals }, output));
    else out(lines.length === 0 ? 'Nothing would be done.' : `This would be done to ${title ?? ''}:\n${text}`);
    return plan.refusals.length === 0 ? 0 : 1;
  }
  if (plan.refusals.length > 0) {
    if (output !== 'table') out(document({ object: title, result: 'refused', refusals: plan.refusals }, output));
    return 1;
  }
  if (deletes(plan) && !yes && !(await confirmed(terminal, title ?? '', lines))) return 1;
  const print = output === 'table' ? out : err;
  const result = await moveObject({ consumer, clock, print, timeoutMs, signal }, wish, plan);
  switch (result.kind) {
    case 'done':
      print(wish.undo ? `${title ?? ''} stays where it is.` : `${title ?? ''} is served at Connection ${wish.to}.`);
      break;
    case 'refused':
      err(refusalText(result.refusal));
      break;
    case 'waiting':
      err(`Gave up waiting for ${result.what}. The same command goes on from there.`);
  }
  if (output !== 'table') out(document({ object: title, result: result.kind }, output));
  return result.kind === 'done' ? 0 : 1;
}

/** An undo deletes only what a move has made. */
function deletes({ steps }: MovePlan): boolean {
  return steps.some(({ kind }) => kind === 'switch');
}

async function confirmed({ ask, err }: Terminal, title: string, lines: readonly string[]): Promise<boolean> {
  err(lines.map((line) => `  ${line}`).join('\n'));
  const answer = await ask(`This deletes the copy at the old provider. Type "${title}" to go on: `);
  if (answer?.trim() === title) return true;
  err(answer === undefined ? 'Nobody can be asked here: give --yes to go on. Nothing was done.' : 'Nothing was done.');
  return false;
}
