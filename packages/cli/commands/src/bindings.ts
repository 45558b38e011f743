import { type Consumer, consumersOf } from '@hawser/bind';
import { type BindingReport, explain } from '@hawser/konnector-explain';
import { type Paint, plain, toneOf } from '@hawser/preview';

import { type CommandDescription, ConfigError, type Flag, choice } from '@hawser/config';
import { askedDialect } from './consumer-dialect.js';
import { explainFlags, explaining, onCluster, readExplainFlags } from './explain-command.js';
import { type Cell, type Output, ago, document, noColorFlag, outputs, paintOf, table } from './output.js';
import { inEachDialect } from './provider-dialects.js';
import type { Task } from './task.js';

const ABOUT = `Lists what is bound: on a consumer its bindings, with the provider, the last contact and the objects in step; with --side=provider its consumers, with their health,
the last contact, exports and held schema changes, of every dialect that the provider has.`;

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

/** What help says of it. */
export const bindingsCommand: CommandDescription = {
  name: 'bindings',
  about: ABOUT,
  usage: ['hawser bindings [flags]'],
  examples: [
    { says: 'what is bound on this consumer, and is it in step?', line: 'hawser bindings' },
    { says: 'who uses this provider?', line: 'hawser bindings --side=provider --kubeconfig provider.kubeconfig' },
    { says: 'the same for a program', line: 'hawser bindings -o json' },
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
  return (terminal) =>
    side === 'provider'
      ? onCluster(parsed, terminal, async (client) => {
          const { found: consumers, isComplete } = await inEachDialect(askedDialect(parsed), {
            client,
            read: (dialect) => consumersOf(client, terminal.signal, dialect),
            tell: terminal.err,
            signal: terminal.signal,
          });
          terminal.out(
            output === 'table'
              ? consumersTable(consumers, Date.now(), paintOf(parsed, terminal))
              : document({ consumers }, output),
          );
          return isComplete &&
            consumers.every(
              ({ healthy, exports }) => healthy !== false && exports.every(({ held }) => held === undefined),
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

/** What `hawser bindings` prints of a consumer. */
export function shown(reports: readonly BindingReport[], nowMs: number, output: Output, paint: Paint = plain): string {
  const rows = reports.map((report) => ({ ...report, ...counts(report) }));
  if (output !== 'table') {
    return document(
      {
        bindings: rows.map(({ name, standing, connection, secret, resources, inStep, objects, findings }) => ({
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
  // Without a kubeconfig that works the provider cannot be asked; the konnector may well go on with the one before.
  return table(
    ['NAME', 'STANDING', 'PROVIDER', 'LAST CONTACT', 'RESOURCES', 'IN STEP', 'WHY'],
    rows.map(({ name, standing, connection, resources, claimed, inStep, objects, findings }) => [
      name,
      { text: standing, tone: toneOf(standing) },
      connection === undefined ? '-' : `${connection.server} ${connection.clusterNamespace}`,
      isUnknown(connection) ? 'unknown' : ago(connection.lastHeartbeat, nowMs),
      resources.map((resource) => resource.name).join(',') || '-',
      isUnknown(connection) ? 'unknown' : `${inStep}/${objects}`,
      findings[0]?.reason ?? reasonBelow([...resources, ...claimed]),
    ]),
    paint,
  );
}

/** Whether the provider could not be asked. */
function isUnknown(connection: BindingReport['connection']): connection is undefined {
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

function consumersTable(consumers: readonly Consumer[], nowMs: number, paint: Paint): string {
  if (consumers.length === 0) return 'There are no consumers.';
  return table(
    ['NAMESPACE', 'DIALECT', 'CONSUMER', 'HEALTHY', 'LAST CONTACT', 'KONNECTOR', 'EXPORTS', 'HELD', 'WHY'],
    consumers.map(
      ({ dialect, clusterNamespace, prettyName, healthy, lastHeartbeat, konnectorVersion, exports, problem, left }) => {
        const held = exports.filter((one) => one.held !== undefined).map(({ name }) => name);
        return [
          clusterNamespace,
          dialect,
          prettyName ?? '-',
          healthCell(healthy),
          ago(lastHeartbeat, nowMs),
          konnectorVersion ?? '-',
          exports.map(({ name, isUnbound }) => `${name}${isUnbound ? ' (unbound)' : ''}`).join(',') || '-',
          held.join(',') || '-',
          problem ?? left ?? '',
        ];
      },
    ),
    paint,
  );
}

function healthCell(healthy: boolean | undefined): Cell {
  if (healthy === undefined) return { text: 'unknown', tone: 'warning' };
  return healthy ? { text: 'yes', tone: 'good' } : { text: 'no', tone: 'bad' };
}
