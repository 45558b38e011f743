import {
  type Subject,
  bindingKinds,
  bindingSubjects,
  claimedSubjects,
  explain,
  isNamed,
  notInStep,
  subjectsOf,
  whyAllText,
  whyJson,
  whyText,
} from '@hawser/konnector-explain';

import { type CommandDescription, ConfigError, type Flag, type ParsedFlags } from '@hawser/config';
import { type Explaining, explainFlags, explaining } from './explain-command.js';
import { namespaceOf, unknownKind } from './named-object.js';
import type { Task } from './task.js';
import { type WhyAnswer, readWhy, whyFlags } from './why-command.js';

const ABOUT = `Says whether an object of a bound API (or a claimed one, such as a Secret, an APIServiceBinding, Connection, ClusterBinding or Binding) is in step, what holds it, since when, and who must act. Both sides are read live.`;

const flags: readonly Flag[] = [
  ...explainFlags,
  { name: 'namespace', short: 'n', kind: 'string', help: 'namespace of the object; empty: that of the context' },
  ...whyFlags,
];

/** Help text for a consumer. */
export const konnectorWhyCommand: CommandDescription = {
  name: 'why',
  about: ABOUT,
  usage: ['hawser why KIND NAME [-n NAMESPACE] [flags]', 'hawser why --all [flags]'],
  examples: [
    { purpose: 'why is this Database not in step, and who must act?', line: 'hawser why database orders -n team-a' },
    { purpose: 'why does this Secret not reach the provider?', line: 'hawser why secret orders-password -n team-a' },
    { purpose: 'why is this binding not ready?', line: 'hawser why apiservicebinding databases' },
    { purpose: 'why does this Connection of core.kbind.io not work?', line: 'hawser why connection demo' },
    { purpose: 'everything that is not in step, for a program', line: 'hawser why --all -o json' },
  ],
  flags,
};

/** Reads its flags. `description`: the help of the parent command. */
export function readKonnectorWhy(args: readonly string[], description = konnectorWhyCommand): Task | string {
  return readWhy(description, 'hawser why', args, ({ about, dryRun, parsed }, terminal) =>
    explaining(parsed, terminal, (given) =>
      about === undefined ? whyAll(given, dryRun) : whyOne(given, dryRun, parsed, about),
    ),
  );
}

async function whyAll({ context, binding }: Explaining, dryRun: boolean): Promise<WhyAnswer> {
  const reports = await explain(context, { dryRun, binding, objects: 'all' });
  const rest = notInStep(reports);
  return { isInStep: rest.length === 0, json: () => whyJson(rest), text: (paint) => whyAllText(reports, paint) };
}

async function whyOne(
  { context, binding, namespace }: Explaining,
  dryRun: boolean,
  parsed: ParsedFlags,
  { kind, name }: { readonly kind: string; readonly name: string },
): Promise<WhyAnswer> {
  const kinds = bindingKinds(kind);
  const ofBinding = kinds.length > 0;
  const object = (namespaced: boolean | undefined): string =>
    namespaced === false || name.includes('/') ? name : `${namespaceOf(parsed, namespace)}/${name}`;
  const found = await explain(context, {
    dryRun,
    binding: ofBinding ? name : binding,
    kinds: ofBinding ? kinds : undefined,
    objects: ofBinding ? 'all' : (resource) => (isNamed(resource, kind) ? object(resource.namespaced) : undefined),
  });
  // Without -n, a Binding of any namespace matches.
  const given = parsed.values.get('namespace');
  const reports = found.filter(
    (report) => report.kind !== 'Binding' || !ofBinding || given === undefined || report.name.startsWith(`${given}/`),
  );
  const subjects: readonly Subject[] = ofBinding
    ? reports.flatMap(bindingSubjects)
    : [
        ...reports.flatMap((report) =>
          report.resources
            .filter((resource) => isNamed(resource, kind))
            .flatMap((resource) => subjectsOf(report, resource, object(resource.namespaced))),
        ),
        ...claimedSubjects(reports, kind, object(true)),
      ];
  if (subjects.length === 0)
    throw new ConfigError(
      ofBinding
        ? `there is no ${kinds.join(' or ')} ${name}`
        : unknownKind(
            kind,
            reports.flatMap(({ resources, claims }) => [
              ...resources.map((resource) => resource.name),
              ...claims.map(({ group, resource }) => `${group === '' ? resource : `${resource}.${group}`} (claimed)`),
            ]),
          ),
    );
  return {
    isInStep: subjects.every(({ standing }) => standing === 'inStep'),
    json: () => whyJson(subjects),
    text: (paint) => whyText(subjects, paint),
  };
}
