import {
  type Subject,
  bindingSubjects,
  explain,
  isBindingWord,
  isNamed,
  notInStep,
  subjectsOf,
  whyAllText,
  whyJson,
  whyText,
} from '@hawser/konnector-explain';

import { type CommandDescription, ConfigError, type Flag, type ParsedFlags, choice } from '@hawser/config';
import { type Explaining, explainFlags, explaining, readExplainFlags } from './explain-command.js';
import { namespaceOf, unknownKind } from './named-object.js';
import { noColorFlag, paintOf } from './output.js';
import type { Task, Terminal } from './task.js';

const ABOUT = `Says whether an object of a bound API (or an APIServiceBinding) is in step, what holds it, since when, and who must act. Both sides are read live.`;

const flags: readonly Flag[] = [
  ...explainFlags,
  { name: 'namespace', short: 'n', kind: 'string', help: 'namespace of the object; empty: that of the context' },
  { name: 'all', kind: 'boolean', help: 'list everything that is not in step' },
  {
    name: 'dry-run',
    kind: 'string',
    help: 'server: have the API servers say what they would make of writes that are due; or none',
    default: 'server',
  },
  { name: 'output', short: 'o', kind: 'string', help: 'text or json', default: 'text' },
  noColorFlag,
];

/** What help says of it, on a consumer. */
export const konnectorWhyCommand: CommandDescription = {
  name: 'why',
  about: ABOUT,
  usage: ['hawser why KIND NAME [-n NAMESPACE] [flags]', 'hawser why --all [flags]'],
  examples: [
    { says: 'why is this Database not in step, and who must act?', line: 'hawser why database orders -n team-a' },
    { says: 'why is this binding not ready?', line: 'hawser why apiservicebinding databases' },
    { says: 'everything that is not in step, for a program', line: 'hawser why --all -o json' },
  ],
  flags,
};

/** Reads its flags. `description`: of the command that it is part of. */
export function readKonnectorWhy(args: readonly string[], description = konnectorWhyCommand): Task | string {
  const parsed = readExplainFlags(description, 2, args);
  if (typeof parsed === 'string') return parsed;
  const [kind, name] = parsed.positional;
  const all = parsed.values.get('all') === 'true';
  if (all && kind !== undefined) throw new ConfigError(`unexpected argument: ${kind}; --all names nothing`);
  if (!all && (kind === undefined || name === undefined))
    throw new ConfigError('why needs KIND and NAME, or --all; see hawser why --help');
  const json = choice(parsed, 'output', ['text', 'json']) === 'json';
  const dryRun = choice(parsed, 'dry-run', ['server', 'none']) === 'server';
  return (terminal) =>
    explaining(parsed, terminal, (given) =>
      kind === undefined || name === undefined
        ? whyAll(given, terminal, parsed, { json, dryRun })
        : whyOne(given, terminal, parsed, { kind, name, json, dryRun }),
    );
}

interface Form {
  readonly json: boolean;
  readonly dryRun: boolean;
}

async function whyAll(
  { context, binding }: Explaining,
  terminal: Terminal,
  parsed: ParsedFlags,
  { json, dryRun }: Form,
): Promise<number> {
  const reports = await explain(context, { dryRun, binding, objects: 'all' });
  terminal.out(json ? whyJson(notInStep(reports)) : whyAllText(reports, paintOf(parsed, terminal)));
  return notInStep(reports).length === 0 ? 0 : 1;
}

async function whyOne(
  { context, binding, namespace }: Explaining,
  terminal: Terminal,
  parsed: ParsedFlags,
  { kind, name, json, dryRun }: Form & { readonly kind: string; readonly name: string },
): Promise<number> {
  const ofBinding = isBindingWord(kind);
  const object = (namespaced: boolean | undefined): string =>
    namespaced === false || name.includes('/') ? name : `${namespaceOf(parsed, namespace)}/${name}`;
  const reports = await explain(context, {
    dryRun,
    binding: ofBinding ? name : binding,
    objects: ofBinding ? 'all' : (resource) => (isNamed(resource, kind) ? object(resource.namespaced) : undefined),
  });
  const subjects: readonly Subject[] = ofBinding
    ? reports.flatMap(bindingSubjects)
    : reports.flatMap((report) =>
        report.resources
          .filter((resource) => isNamed(resource, kind))
          .flatMap((resource) => subjectsOf(report, resource, object(resource.namespaced))),
      );
  if (subjects.length === 0)
    throw new ConfigError(
      ofBinding
        ? `there is no APIServiceBinding ${name}`
        : unknownKind(
            kind,
            reports.flatMap(({ resources }) => resources.map((resource) => resource.name)),
          ),
    );
  terminal.out(json ? whyJson(subjects) : whyText(subjects, paintOf(parsed, terminal)));
  return subjects.every(({ standing }) => standing === 'inStep') ? 0 : 1;
}
