import type { Client } from '@hawser/client';
import { type APIServiceBinding, resources } from '@hawser/kube-bind';
import { type SchemaStanding, type SchemaWord, addSchemaDecision, schemaStandings } from '@hawser/propagation';
import { type Severity, bySeverity, explainChange, severities } from '@hawser/schemadiff';
import { approveHeldSchemas, heldSchemas } from '@hawser/servicebinding';

import {
  type CommandDescription,
  helpOf,
  ConfigError,
  type Flag,
  type ParsedFlags,
  choice,
  parseFlags,
  helpFlag,
  unknownWord,
} from '@hawser/config';
import { changeDocument, severityExitCodes, SEVERITY_EXIT_CODES } from './diff.js';
import {
  askedDialect,
  dialectFlag,
  explaining,
  onCluster,
  document,
  outputs,
  table,
  inEachDialect,
  type Task,
  type Terminal,
} from '@hawser/commands';

const ABOUT = `Changed schemas on a provider: what each consumer has, what waits, and why.

  status [EXPORT]     every export and resource, and what is held
  diff EXPORT         what would change for it
  approve EXPORT      lets through what waits now, and nothing newer
  reject EXPORT       keeps what waits away; what the consumer has got is taken back
  prove EXPORT        its consumer serves the schema, though it cannot say so: a roll-out goes on

EXPORT is NAME or NAMESPACE/NAME. With --side=consumer, approve takes the name of an APIServiceBinding that holds a schema itself.`;

const flags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the provider (of the consumer with --side=consumer); empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  {
    name: 'selector',
    short: 'l',
    kind: 'string',
    help: 'instead of EXPORT: all exports of consumers whose ClusterBinding has these labels',
  },
  { name: 'hash', kind: 'string', help: 'only the schema whose hash begins so' },
  {
    name: 'schema-policy',
    kind: 'string',
    help: 'Safe, Always or Never: what the provider role runs with',
    default: 'Safe',
  },
  { name: 'side', kind: 'string', help: 'provider, or consumer', default: 'provider' },
  dialectFlag,
  { name: 'dry-run', kind: 'boolean', help: 'print what would be written, and write nothing' },
  { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
  helpFlag,
];

const verbs = ['status', 'diff', 'approve', 'reject', 'prove'] as const;

/** Help text of the command. */
export const schemaCommand: CommandDescription = {
  name: 'schema',
  about: `${ABOUT}\n\n${SEVERITY_EXIT_CODES}\nThese are the codes of diff; the others: 0 nothing is held, or it is written, 1 something is held or there was nothing to write, 2 wrong usage.`,
  usage: ['hawser schema COMMAND [EXPORT] [flags]'],
  examples: [
    {
      purpose: 'which consumers wait for a changed schema?',
      line: 'hawser schema status --kubeconfig provider.kubeconfig',
    },
    {
      purpose: 'what would change for one of them?',
      line: 'hawser schema diff databases --kubeconfig provider.kubeconfig',
    },
    { purpose: 'let it through', line: 'hawser schema approve databases --kubeconfig provider.kubeconfig' },
    {
      purpose: 'for all exports of these consumers',
      line: 'hawser schema approve --selector stage=test --kubeconfig provider.kubeconfig',
    },
  ],
  flags,
  words: verbs,
};

/** Reads the flags of `hawser schema`. */
export function readSchema(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  if (parsed.values.get('help') === 'true') {
    return helpOf(schemaCommand);
  }
  const [given, name, extra] = parsed.positional;
  const verb = verbs.find((one) => one === given);
  if (verb === undefined)
    throw new ConfigError(unknownWord(`schema needs one of ${verbs.join(', ')}`, given ?? '', verbs, 'hawser schema'));
  if (extra !== undefined) throw new ConfigError(`unexpected argument: ${extra}`);
  const selector = parsed.values.get('selector');
  if (verb !== 'status' && (name === undefined) === (selector === undefined))
    throw new ConfigError(`schema ${verb} needs either EXPORT or --selector`);
  const side = choice(parsed, 'side', ['provider', 'consumer']);
  if (side === 'consumer' && (verb !== 'approve' || name === undefined))
    throw new ConfigError('--side=consumer: only approve NAME; hawser doctor shows what is held');
  if (side === 'consumer' && parsed.values.has('hash'))
    throw new ConfigError(
      '--hash: means nothing with --side=consumer, where all that a binding holds is approved at once',
    );
  const settings = {
    name,
    selector,
    hash: parsed.values.get('hash') ?? '',
    dryRun: parsed.values.get('dry-run') === 'true',
    output: choice(parsed, 'output', outputs),
    schemaPolicy: choice(parsed, 'schema-policy', ['Safe', 'Always', 'Never']),
  };
  return (terminal) => reporting(parsed, terminal, side === 'consumer' ? undefined : verb, settings);
}

interface Settings {
  readonly name: string | undefined;
  readonly selector: string | undefined;
  readonly hash: string;
  readonly dryRun: boolean;
  readonly output: (typeof outputs)[number];
  readonly schemaPolicy: 'Safe' | 'Always' | 'Never';
}

/** `verb` undefined: an approval on the consumer. */
function reporting(
  parsed: ParsedFlags,
  terminal: Terminal,
  verb: (typeof verbs)[number] | undefined,
  settings: Settings,
): Promise<number> {
  if (verb === undefined)
    return explaining(parsed, terminal, ({ context: { consumer } }) => approveOnConsumer(consumer, terminal, settings));
  const asked = askedDialect(parsed);
  return onCluster(parsed, terminal, async (client) => {
    const { name, selector, schemaPolicy } = settings;
    const { found: standings, isComplete } = await inEachDialect(asked, {
      client,
      read: (dialect) =>
        schemaStandings(client, { dialect, schemaPolicy, export: name, selector, signal: terminal.signal }),
      print: terminal.err,
      signal: terminal.signal,
    });
    if (name !== undefined && standings.length === 0) {
      terminal.err(`There is no APIServiceExport ${name} with a schema.`);
      return 1;
    }
    switch (verb) {
      case 'status':
        terminal.out(
          settings.output === 'table'
            ? statusTable(standings)
            : document({ exports: standings.map(standingDocument) }, settings.output),
        );
        return isComplete && standings.every(({ state }) => state === 'InStep' || state === 'Pending') ? 0 : 1;
      case 'diff':
        terminal.out(
          settings.output === 'table'
            ? diffText(standings)
            : document({ exports: standings.map(standingDocument) }, settings.output),
        );
        return severityExitCodes[worstOf(standings)];
      case 'approve':
      case 'reject':
      case 'prove':
        return await writeAnswer(verb, standings, settings, client, terminal);
    }
  });
}

/** Approves a schema that the konnector itself holds for a binding. */
async function approveOnConsumer(
  client: Client,
  { out, signal }: Terminal,
  { name = '', dryRun, output }: Settings,
): Promise<number> {
  const hashes = dryRun
    ? (heldSchemas(await client.get<APIServiceBinding>(resources.apiServiceBindings, { name }, { signal }))?.hashes ??
      [])
    : await approveHeldSchemas(client, name, signal);
  if (output !== 'table')
    out(
      document(
        { approve: hashes.map((hash) => ({ binding: name, hash, result: dryRun ? 'would be written' : 'written' })) },
        output,
      ),
    );
  else if (hashes.length === 0) out('Nothing is approved: nothing waits that an approval would let through.');
  else out(`${dryRun ? 'Would be approved' : 'Approved'}: ${hashes.join(', ')}`);
  return hashes.length === 0 ? 1 : 0;
}

async function writeAnswer(
  word: SchemaWord,
  standings: readonly SchemaStanding[],
  { hash: prefix, dryRun, output }: Settings,
  client: Client,
  terminal: Terminal,
): Promise<number> {
  const meant = standings.flatMap((standing) => {
    const hash = hashFor(word, standing, prefix);
    return hash === undefined ? [] : [{ standing, hash }];
  });
  const rows: {
    readonly namespace: string;
    readonly export: string;
    readonly resource: string;
    readonly hash: string;
    readonly result: string;
  }[] = [];
  for (const { standing, hash } of meant) {
    const { dialect, namespace, export: name, resource } = standing;
    const result = dryRun
      ? 'would be written'
      : await addSchemaDecision(client, word, { dialect, namespace, name }, [hash], terminal.signal);
    rows.push({ namespace, export: name, resource, hash, result });
  }
  if (output !== 'table') terminal.out(document({ [word]: rows }, output));
  else if (rows.length === 0) terminal.out(`Nothing to ${word}.`);
  else
    terminal.out(
      table(
        ['NAMESPACE', 'EXPORT', 'RESOURCE', 'HASH', word.toUpperCase()],
        rows.map((row) => [row.namespace, row.export, row.resource, row.hash, row.result]),
      ),
    );
  return rows.length === 0 ? 1 : 0;
}

/** The schema to act on: the held one, or the consumer's if it is unambiguous or named. */
function hashFor(
  word: SchemaWord,
  { candidate, hash, approvable, consumer }: SchemaStanding,
  prefix: string,
): string | undefined {
  const matching = (...hashes: readonly (string | undefined)[]): string | undefined =>
    hashes.find((one) => one?.startsWith(prefix) === true);
  switch (word) {
    case 'approve':
      return approvable ? matching(candidate) : undefined;
    case 'reject':
      return matching(candidate, prefix !== '' || consumer === 'refused' ? hash : undefined);
    case 'prove':
      return matching(prefix === '' ? undefined : candidate, consumer === 'applied' ? undefined : hash);
  }
}

function worstOf(standings: readonly SchemaStanding[]): Severity {
  const [worst] = bySeverity(standings.flatMap(({ changes }) => changes));
  return worst?.severity ?? 'safe';
}

function statusTable(standings: readonly SchemaStanding[]): string {
  if (standings.length === 0) return 'Nothing is exported.';
  return table(
    ['NAMESPACE', 'EXPORT', 'RESOURCE', 'STATE', 'CHANGE', 'CONSUMER', 'POLICY', 'HASH', 'WHY'],
    standings.map((one) => [
      one.namespace,
      one.export,
      one.resource,
      one.state,
      one.candidate === undefined
        ? '-'
        : (severities.findLast((severity) => one.changes.some((change) => change.severity === severity)) ?? 'safe'),
      one.consumer,
      one.policy,
      (one.candidate ?? one.hash).slice(0, 12),
      one.reason ?? '',
    ]),
  );
}

function diffText(standings: readonly SchemaStanding[]): string {
  return standings
    .map((one) => {
      const head = `${one.namespace}/${one.export} ${one.resource}: ${one.candidate === undefined ? 'nothing waits' : `${one.hash.slice(0, 12)} -> ${one.candidate}`}`;
      return [
        head,
        ...bySeverity(one.changes).map(
          (change) =>
            `  ${change.severity.padEnd(12)} ${[change.version, change.path].filter((part) => part !== undefined && part !== '').join(' ')}: ${change.message}\n${' '.repeat(15)}${explainChange(change).reason} ${explainChange(change).remedy}`,
        ),
        ...(one.message === undefined ? [] : [`  ${one.message}`]),
      ].join('\n');
    })
    .join('\n');
}

function standingDocument(standing: SchemaStanding): object {
  return { ...standing, changes: standing.changes.map(changeDocument) };
}
