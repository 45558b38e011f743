import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { ExplainContext } from '@hawser/konnector-explain';
import type { Dialect } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { noMetrics, silentLogger } from '@hawser/telemetry';

import {
  type CommandDescription,
  helpOf,
  readConfigFile,
  type Config,
  ConfigError,
  parseConfig,
  type Flag,
  type ParsedFlags,
  parseFlags,
  helpFlag,
} from '@hawser/config';
import { kubeconfigNamespaces } from './konnector-dialect.js';
import { ownConnection } from './own-connection.js';
import type { ProcessContext } from './process-context.js';
import { reportedVersion } from './version.js';
import {
  type DialectChoice,
  anyDialectFlag,
  askedAnyDialect,
  consumerDialect,
  speaksCoreKbind,
} from './consumer-dialect.js';
import type { Terminal } from './task.js';

/** Flags of every command that looks at both sides. */
export const explainFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the consumer; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  {
    name: 'provider-kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the provider; empty: the one in the Secret of each binding',
  },
  { name: 'provider-context', kind: 'string', help: 'context of the provider kubeconfig' },
  { name: 'binding', kind: 'string', help: 'look only at this binding' },
  {
    name: 'config',
    kind: 'string',
    help: 'config file of the konnector, for its dialect and what it allows providers',
  },
  anyDialectFlag,
  helpFlag,
];

/** The flags of a command, or its help. @throws ConfigError for other arguments */
export function readExplainFlags(
  description: CommandDescription,
  positional: number,
  args: readonly string[],
): ParsedFlags | string {
  const parsed = parseFlags(args, description.flags);
  if (parsed.values.get('help') === 'true')
    return helpOf({
      ...description,
      about: `${description.about}\n\nExit codes: 0 in step, 1 not in step (or it cannot be told), 2 wrong usage. Nothing is written.`,
    });
  const extra = parsed.positional[positional];
  if (extra !== undefined) throw new ConfigError(`unexpected argument: ${extra}`);
  return parsed;
}

/** Inputs of a command. */
export interface Explaining {
  readonly context: ExplainContext & { readonly dialect: Dialect };
  /** The only binding to look at, if named. */
  readonly binding: string | undefined;
  /** Namespace of the consumer's context; `default` if it names none. */
  readonly namespace: string;
}

/** Opens both sides for `work`, and closes them afterwards. The clients speak the dialect of the consumer. */
export async function explaining<T>(
  parsed: ParsedFlags,
  terminal: Terminal,
  work: (explaining: Explaining) => Promise<T>,
): Promise<T> {
  const { values } = parsed;
  const process = commandContext(terminal.env);
  const access = (kubeconfig: string, context: string): Promise<() => ConnectionConfig> =>
    ownConnection({ kubeconfig: values.get(kubeconfig) ?? '', context: values.get(context) ?? '' }, process);
  const clients: Client[] = [];
  const open = (name: 'consumer' | 'provider', connection: ConnectionConfig): Client => {
    const client = createClient({ name, connection, userAgent: `hawser-explain/${process.version}` });
    clients.push(client);
    return client;
  };
  try {
    const own = (await access('kubeconfig', 'context'))();
    const provider =
      values.get('provider-kubeconfig') === undefined
        ? undefined
        : (await access('provider-kubeconfig', 'provider-context'))();
    const consumer = open('consumer', own);
    return await work({
      context: await explainContext(
        {
          consumer,
          open: (connection) => open('provider', connection),
          provider,
          asked: askedAnyDialect(parsed),
          file: values.get('config'),
        },
        terminal,
      ),
      binding: values.get('binding'),
      namespace: own.namespace ?? 'default',
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Parts of {@link explainContext}. */
export interface ExplainParts {
  /** Client in the server's terms. */
  readonly consumer: Client;
  /** Makes a client of a provider. */
  readonly open: (connection: ConnectionConfig) => Client;
  /** Replaces the kubeconfig in the Secret of each binding. */
  readonly provider?: ConnectionConfig | undefined;
  readonly asked: DialectChoice['asked'] | 'core-kbind';
  /** Config file of the konnector. */
  readonly file: string | undefined;
}

/**
 * Both sides as the konnector of a config file would see them, in the dialect of the consumer. @throws ConfigError if
 * the dialect is unclear
 */
export async function explainContext(
  { consumer, open, provider, asked, file }: ExplainParts,
  terminal: Terminal,
): Promise<Explaining['context']> {
  const { konnector, dialect } = readKonnector(file);
  const spoken = await consumerDialect(
    consumer,
    { asked: asked === 'core-kbind' ? 'kube-bind' : asked === 'auto' ? (dialect ?? asked) : asked, konnector },
    terminal,
  );
  return {
    consumer: spoken.speaking(consumer),
    connect: (config) => spoken.speaking(open(config)),
    dialect: spoken.dialect,
    adoptsFromProvider: spoken.adoptsFromProvider,
    claims: spoken.claims,
    provider,
    policy: konnector.secretKubeconfigs,
    crds: konnector,
    schemaPolicy: konnector.schemaUpdate,
    migratesStoredVersions: konnector.migrateStoredVersions,
    orphans: konnector.orphans.policy,
    sharesWork: konnector.shards > 1,
    coreKbind: await coreKbindOf(consumer, asked, terminal),
    secretNamespaces: kubeconfigNamespaces(konnector),
    now: () => Date.now(),
    signal: terminal.signal,
  };
}

/** Klutch, whose terms the clients speak, does not serve it. */
async function coreKbindOf(
  consumer: Client,
  asked: ExplainParts['asked'],
  { signal }: Terminal,
): Promise<ExplainContext['coreKbind']> {
  switch (asked) {
    case 'core-kbind':
      return 'only';
    case 'auto':
      return (await speaksCoreKbind(consumer, signal)) ? 'also' : undefined;
    case 'kube-bind':
    case 'klutch':
      return undefined;
  }
}

/** Settings of a config file; `dialect` only if the file gives it. */
function readKonnector(file: string | undefined): {
  readonly konnector: Config['konnector'];
  readonly dialect: Config['konnector']['dialect'] | undefined;
} {
  const input = file === undefined ? {} : readConfigFile(file);
  const { konnector } = parseConfig(input, file ?? 'flags');
  // It has the shape of a config now; absent fields have a default here.
  const { dialect } = (input['konnector'] ?? {}) as { readonly dialect?: Config['konnector']['dialect'] };
  return { konnector, dialect };
}

/** Opens the cluster of `--kubeconfig` for `work`, and closes it afterwards. */
export async function onCluster(
  { values }: ParsedFlags,
  { env }: Terminal,
  work: (client: Client) => Promise<number>,
): Promise<number> {
  const context = commandContext(env);
  const client = createClient({
    name: 'provider',
    connection: await ownConnection(
      { kubeconfig: values.get('kubeconfig') ?? '', context: values.get('context') ?? '' },
      context,
    ),
    userAgent: `hawser-explain/${context.version}`,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Context of a read-only command. */
export function commandContext(env: Terminal['env']): ProcessContext {
  return {
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
    version: reportedVersion(),
    env,
  };
}
