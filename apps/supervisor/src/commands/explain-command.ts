import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { ExplainContext } from '@hawser/konnector-explain';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { noMetrics, silentLogger } from '@hawser/telemetry';

import { readConfigFile } from '../config-file.js';
import { ConfigError, parseConfig } from '../config.js';
import { type Flag, type ParsedFlags, flagHelp, parseFlags } from '../flags.js';
import { ownConnection } from '../own-connection.js';
import type { ProcessContext } from '../process-context.js';
import { reportedVersion } from '../version.js';
import type { Terminal } from './task.js';

/** Flags of every command that looks at both sides. */
export const explainFlags: readonly Flag[] = [
  { name: 'kubeconfig', kind: 'string', help: 'kubeconfig of the consumer; empty: KUBECONFIG, the home file, or the cluster that this runs in' },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  { name: 'provider-kubeconfig', kind: 'string', help: 'kubeconfig of the provider; empty: the one in the Secret of each binding' },
  { name: 'provider-context', kind: 'string', help: 'context of the provider kubeconfig' },
  { name: 'binding', kind: 'string', help: 'look only at this APIServiceBinding' },
  { name: 'config', kind: 'string', help: 'config file of the konnector, for what it allows providers' },
  { name: 'help', short: 'h', kind: 'boolean', help: 'print this and exit' },
];

/** The flags of a command, or its help. @throws ConfigError for anything else */
export function readExplainFlags({ usage, about, flags, positional }: { readonly usage: string; readonly about: string; readonly flags: readonly Flag[]; readonly positional: number }, args: readonly string[]): ParsedFlags | string {
  const parsed = parseFlags(args, flags);
  if (parsed.values.get('help') === 'true') return `${about}\n\nExit codes: 0 in step, 1 not in step (or it cannot be told), 2 wrong usage. Nothing is written.\n\nUsage:\n  hawser ${usage}\n\nFlags:\n${flagHelp(flags)}`;
  const extra = parsed.positional[positional];
  if (extra !== undefined) throw new ConfigError(`unexpected argument: ${extra}`);
  return parsed;
}

/** The value of a flag that knows only some words. @throws ConfigError */
export function choice<T extends string>({ values }: ParsedFlags, name: string, words: readonly [T, ...T[]]): T {
  const given = values.get(name);
  if (given === undefined) return words[0];
  const known = words.find((word) => word === given);
  if (known === undefined) throw new ConfigError(`--${name}: must be one of ${words.join(', ')}, not "${given}"`);
  return known;
}

/** What a command works with. */
export interface Explaining {
  readonly context: ExplainContext;
  /** The only binding to look at, if one was named. */
  readonly binding: string | undefined;
  /** Of the consumer's context; `default` if it names none. */
  readonly namespace: string;
}

/** Opens both sides for `work`, and closes them afterwards. */
export async function explaining({ values }: ParsedFlags, { env, signal }: Terminal, work: (explaining: Explaining) => Promise<number>): Promise<number> {
  const process: ProcessContext = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: noMetrics, version: reportedVersion(), env };
  const access = (kubeconfig: string, context: string): Promise<() => ConnectionConfig> => ownConnection({ kubeconfig: values.get(kubeconfig) ?? '', context: values.get(context) ?? '' }, process);
  const clients: Client[] = [];
  const open = (name: 'consumer' | 'provider', connection: ConnectionConfig): Client => {
    const client = createClient({ name, connection, userAgent: `hawser-explain/${process.version}` });
    clients.push(client);
    return client;
  };
  try {
    const own = (await access('kubeconfig', 'context'))();
    const provider = values.get('provider-kubeconfig') === undefined ? undefined : (await access('provider-kubeconfig', 'provider-context'))();
    const file = values.get('config');
    const { konnector } = parseConfig(file === undefined ? {} : readConfigFile(file), file ?? 'flags');
    return await work({
      context: { consumer: open('consumer', own), connect: (config) => open('provider', config), provider, policy: konnector.secretKubeconfigs, crds: konnector, schemaPolicy: konnector.schemaUpdate, migratesStoredVersions: konnector.migrateStoredVersions, orphans: konnector.orphans.policy, now: () => Date.now(), signal },
      binding: values.get('binding'),
      namespace: own.namespace ?? 'default',
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}
