import { type ConsumerState, consumerStates, readConsumers, spokenIn } from '@hawser/consumer-states';
import { type BindingReport, consumerOf, explain } from '@hawser/konnector-explain';
import type { Client } from '@hawser/client';
import { type Dialect, kubeBindDialect } from '@hawser/kube-bind';
import { type Paint, type Tone, plain, toneOf } from '@hawser/preview';

import { type CommandDescription, ConfigError, type Flag, choice } from '@hawser/config';
import { askedAnyDialect, askedDialect } from './consumer-dialect.js';
import { explainFlags, explaining, onCluster, readExplainFlags } from './explain-command.js';
import { type Output, ago, document, noColorFlag, outputs, paintOf, table } from './output.js';
import { inEachDialect } from './provider-dialects.js';
import type { Task, Terminal } from './task.js';
import { reportedVersion } from './version.js';

const ABOUT = `Lists what is bound: on a consumer its bindings, with the provider, the last contact and the objects in step; with --side=provider its consumers, the worst first, with their state,
the last contact, bindings and held schema changes, of every dialect that the provider has. The pages of the portal and its /api/consumers tell the same.`;

const flags: readonly Flag[] = [
  ...explainFlags,
  {
    name: 'side',
    kind: 'string',
    help: 'consumer, or provider: then --kubeconfig is that of the provider',
    default: 'consumer',
  },
  { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
  noColorFlag,
];

/** Help text. */
export const bindingsCommand: CommandDescription = {
  name: 'bindings',
  about: ABOUT,
  usage: ['hawser bindings [flags]'],
  examples: [
    { purpose: 'what is bound on this consumer, and is it in step?', line: 'hawser bindings' },
    { purpose: 'who uses this provider?', line: 'hawser bindings --side=provider --kubeconfig provider.kubeconfig' },
    { purpose: 'the same for a program', line: 'hawser bindings -o json' },
  ],
  flags,
};

/** Reads the flags of `hawser bindings`. */
export function readBindings(args: readonly string[]): Task | string {
  const parsed = readExplainFlags(bindingsCommand, 0, args);
  if (typeof parsed === 'string') return parsed;
  const side = choice(parsed, 'side', ['consumer', 'provider']);
  const output = choice(parsed, 'output', outputs);
  if (side === 'provider' && parsed.values.has('provider-kubeconfig'))
    throw new ConfigError('--side=provider: the provider is the cluster of --kubeconfig');
  if (side === 'provider' && askedAnyDialect(parsed) === 'core-kbind')
    throw new ConfigError('--dialect=core-kbind: a provider knows nothing of its consumers there but their Leases');
  return (terminal) =>
    side === 'provider'
      ? onCluster(parsed, terminal, async (client) => {
          const { found: consumers, isComplete } = await inEachDialect(askedDialect(parsed), {
            client,
            read: (dialect) => consumersIn(client, dialect, terminal),
            print: terminal.err,
            signal: terminal.signal,
          });
          terminal.out(
            output === 'table'
              ? consumersTable(consumers, Date.now(), paintOf(parsed, terminal))
              : document({ consumers }, output),
          );
          return isComplete &&
            consumers.every(
              ({ health, heldSchemas }) => (health === 'works' || health === 'ended') && heldSchemas.length === 0,
            )
            ? 0
            : 1;
        })
      : explaining(parsed, terminal, async ({ context, binding }) => {
          const reports = await explain(context, { dryRun: false, binding, objects: 'all' });
          terminal.out(shown(reports, context.now(), output, paintOf(parsed, terminal)));
          return reports.every(({ standing }) => standing === 'inStep') ? 0 : 1;
        });
}

/** Text of `hawser bindings` for a consumer. */
export function shown(reports: readonly BindingReport[], nowMs: number, output: Output, paint: Paint = plain): string {
  const rows = reports.map((report) => ({ ...report, ...counts(report) }));
  if (output !== 'table') {
    return document(
      {
        bindings: rows.map(({ kind, name, standing, connection, secret, resources, inStep, objects, findings }) => ({
          kind,
          name,
          standing,
          secret,
          provider: connection,
          resources: resources.map((resource) => ({ name: resource.name, version: resource.version })),
          objects: { inStep, total: objects },
          findings,
        })),
      },
      output,
    );
  }
  if (rows.length === 0) return 'No API is bound.';
  // Without a working kubeconfig, hawser cannot ask the provider; the konnector may continue with the former one.
  const isMixed = rows.some(({ kind }) => kind !== 'APIServiceBinding');
  return table(
    [...(isMixed ? ['KIND'] : []), 'NAME', 'STANDING', 'PROVIDER', 'LAST CONTACT', 'RESOURCES', 'IN STEP', 'WHY'],
    rows.map(({ kind, name, standing, connection, resources, claimed, inStep, objects, findings }) => [
      ...(isMixed ? [kind] : []),
      name,
      { text: standing, tone: toneOf(standing) },
      connection === undefined ? '-' : providerOf(connection),
      isUnknown(connection) ? 'unknown' : ago(connection?.lastHeartbeat, nowMs),
      resources.map((resource) => resource.name).join(',') || '-',
      kind === 'Connection' ? '-' : isUnasked(connection) ? 'unknown' : `${inStep}/${objects}`,
      findings[0]?.reason ?? reasonBelow([...resources, ...claimed]),
    ]),
    paint,
  );
}

function providerOf(connection: NonNullable<BindingReport['connection']>): string {
  return [connection.server, connection.clusterNamespace ?? consumerOf(connection)]
    .filter((text) => text !== '')
    .join(' ');
}

/** Whether its objects could not be read. In `core.kbind.io`, the heartbeat says nothing about that. */
function isUnasked(connection: BindingReport['connection']): boolean {
  return isUnknown(connection) && (connection?.name === undefined || connection.server === '');
}

/** Whether the provider could not be asked. */
function isUnknown(connection: BindingReport['connection']): boolean {
  return connection === undefined || connection.isSilent === true;
}

/** Why the first resource, or the first object, is not in step. */
function reasonBelow(resources: BindingReport['resources']): string {
  const below = resources.flatMap((resource) => [resource, ...resource.objects]);
  return below.find(({ standing, finding }) => standing !== 'inStep' && finding !== undefined)?.finding?.reason ?? '';
}

function counts({ resources, claimed }: BindingReport): { readonly inStep: number; readonly objects: number } {
  const objects = [...resources, ...claimed].flatMap((resource) => resource.objects);
  return { inStep: objects.filter(({ standing }) => standing === 'inStep').length, objects: objects.length };
}

/**
 * The consumers, as operator pages show them. Reports and leaves out what it may not read besides ClusterBindings and
 * exports. @throws {ApiError}
 */
async function consumersIn(
  client: Client,
  dialect: Dialect,
  { err, signal }: Terminal,
): Promise<readonly ConsumerState[]> {
  const found = await readConsumers(client, [spokenIn(dialect, client)], {
    signal,
    leaveOut: (resource) => {
      // A provider of Klutch alone does not serve these, and needs no message about them.
      if (dialect === kubeBindDialect) err(`${resource} may not be listed, so what they say is left out.`);
    },
  });
  return consumerStates(found, { version: reportedVersion(), now: Date.now() });
}

/** Text of `hawser bindings --side=provider`. */
export function consumersTable(consumers: readonly ConsumerState[], nowMs: number, paint: Paint): string {
  if (consumers.length === 0) return 'There are no consumers.';
  return table(
    ['NAMESPACE', 'DIALECT', 'CONSUMER', 'STATE', 'LAST CONTACT', 'KONNECTOR', 'BINDINGS', 'HELD', 'WHY'],
    consumers.map((consumer) => [
      consumer.namespace,
      consumer.dialect,
      consumer.cluster.prettyName,
      { text: consumer.health, tone: TONES[consumer.health] },
      ago(consumer.lastContact, nowMs),
      consumer.konnectorVersion ?? '-',
      consumer.bindings.map(({ name, health }) => `${name}${health === 'ended' ? ' (ended)' : ''}`).join(',') || '-',
      consumer.heldSchemas.join(',') || '-',
      whyOf(consumer),
    ]),
    paint,
  );
}

const TONES: Readonly<Record<ConsumerState['health'], Tone>> = {
  works: 'good',
  waits: 'warning',
  silent: 'bad',
  stopped: 'bad',
  ended: 'warning',
};

/** The first thing that is stuck or remains. */
function whyOf({ connection, bindings, heldDeletions, left }: ConsumerState): string {
  const steps = [connection, ...bindings.flatMap((binding) => binding.steps)];
  const wrong =
    steps.find(({ state }) => state === 'stopped') ??
    steps.find(({ id, state }) => state === 'current' && id !== 'firstObject');
  if (wrong !== undefined) return [wrong.reason, wrong.message].filter((text) => text !== undefined).join(': ');
  const [held] = heldDeletions;
  return held === undefined ? (left ?? '') : `${held.reason}: ${held.message ?? ''}`;
}
