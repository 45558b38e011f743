import { messageOf } from '@hawser/client';
import { isFields } from '@hawser/json';
import { readFileSync } from 'node:fs';
import {
  type Comparison,
  type DefinitionSpec,
  type SchemaChange,
  type Severity,
  bySeverity,
  compareDefinitions,
  definitionOf,
  explainChange,
} from '@hawser/schemadiff';
import { parseAllDocuments } from 'yaml';

import { type CommandDescription, helpOf, ConfigError, type Flag, choice, parseFlags, helpFlag } from '@hawser/config';
import { type Output, document, outputs, table, type Task } from '@hawser/commands';

/** Stable: pipelines depend on them. */
export const severityExitCodes: Readonly<Record<Severity, number>> = { safe: 0, warn: 3, breaking: 4, incompatible: 5 };

export const SEVERITY_EXIT_CODES =
  'Exit codes: 0 nothing or only safe changes, 2 wrong usage or nothing that can be read, 3 worth a warning, 4 breaking, 5 incompatible.';

const flags: readonly Flag[] = [
  { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
  helpFlag,
];

/** Help text of the command. */
export const diffCommand: CommandDescription = {
  name: 'diff',
  about: `Compares two versions of a CRD (YAML or JSON; BoundSchemas and APIResourceSchemas too), and says what each change means for stored objects and for clients.\n\n${SEVERITY_EXIT_CODES} Nothing is asked of any cluster.`,
  usage: ['hawser diff crd OLD NEW [flags]'],
  examples: [
    {
      purpose: 'does the new CRD break stored objects or clients?',
      line: 'hawser diff crd databases-v1.yaml databases-v2.yaml',
    },
    {
      purpose: 'in a pipeline: stop at what breaks something',
      line: 'hawser diff crd old.yaml new.yaml; test $? -lt 4',
    },
    {
      purpose: 'compare with what the cluster has',
      line: 'kubectl get crd databases.example.com -o yaml > old.yaml && hawser diff crd old.yaml new.yaml',
    },
  ],
  flags,
  words: ['crd'],
};

/** Reads the flags of `hawser diff`. */
export function readDiff(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  if (parsed.values.get('help') === 'true') {
    return helpOf(diffCommand);
  }
  const [noun, old, current, extra] = parsed.positional;
  if (noun !== 'crd' || old === undefined || current === undefined)
    throw new ConfigError('diff needs crd OLD NEW; see hawser diff --help');
  if (extra !== undefined) throw new ConfigError(`unexpected argument: ${extra}`);
  const output = choice(parsed, 'output', outputs);
  return (terminal) => {
    const comparison = compareDefinitions(definitionOf(readSpec(old)), definitionOf(readSpec(current)));
    terminal.out(showComparison(comparison, output));
    return Promise.resolve(severityExitCodes[comparison.severity]);
  };
}

export function showComparison({ severity, changes }: Comparison, output: Output): string {
  if (output !== 'table') return document({ severity, changes: bySeverity(changes).map(changeDocument) }, output);
  if (changes.length === 0) return 'Nothing changes that objects or clients depend on.';
  return table(
    ['SEVERITY', 'VERSION', 'PATH', 'CHANGE', 'WHAT TO DO'],
    bySeverity(changes).map((change) => [
      change.severity,
      change.version ?? '-',
      change.path === '' ? '-' : change.path,
      change.message,
      explainChange(change).remedy,
    ]),
  );
}

/** For machines; `path` is JSONPath. */
export function changeDocument(change: SchemaChange): object {
  const { kind, severity, version, path, message } = change;
  return {
    kind,
    severity,
    ...(version === undefined ? {} : { version }),
    path: path === '' ? '$' : path.startsWith('[') ? `$${path}` : `$.${path}`,
    message,
    ...explainChange(change),
  };
}

const KINDS = ['CustomResourceDefinition', 'BoundSchema', 'APIResourceSchema'];

/** The spec of the one definition in a file. @throws ConfigError */
function readSpec(file: string): DefinitionSpec {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: ${messageOf(error)}`);
  }
  const documents = parseAllDocuments(text, { intAsBigInt: true });
  const problem = documents.flatMap((one) => one.errors)[0];
  if (problem !== undefined) throw new ConfigError(`${file}: ${problem.message}`);
  const found = documents
    .map((one) => one.toJS({ maxAliasCount: 100 }) as unknown)
    .filter((one) => isFields(one) && KINDS.includes(String(one['kind'])));
  const [only, second] = found;
  if (!isFields(only)) throw new ConfigError(`${file}: has no ${KINDS.join(', ')}`);
  if (second !== undefined) throw new ConfigError(`${file}: has ${found.length} definitions; give one at a time`);
  const { spec } = only;
  if (!isSpec(spec))
    throw new ConfigError(
      `${file}: spec must have group, scope, names.kind, names.plural and versions, each with a name`,
    );
  return spec;
}

function isSpec(spec: unknown): spec is DefinitionSpec {
  if (!isFields(spec) || !isFields(spec['names']) || !Array.isArray(spec['versions'])) return false;
  const {
    names: { kind, plural },
  } = { names: spec['names'] };
  return (
    [spec['group'], spec['scope'], kind, plural].every((text) => typeof text === 'string') &&
    spec['versions'].every((version: unknown) => isFields(version) && typeof version['name'] === 'string')
  );
}
