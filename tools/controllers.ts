// Finds missing steps from a controller to its users: start in the supervisor, rights in the chart, field in
// docs/reference/config.md. Covers packages that declare controllers by `controller(…)` of @hawser/controller. Compares
// their READMEs with the rest of the repository.

/** A package with controllers. */
export interface ControllerPackage {
  /** `packages/provider/label-copy`. */
  readonly dir: string;
  readonly readme: string;
  /** By file, relative to the package: `src/index.ts`. Without tests. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Texts of the files that wire controllers in. */
export interface Surroundings {
  /** All sources of the supervisor. */
  readonly supervisor: string;
  /** The schema of the config file. */
  readonly config: string;
  /** docs/reference/config.md. */
  readonly running: string;
  /** All templates of the role's chart. */
  readonly chart: string;
}

const DECLARES = /\breturn controller\(/u;
const TODO = /\bTODO\b/gu;
/** A row of a rights table: group, resources, optional names, verbs. */
const RIGHT = /^\| (?:`[^|]*`|core) \| ([^|]*) \|.*\|$/gmu;
/** A rule of a template, from its resources to its verbs. */
const RULE = /\bresources:((?:(?!\bresources:|\bverbs:)[\s\S])*)\bverbs:((?:\s*\[[^\n]*\])|(?:\s*\n\s*- [a-z]+)+)/gu;
/** A resource in a source; those of `resources` are the contract's. */
const RESOURCE = /\bresource: '([a-z]+)'/gu;
const VERB = /\b(?:get|list|watch|create|update|patch|delete|bind|escalate|impersonate)\b/gu;

/** Whether the package declares a controller. */
export function declaresControllers({ sources }: Pick<ControllerPackage, 'sources'>): boolean {
  return [...sources.values()].some((text) => DECLARES.test(text));
}

/** Missing steps, one line each: place and step. */
export function problemsOf(one: ControllerPackage, around: Surroundings): readonly string[] {
  return [...todos(one), ...notStarted(one, around), ...whereItRuns(one, around), ...rights(one, around)];
}

function todos({ dir, readme, sources }: ControllerPackage): readonly string[] {
  return [['README.md', readme] as const, ...sources].flatMap(([file, text]) => {
    const count = [...text.matchAll(TODO)].length;
    return count === 0 ? [] : [`${dir}/${file}: ${count === 1 ? '1 TODO is left' : `${count} TODOs are left`}`];
  });
}

function notStarted({ dir, sources }: ControllerPackage, { supervisor }: Surroundings): readonly string[] {
  const exported = sources.get('src/index.ts') ?? '';
  return [...sources.values()]
    .filter((text) => DECLARES.test(text))
    .flatMap((text) => [...text.matchAll(/^export function (create\w+)/gmu)].map(([, name = '']) => name))
    .filter(
      (name) => new RegExp(`\\b${name}\\b`, 'u').test(exported) && !new RegExp(`\\b${name}\\(`, 'u').test(supervisor),
    )
    .map((name) => `${dir}: no file of apps/supervisor/src starts ${name}`);
}

function whereItRuns({ dir, readme }: ControllerPackage, { config, running }: Surroundings): readonly string[] {
  const section = sectionOf(readme, 'Where it runs');
  if (section === undefined) return [`${dir}/README.md: lacks the section "Where it runs"`];
  const words = section.replaceAll(/TODO.*/gu, '');
  const fields = [...words.matchAll(/`(?:konnector|provider|syncagent)\.(?:\w+\.)*(\w+)`/gu)].map(
    ([, field = '']) => field,
  );
  if (fields.length === 0 && !/\balways\b/iu.test(words))
    return [
      `${dir}/README.md: the section "Where it runs" names no field of the config file, and does not say "always"`,
    ];
  return fields.flatMap((field) => [
    ...(config.includes(`${field}:`)
      ? []
      : [`packages/runtime/config/src: has no field ${field}, which ${dir}/README.md names`]),
    ...(running.includes(field) ? [] : [`docs/reference/config.md: lacks ${field}, which ${dir}/README.md names`]),
  ]);
}

function rights({ dir, readme, sources }: ControllerPackage, { chart }: Surroundings): readonly string[] {
  const section = sectionOf(readme, 'Rights');
  if (section === undefined) return [`${dir}/README.md: lacks the section "Rights"`];
  const granted = grantedBy(chart);
  const wanted = [...section.matchAll(RIGHT)].flatMap(([row, cell = '']) =>
    [...cell.matchAll(/`([a-z/]+)`/gu)].map(([, name = '']) => ({
      name,
      verbs: verbsIn(row.slice(row.lastIndexOf('|', row.length - 2))),
    })),
  );
  const used = [
    ...new Set([...sources.values()].flatMap((text) => [...text.matchAll(RESOURCE)].map(([, name = '']) => name))),
  ].filter((name) => !wanted.some((one) => one.name === name));
  const unnamed = used.map((name) => `${dir}/README.md: the table of rights lacks ${name}, which the sources use`);
  return [
    ...unnamed,
    ...wanted.flatMap(({ name, verbs }) => {
      const lacking = verbs.filter((verb) => granted.get(name)?.has(verb) !== true);
      return lacking.length === 0
        ? []
        : [
            `charts/${dir.split('/')[1] ?? ''}/templates: no rule gives ${lacking.join(', ')} on ${name}, as the table of rights in ${dir}/README.md does`,
          ];
    }),
  ];
}

/** Verbs that the rules of templates grant on each resource, under any condition. */
function grantedBy(chart: string): ReadonlyMap<string, ReadonlySet<string>> {
  const granted = new Map<string, Set<string>>();
  for (const [, resources = '', verbs = ''] of chart.matchAll(RULE)) {
    for (const [name] of resources.matchAll(/[a-z][a-z/]*/gu))
      granted.set(name, new Set([...(granted.get(name) ?? []), ...verbsIn(verbs)]));
  }
  return granted;
}

function verbsIn(text: string): readonly string[] {
  return [...text.matchAll(VERB)].map(([verb]) => verb);
}

function sectionOf(readme: string, title: string): string | undefined {
  const parts = readme.split(`\n## ${title}\n`);
  return parts.length < 2 ? undefined : parts[1]?.split('\n## ')[0];
}
