import {
  type UnbindPlan,
  type UnbindWish,
  findCoreKbindBinding,
  planUnbinding,
  refusalText,
  unbind,
  unbindStepText,
} from '@hawser/bind';
import { type Client, isForbidden } from '@hawser/client';
import { type APIServiceBinding, resources } from '@hawser/kube-bind';

import { type CommandDescription, helpOf, ConfigError, type Flag, choice, parseFlags } from '@hawser/config';
import { list } from '@hawser/preview';
import { providerOf } from './binding-provider.js';
import { askedAnyDialect, bindingDialectFlag } from './consumer-dialect.js';
import { type CoreKbindUnbinding, unbindCoreKbindBinding } from './unbind-core-kbind.js';
import { type ConsumerCommand, consumerFlags, readTimeout, withConsumer } from './consumer-command.js';
import { document, outputs } from './output.js';
import type { Task, Terminal } from './task.js';

const ABOUT = `Lets go of a binding: deletes the APIServiceBinding under its unbind policy, waits until it is gone, and takes back the request on the provider. Deletes nothing
else on the provider, unless the policy is Delete.

Exit codes: 0 unbound, 1 refused or not gone in time, 2 wrong usage.`;

const flags: readonly Flag[] = [
  {
    name: 'policy',
    kind: 'string',
    help: 'Orphan, Delete or Block; empty: what the annotation hawser.dev/unbind-policy of the binding says',
  },
  { name: 'keep-request', kind: 'boolean', help: 'leave the APIServiceExportRequest on the provider' },
  {
    name: 'delete-secret',
    kind: 'boolean',
    help: 'delete the kubeconfig Secret, and in core-kbind its Connection, if no other binding uses it',
  },
  {
    name: 'namespace',
    short: 'n',
    kind: 'string',
    help: 'core-kbind: a Binding of this namespace is meant; empty: a ClusterBinding',
  },
  ...consumerFlags.filter(({ name }) => !name.startsWith('lease') && name !== 'dialect'),
  bindingDialectFlag,
  { name: 'yes', short: 'y', kind: 'boolean', help: 'do not ask, under policy Delete' },
  { name: 'dry-run', kind: 'boolean', help: 'print what would be done, and write nothing anywhere' },
  { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
  { name: 'timeout', kind: 'string', help: 'how long the binding may take to go', default: '5m' },
];

const policies = ['Orphan', 'Delete', 'Block'] as const;

/** Help text. */
export const unbindCommand: CommandDescription = {
  name: 'unbind',
  about: ABOUT,
  usage: ['hawser unbind NAME [flags]'],
  examples: [
    { purpose: 'what would be done, and what would become of the copies?', line: 'hawser unbind databases --dry-run' },
    { purpose: 'delete the objects on both sides, too', line: 'hawser unbind databases --policy Delete' },
    {
      purpose: 'let go of a Binding of core.kbind.io, and keep the copies',
      line: 'hawser unbind databases -n team-a --dialect core-kbind --policy Orphan',
    },
    { purpose: 'and forget the provider', line: 'hawser unbind databases --delete-secret' },
  ],
  flags,
};

/** Reads the flags of `hawser unbind`. */
export function readUnbind(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  const {
    values,
    positional: [name, surplus],
  } = parsed;
  if (values.get('help') === 'true') return helpOf(unbindCommand);
  if (name === undefined) throw new ConfigError('unbind needs the NAME of a binding; see hawser unbind --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const policy = values.has('policy') ? choice(parsed, 'policy', policies) : undefined;
  const output = choice(parsed, 'output', outputs);
  const timeoutMs = readTimeout(parsed);
  const given = (flag: string): boolean => values.get(flag) === 'true';
  const wish: UnbindWish = { name, policy, keepRequest: given('keep-request'), deleteSecret: given('delete-secret') };
  const dialect = askedAnyDialect(parsed);
  const namespace = values.get('namespace');
  if (namespace !== undefined && (dialect === 'kube-bind' || dialect === 'klutch'))
    throw new ConfigError('--namespace: means something only with --dialect=core-kbind');
  const coreKbind: CoreKbindUnbinding = {
    wish: { name, namespace, policy, deleteConnection: wish.deleteSecret },
    dryRun: given('dry-run'),
    yes: given('yes'),
    output,
    timeoutMs,
  };
  const meant = dialect === 'core-kbind' || namespace !== undefined ? 'kube-bind' : undefined;
  const work = async (command: ConsumerCommand, terminal: Terminal): Promise<number> => {
    if (meant !== undefined || (dialect === 'auto' && (await isOfCoreKbind(command, name, terminal.signal))))
      return await unbindCoreKbindBinding(command, terminal, coreKbind);
    return await unbindService(command, terminal, { ...coreKbind, wish });
  };
  return (terminal) => withConsumer(parsed, terminal, (command) => work(command, terminal), meant);
}

/** Whether a ClusterBinding of `core.kbind.io` has this name, and no APIServiceBinding does. */
async function isOfCoreKbind({ client }: ConsumerCommand, name: string, signal: AbortSignal): Promise<boolean> {
  const bindings = await list<APIServiceBinding>(client, resources.apiServiceBindings, { signal });
  if (bindings.kind === 'failed' && bindings.error.code !== 'NotFound') return false;
  if (bindings.kind === 'listed' && bindings.items.some(({ metadata }) => metadata.name === name)) return false;
  try {
    return (await findCoreKbindBinding(client, { name, namespace: undefined }, signal)) !== undefined;
  } catch (error) {
    // A user who may not read them did not make them.
    if (isForbidden(error)) return false;
    throw error;
  }
}

interface ServiceUnbinding extends Omit<CoreKbindUnbinding, 'wish'> {
  readonly wish: UnbindWish;
}

async function unbindService(
  command: ConsumerCommand,
  terminal: Terminal,
  { wish, dryRun, yes, output, timeoutMs }: ServiceUnbinding,
): Promise<number> {
  const { name } = wish;
  const { provider, unreachable, clusterNamespace } = await providerOf(command, name, terminal.signal);
  const print = output === 'table' ? terminal.out : terminal.err;
  try {
    const sides = { consumer: command.client, provider, unreachable, clusterNamespace, signal: terminal.signal };
    const plan = await planUnbinding(sides, wish);
    for (const refusal of plan.refusals) terminal.err(refusalText(refusal));
    for (const remark of plan.remarks) terminal.err(remark);
    const lines = plan.steps.map(unbindStepText);
    if (dryRun) {
      terminal.out(
        output === 'table'
          ? lines.length === 0
            ? 'Nothing would be done.'
            : `This would be done:\n${lines.map((line) => `  ${line}`).join('\n')}`
          : document({ name, steps: lines, remarks: plan.remarks, refusals: plan.refusals }, output),
      );
      return plan.refusals.length === 0 ? 0 : 1;
    }
    if (plan.refusals.length > 0) {
      if (output !== 'table') terminal.out(document({ name, result: 'refused', refusals: plan.refusals }, output));
      return 1;
    }
    if (!(yes || (await confirmed(terminal, name, plan)))) return 1;
    return await carryOut(command, terminal, plan, { ...sides, name, timeoutMs, print, output });
  } finally {
    await provider?.close();
  }
}

interface Settings {
  readonly provider: Client | undefined;
  readonly name: string;
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
  readonly output: (typeof outputs)[number];
}

async function carryOut(
  { client: consumer, context: { clock } }: ConsumerCommand,
  { err, out, signal }: Terminal,
  plan: UnbindPlan,
  { provider, name, timeoutMs, print, output }: Settings,
): Promise<number> {
  const result = await unbind({ consumer, provider, clock, print, timeoutMs, signal }, plan);
  if (result.kind === 'waiting') err(`Gave up waiting for ${result.what}. The same command goes on from there.`);
  else print(`${name} is unbound.`);
  if (output !== 'table') out(document({ name, result: result.kind }, output));
  return result.kind === 'unbound' ? 0 : 1;
}

/** Asks only before it deletes data of people. */
async function confirmed({ ask, err }: Terminal, name: string, { steps }: UnbindPlan): Promise<boolean> {
  // A binding already in deletion under another policy counts as well.
  if (!steps.some((step) => (step.kind === 'deleteBinding' || step.kind === 'setPolicy') && step.policy === 'Delete'))
    return true;
  const answer = await ask(`This deletes every object of ${name} on both sides. Type "${name}" to go on: `);
  if (answer?.trim() === name) return true;
  err(answer === undefined ? 'Nobody can be asked here: give --yes to go on. Nothing was done.' : 'Nothing was done.');
  return false;
}
