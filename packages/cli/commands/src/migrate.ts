import {
  type Generation,
  type MigrateOptions,
  type MigrationSides,
  type MigrationWish,
  isBeating,
  migrate,
  migrationStepText,
  observeMigration,
  planMigration,
  refusalText,
  stepText,
} from '@hawser/bind';
import { type Client, getIfExists, listAll } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type CommandDescription, ConfigError, type Flag, choice, helpOf, parseFlags } from '@hawser/config';
import { type APIServiceBinding, type ClusterBinding, type Secret, fixedNames, resources } from '@hawser/kube-bind';
import { readLease } from '@hawser/unbinding';

import { connectionWithout, portable, withProvider } from './bind.js';
import { providerOf } from './binding-provider.js';
import { type ConsumerCommand, consumerFlags, readTimeout, withConsumer } from './consumer-command.js';
import type { Task, Terminal } from './task.js';

const ABOUT = `Moves bindings of kube-bind.io to core.kbind.io in place, or back: objects, copies and CRDs stay what they are. Prints what is to be done, and asks before it does it.
Each step can be repeated. After a failure the same command goes on, and the other --to goes back. Only copies that lie under the names and namespaces of their objects can be moved. Claims on Secrets and ConfigMaps, by labels or by names without a namespace, become related resources; a binding with any other claim is refused.

Exit codes: 0 moved or nothing to do, 1 refused or not done in time, 2 wrong usage.`;

const flags: readonly Flag[] = [
  { name: 'to', kind: 'string', help: 'v2 (core.kbind.io), or v1 (kube-bind.io)' },
  {
    name: 'provider-kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the provider for the Connection; empty: that of the binding, whose rights may not suffice',
  },
  { name: 'provider-context', kind: 'string', help: 'context of that kubeconfig' },
  { name: 'connection', kind: 'string', help: 'name of the Connection; empty: as hawser bind has it' },
  ...consumerFlags.filter(({ name }) => name !== 'dialect'),
  { name: 'yes', short: 'y', kind: 'boolean', help: 'do not ask' },
  { name: 'dry-run', kind: 'boolean', help: 'print what would be done, and write nothing anywhere' },
  { name: 'timeout', kind: 'string', help: 'how long each wait may take', default: '5m' },
];

/** Help text. */
export const migrateCommand: CommandDescription = {
  name: 'migrate',
  about: ABOUT,
  usage: ['hawser migrate [NAME] --to v2|v1 [flags]'],
  examples: [
    { purpose: 'which bindings can be moved to core.kbind.io, and how?', line: 'hawser migrate --to v2 --dry-run' },
    {
      purpose: 'move one, with a kubeconfig that has the rights for core.kbind.io',
      line: 'hawser migrate zones --to v2 --provider-kubeconfig provider.kubeconfig',
    },
    { purpose: 'and back', line: 'hawser migrate zones --to v1' },
  ],
  flags,
};

interface Asked {
  readonly name: string | undefined;
  readonly to: Generation;
  readonly file: string;
  readonly context: string | undefined;
  readonly connection: string | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** Reads the flags of `hawser migrate`. */
export function readMigrate(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  const {
    values,
    positional: [name, surplus],
  } = parsed;
  if (values.get('help') === 'true') return helpOf(migrateCommand);
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  if (!values.has('to')) throw new ConfigError('migrate needs --to v2 or --to v1; see hawser migrate --help');
  const asked: Asked = {
    name,
    to: choice(parsed, 'to', ['v1', 'v2'] as const),
    file: values.get('provider-kubeconfig') ?? '',
    context: values.get('provider-context'),
    connection: values.get('connection'),
    yes: values.get('yes') === 'true',
    dryRun: values.get('dry-run') === 'true',
    timeoutMs: readTimeout(parsed),
  };
  return (terminal) => withConsumer(parsed, terminal, (command) => migrateAll(command, terminal, asked), 'kube-bind');
}

/** Migrates one after the other; a refused one holds up no other. */
async function migrateAll(command: ConsumerCommand, terminal: Terminal, asked: Asked): Promise<number> {
  const { signal } = terminal;
  const names =
    asked.name === undefined
      ? (await listAll<APIServiceBinding>(command.client, resources.apiServiceBindings, { signal })).map(
          ({ metadata }) => metadata.name,
        )
      : [asked.name];
  if (names.length === 0) terminal.out('There is no APIServiceBinding.');
  let code = 0;
  for (const name of names) code = Math.max(code, await migrateOne(command, terminal, { ...asked, name }));
  return code;
}

async function migrateOne(
  command: ConsumerCommand,
  terminal: Terminal,
  asked: Asked & { readonly name: string },
): Promise<number> {
  const { name, to, connection } = asked;
  const { client: consumer } = command;
  const { signal } = terminal;
  const { provider, unreachable, clusterNamespace } = await providerOf(command, name, signal);
  if (provider === undefined || clusterNamespace === undefined) {
    terminal.err(`${name}: the provider cannot be reached: ${unreachable ?? 'its kubeconfig names no namespace'}.`);
    return 1;
  }
  try {
    const kubeconfig =
      asked.file === ''
        ? await kubeconfigOf(consumer, name, signal)
        : await portable(asked.file, asked.context, terminal);
    const origin = asked.file === '' ? `the kubeconfig of ${name}` : asked.file;
    return await withProvider(connectionWithout(kubeconfig, origin), (connected) =>
      carryOut(
        command,
        terminal,
        { ...asked, sides: { consumer, provider, clusterNamespace, connected, signal } },
        { name, to, kubeconfig, connection },
      ),
    );
  } finally {
    await provider.close();
  }
}

interface Work extends Asked {
  readonly sides: MigrationSides;
}

async function carryOut(
  { client, lease, context: { clock } }: ConsumerCommand,
  { out, err, ask, signal }: Terminal,
  { sides, dryRun, yes, timeoutMs }: Work,
  wish: MigrationWish,
): Promise<number> {
  const { name, to } = wish;
  const observed = await observeMigration(sides, wish);
  const plan = planMigration(wish, observed);
  for (const refusal of plan.refusals) err(`${name}: ${refusalText(refusal)}`);
  if (plan.refusals.length > 0) return 1;
  if (plan.steps.length === 0) {
    out(`${name}: nothing is to be done.`);
    return 0;
  }
  const lines = plan.steps.map((step) => `  ${migrationStepText(step, stepText)}`);
  out(`${name}: ${dryRun ? 'this would be done' : 'this is to be done'}:\n${lines.join('\n')}`);
  for (const remark of plan.remarks) out(remark);
  if (dryRun) return 0;
  if (!yes) {
    const answer = await ask(`Type "${name}" to go on: `);
    if (answer?.trim() !== name) {
      err(
        answer === undefined ? 'Nobody can be asked here: give --yes to go on. Nothing was done.' : 'Nothing was done.',
      );
      return 1;
    }
  }
  const options: MigrateOptions = {
    ...sides,
    clock,
    print: out,
    timeoutMs,
    konnectorRuns: async () =>
      (await readLease(client, lease, clock, signal))?.holder !== undefined || (await beats(sides, clock)),
  };
  const result = await migrate(options, observed, plan);
  if (result.kind === 'waiting') {
    err(
      `${name}: gave up waiting for ${result.what}. The same command goes on from there; --to ${to === 'v2' ? 'v1' : 'v2'} goes back.`,
    );
    return 1;
  }
  out(`${name} is served by ${to === 'v2' ? 'core.kbind.io' : 'kube-bind.io'}.`);
  return 0;
}

/** A konnector with a Lease of another name shows the provider by its heartbeat that it works. */
async function beats({ provider, clusterNamespace, signal }: MigrationSides, clock: Clock): Promise<boolean> {
  const key = { namespace: clusterNamespace, name: fixedNames.clusterBinding };
  const found = await getIfExists<ClusterBinding>(provider, resources.clusterBindings, key, { signal });
  return found !== undefined && isBeating(found, clock.now());
}

/**
 * The kubeconfig of the Secret that an APIServiceBinding names. @throws ApiError, or ConfigError if it does not exist
 */
async function kubeconfigOf(consumer: Client, name: string, signal: AbortSignal): Promise<string> {
  const { spec } = await consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name }, { signal });
  const ref = spec?.kubeconfigSecretRef;
  if (ref === undefined) throw new ConfigError(`APIServiceBinding ${name} names no Secret`);
  const key = { namespace: ref.namespace, name: ref.name };
  const { data } = await consumer.get<Secret>(resources.secrets, key, { signal });
  return Buffer.from(data?.[ref.key] ?? '', 'base64').toString('utf8');
}
