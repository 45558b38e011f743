import { existsSync } from 'node:fs';

import { type Client, createClient, messageOf } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type ClusterToRead, gatherSupportBundle, isArchive, secretsOf, writeBundle } from '@hawser/support-bundle';

import {
  type Task,
  type Terminal,
  askedDialect,
  commandContext,
  dialectFlag,
  explainContext,
  ownConnection,
  readCommandFlags,
  readTimeout,
  reportedVersion,
} from '@hawser/commands';
import {
  type CommandDescription,
  ConfigError,
  type Flag,
  type ParsedFlags,
  helpFlag,
  listOf,
  readConfigText,
} from '@hawser/config';
import { describedConfig } from '../described-config.js';
import { runCommands } from '../run-commands.js';

const ABOUT = `Gathers what a maintainer needs to look into a problem: objects of Hawser with their conditions, Events, Leases, bound CRDs, counts of objects, the findings of hawser doctor, and
Deployments, Pods, config, logs and metrics of the roles. Which roles a cluster has is found out. Only clusters that a flag names are read; without any, the one of KUBECONFIG.

Nothing secret is taken along: no Secret, no object of a user, no values of variables, of unknown arguments or of foreign labels and annotations. Read it before you send it all the same:
messages and logs are words of other programs. What cannot be read is noted in manifest.json, with the reason.

Exit codes: 0 written, 1 nothing could be written, or a cluster did not answer, 2 wrong usage. Clusters are only read.`;

const clusters = [
  { name: 'consumer', kubeconfig: 'kubeconfig', context: 'context' },
  { name: 'provider', kubeconfig: 'provider-kubeconfig', context: 'provider-context' },
  { name: 'service', kubeconfig: 'service-kubeconfig', context: 'service-context' },
  { name: 'kcp', kubeconfig: 'kcp-kubeconfig', context: 'kcp-context' },
] as const;

const flags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the consumer, or of any cluster; empty, and no other cluster is named: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  { name: 'provider-kubeconfig', kind: 'string', help: 'kubeconfig of the provider' },
  { name: 'provider-context', kind: 'string', help: 'context of the provider kubeconfig' },
  { name: 'service-kubeconfig', kind: 'string', help: 'kubeconfig of the service cluster of an agent' },
  { name: 'service-context', kind: 'string', help: 'context of the service kubeconfig' },
  {
    name: 'kcp-kubeconfig',
    kind: 'string',
    help: 'kubeconfig of kcp; its server is the workspace of the endpoint slice',
  },
  { name: 'kcp-context', kind: 'string', help: 'context of the kcp kubeconfig' },
  {
    name: 'namespace',
    short: 'n',
    kind: 'string',
    repeatable: true,
    help: 'further namespace in which a role runs, or of a consumer; read on its own where the whole cluster may not be listed',
  },
  {
    name: 'config',
    kind: 'string',
    help: 'config file of a role: its effective values go into the bundle, without secrets; and hawser doctor goes by it',
  },
  dialectFlag,
  {
    name: 'output',
    short: 'o',
    kind: 'string',
    help: 'archive to write, NAME.tar.gz, or a folder; it must not be there (default hawser-support-TIME.tar.gz)',
  },
  { name: 'log-lines', kind: 'string', help: 'last lines of each log; 0: no logs', default: '2000' },
  { name: 'max-size', kind: 'string', help: 'of all files together, before they are compressed', default: '64Mi' },
  { name: 'timeout', kind: 'string', help: 'of each read; hawser doctor has ten times as long', default: '15s' },
  helpFlag,
];

/** Help text of the command. */
export const supportBundleCommand: CommandDescription = {
  name: 'support-bundle',
  about: ABOUT,
  usage: ['hawser support-bundle [flags]'],
  examples: [
    { purpose: 'of a consumer', line: 'hawser support-bundle --kubeconfig consumer.kubeconfig' },
    {
      purpose: 'of both sides, into a folder that you read first',
      line: 'hawser support-bundle --kubeconfig consumer.kubeconfig --provider-kubeconfig provider.kubeconfig -o bundle',
    },
    {
      purpose: 'of an agent of kcp',
      line: 'hawser support-bundle --service-kubeconfig service.kubeconfig --kcp-kubeconfig kcp.kubeconfig',
    },
  ],
  flags,
};

/** Flags whose values may appear in a bundle. */
const knownFlags: ReadonlySet<string> = new Set(
  runCommands.flatMap(({ flags: known }) => known.map(({ name }) => name)),
);

/** Reads the flags of `hawser support-bundle`. @throws ConfigError */
export function readSupportBundle(args: readonly string[], version: string): Task | string {
  const parsed = readCommandFlags(supportBundleCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const bounds = {
    logLines: readCount(values.get('log-lines') ?? '2000'),
    maxBytes: readSize(values.get('max-size') ?? '64Mi'),
    timeoutMs: readTimeout(parsed, '15s'),
  };
  askedDialect(parsed);
  return (terminal) => run(parsed, { ...bounds, version }, terminal);
}

interface Bounds {
  readonly logLines: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly version: string;
}

async function run(parsed: ParsedFlags, { version, ...bounds }: Bounds, terminal: Terminal): Promise<number> {
  const { values } = parsed;
  const file = values.get('config');
  const config = file === undefined ? undefined : describedConfig(readConfigText(file));
  const nowMs = Date.now();
  const root = `hawser-support-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '')}Z`;
  const output = values.get('output') ?? `${root}.tar.gz`;
  // Checked before anything is read.
  if (existsSync(output)) {
    terminal.err(`${output} is there already. Name another file or folder with --output.`);
    return 1;
  }
  const opened: Client[] = [];
  const open = (name: string, connection: ConnectionConfig): Client => {
    const client = createClient({
      name,
      connection,
      userAgent: `hawser-support-bundle/${reportedVersion()}`,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    opened.push(client);
    return client;
  };
  try {
    const read = await clustersOf(parsed, open, terminal);
    const bundle = await gatherSupportBundle({
      ...bounds,
      clusters: read,
      version,
      flags: [...values.keys()],
      config,
      knownFlags,
      describeConfig: describedConfig,
      doctorTimeoutMs: 10 * bounds.timeoutMs,
      progress: terminal.err,
      nowMs,
      signal: terminal.signal,
    });
    try {
      await writeBundle({ files: bundle.files, output, root, nowMs });
    } catch (error) {
      terminal.err(`${output} cannot be written: ${messageOf(error)}`);
      return 1;
    }
    if (bundle.unread > 0) terminal.err(`${bundle.unread} reads failed: see unread in manifest.json.`);
    if (bundle.dropped > 0)
      terminal.err(`${bundle.dropped} files had no place: see dropped in manifest.json, and --max-size.`);
    terminal.err(
      `Read it before you send it${isArchive(output) ? `: tar -xzf ${output}` : ''}. README.txt says what is where.`,
    );
    terminal.out(output);
    return bundle.reached.length === read.length ? 0 : 1;
  } finally {
    await Promise.all(opened.map((client) => client.close()));
  }
}

/** Limit for one page or one schema. */
const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

async function clustersOf(
  parsed: ParsedFlags,
  open: (name: string, connection: ConnectionConfig) => Client,
  terminal: Terminal,
): Promise<readonly ClusterToRead[]> {
  const { values } = parsed;
  const named = clusters.filter(({ kubeconfig, context }) => values.has(kubeconfig) || values.has(context));
  const found: ClusterToRead[] = [];
  for (const { name, kubeconfig, context } of named.length === 0 ? clusters.slice(0, 1) : named) {
    const connection = (
      await ownConnection(
        { kubeconfig: values.get(kubeconfig) ?? '', context: values.get(context) ?? '' },
        commandContext(terminal.env),
      )
    )();
    const client = open(name, connection);
    found.push({
      name,
      server: connection.server,
      client,
      namespaces: [
        ...new Set([
          ...(connection.namespace === undefined ? [] : [connection.namespace]),
          ...listOf(values.get('namespace') ?? ''),
        ]),
      ],
      secrets: secretsOf(connection),
      consumerContext: (signal) =>
        explainContext(
          {
            consumer: client,
            open: (provider) => open('provider', provider),
            asked: askedDialect(parsed),
            file: values.get('config'),
          },
          { ...terminal, signal },
        ),
    });
  }
  return found;
}

function readCount(text: string): number {
  if (!/^\d{1,7}$/u.test(text)) throw new ConfigError(`--log-lines: must be a number, not "${text}"`);
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 1_024, Mi: 1_024 ** 2, Gi: 1_024 ** 3 };

function readSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(Ki|Mi|Gi)?$/u.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit] ?? 0);
  if (!(bytes >= 1_024 ** 2 && bytes <= 1_024 ** 3))
    throw new ConfigError(`--max-size: must be from 1Mi to 1Gi, not "${text}"`);
  return bytes;
}
