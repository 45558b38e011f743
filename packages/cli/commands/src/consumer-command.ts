import { type Client, type KubeObject, isNotFound } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Dialect, fixedNames as kubeBindNames, parseDuration, resources } from '@hawser/kube-bind';
import { createLogger, noMetrics } from '@hawser/telemetry';
import type { ConsumerTerms, LeaseName } from '@hawser/unbinding';

import { clientOf } from './client-of.js';
import {
  type CommandDescription,
  helpOf,
  type Config,
  ConfigError,
  parseConfig,
  type Flag,
  type ParsedFlags,
  parseFlags,
  helpFlag,
} from '@hawser/config';
import type { KonnectorDialect } from './konnector-dialect.js';
import { ownConnection } from './own-connection.js';
import type { ProcessContext } from './process-context.js';
import { reportedVersion } from './version.js';
import { askedDialect, consumerDialect, dialectFlag } from './consumer-dialect.js';
import type { Terminal } from './task.js';

/** Flags of every command that works on a consumer. */
export const consumerFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the consumer; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  { name: 'lease-name', kind: 'string', help: "name of the konnector's Lease; empty: that of the dialect" },
  {
    name: 'lease-namespace',
    kind: 'string',
    help: `namespace of the konnector; empty: where its Lease is, of that of the dialect and ${kubeBindNames.konnectorLeaseFallbackNamespace}`,
  },
  dialectFlag,
  helpFlag,
];

/** The consumer, while a command runs. */
export interface ConsumerCommand {
  /** Client that speaks kube-bind's terms, whatever the consumer speaks. */
  readonly client: Client;
  readonly spoken: KonnectorDialect;
  /** Terms of a konnector on the consumer. */
  readonly terms: ConsumerTerms;
  readonly lease: LeaseName;
  readonly context: ProcessContext;
  /** Settings as `hawser run` would have them with these flags. */
  readonly konnector: Config['konnector'];
  /** `lease.namespace/lease.name` */
  readonly leaseName: string;
}

/** The flags of a command, or its help. @throws ConfigError for other arguments */
export function readCommandFlags(description: CommandDescription, args: readonly string[]): ParsedFlags | string {
  const parsed = parseFlags(args, description.flags);
  if (parsed.values.get('help') === 'true') return helpOf(description);
  if (parsed.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${parsed.positional[0]}`);
  return parsed;
}

/**
 * The flag `timeout`, in milliseconds; `otherwise` if absent. @throws ConfigError unless it is a duration longer than
 * zero
 */
export function readTimeout({ values }: ParsedFlags, otherwise = '5m'): number {
  const text = values.get('timeout') ?? otherwise;
  const timeoutMs = parseDuration(text);
  if (timeoutMs === undefined || !(timeoutMs > 0))
    throw new ConfigError(`--timeout: is not a duration longer than zero: "${text}"`);
  return timeoutMs;
}

/** Opens the consumer for `work`, and closes it afterwards. `meant`: the dialect, if already known. */
export async function withConsumer(
  parsed: ParsedFlags,
  terminal: Terminal,
  work: (command: ConsumerCommand) => Promise<number>,
  meant?: Dialect['name'],
): Promise<number> {
  const { values } = parsed;
  const { env, signal } = terminal;
  const context: ProcessContext = {
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ level: 'error', format: 'text' }),
    metrics: noMetrics,
    version: reportedVersion(),
    env,
  };
  const access = { kubeconfig: values.get('kubeconfig') ?? '', context: values.get('context') ?? '' };
  const client = clientOf('consumer', await ownConnection(access, context), 'konnector', context);
  try {
    const spoken = await consumerDialect(
      client,
      { asked: meant ?? askedDialect(parsed), konnector: parseConfig({}, 'flags').konnector },
      terminal,
    );
    const { name: dialect, names } = spoken.dialect;
    const name = values.get('lease-name') ?? names.konnectorLease;
    const lease = {
      name,
      namespace:
        values.get('lease-namespace') ??
        (await leaseNamespace(
          client,
          [names.konnectorNamespace, kubeBindNames.konnectorLeaseFallbackNamespace],
          name,
          signal,
        )),
    };
    const { konnector } = parseConfig({ roles: ['konnector'], konnector: { ...access, lease, dialect } }, 'flags');
    return await work({
      client: spoken.speaking(client),
      spoken,
      terms: { ...spoken, marks: spoken.claims.marks },
      lease,
      context,
      konnector,
      leaseName: `${lease.namespace}/${lease.name}`,
    });
  } finally {
    await client.close();
  }
}

/** The first of `namespaces` with the Lease; the very first if none has it. */
async function leaseNamespace(
  client: Client,
  namespaces: readonly [string, ...string[]],
  name: string,
  signal: AbortSignal,
): Promise<string> {
  for (const namespace of namespaces) {
    try {
      await client.get<KubeObject>(resources.leases, { namespace, name }, { signal });
      return namespace;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return namespaces[0];
}
