// Checks that each tsconfig references exactly its package's @hawser dependencies, and that the root tsconfig lists
// every package. Otherwise `tsc -b` succeeds only if earlier builds left the right output. References to
// devDependencies are optional: one run checks all tests.
import { join, posix } from 'node:path';
import ts from 'typescript';
import { readJson, root, type WorkspacePackage, workspacePackages } from './workspace.ts';

const packages = workspacePackages().filter(({ dir }) => isComposite(dir));
const dirOf = new Map(packages.map(({ dir, manifest }) => [manifest.name, dir]));
const problems = [...packages.flatMap(problemsOf), ...rootProblems(), ...lockfileProblems()];

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`references: ${packages.length} packages in order`);

function problemsOf({ dir, manifest }: WorkspacePackage): readonly string[] {
  const expected = new Set<string>();
  const optional = new Set<string>();
  const found: string[] = [];
  for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    if (!name.startsWith('@hawser/')) continue;
    const target = dirOf.get(name);
    if (target === undefined)
      found.push(`${dir}/package.json: depends on ${name}, which is not a package of this workspace`);
    else (manifest.dependencies?.[name] === undefined ? optional : expected).add(target);
    const version = packages.find((candidate) => candidate.manifest.name === name)?.manifest.version;
    if (version !== undefined && version !== range)
      found.push(`${dir}/package.json: depends on ${name} ${range}, but it is ${version}`);
  }
  return [...found, ...compare(`${dir}/tsconfig.json`, expected, referencesOf(dir), optional)];
}

function rootProblems(): readonly string[] {
  return compare('tsconfig.json', new Set(packages.map(({ dir }) => dir)), referencesOf('.'));
}

/**
 * `npm ci` refuses a lockfile without one of the workspaces; a lockfile with addresses works only with its own
 * registry.
 */
function lockfileProblems(): readonly string[] {
  const { packages: locked } = readJson<{
    readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
  }>(join(root, 'package-lock.json'));
  return [
    ...workspacePackages()
      .filter(({ dir }) => locked[dir] === undefined)
      .map(({ dir }) => `package-lock.json: lacks ${dir}: run npm install`),
    ...Object.entries(locked)
      .filter(([, { resolved }]) => resolved?.includes('://'))
      .map(([name]) => `package-lock.json: ${name} has the address of a registry`),
  ];
}

function compare(
  file: string,
  expected: ReadonlySet<string>,
  actual: ReadonlySet<string>,
  optional: ReadonlySet<string> = new Set(),
): readonly string[] {
  return [
    ...[...expected].filter((dir) => !actual.has(dir)).map((dir) => `${file}: add a reference to ${dir}`),
    ...[...actual]
      .filter((dir) => !expected.has(dir) && !optional.has(dir))
      .map((dir) => `${file}: remove the reference to ${dir}`),
  ];
}

function referencesOf(dir: string): ReadonlySet<string> {
  const references = (config(dir)['references'] ?? []) as readonly { readonly path: string }[];
  return new Set(references.map(({ path }) => posix.normalize(posix.join(dir, path)).replace(/\/$/u, '')));
}

/** Packages whose tsconfig emits declarations; the others (e2e, bench, examples) are checked only with the tests. */
function isComposite(dir: string): boolean {
  return /^(?:packages|apps)\/|^simulation$/u.test(dir);
}

function config(dir: string): Record<string, unknown> {
  const file = join(root, dir, 'tsconfig.json');
  const { config: parsed, error } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as {
    readonly config?: Record<string, unknown>;
    readonly error?: ts.Diagnostic;
  };
  if (parsed === undefined)
    throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(error?.messageText ?? 'unreadable', '\n')}`);
  return parsed;
}
