import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  type GeneratorCallback,
  generateFiles,
  installPackagesTask,
  readJson,
  type Tree,
  updateJson,
} from '@nx/devkit';

/** As in schema.json. */
export interface ControllerOptions {
  readonly name: string;
  readonly role: 'konnector' | 'provider' | 'syncagent';
  readonly skipInstall: boolean;
}

/**
 * Dependencies of the template's sources; its manifest and TypeScript references derive from them. Test-only use of
 * `packages/testing` is not declared (docs/decisions/0001).
 */
const dependencies = ['client', 'controller'] as const;

/** The main cluster of a role's controllers, and the shared control plane that stands in for it in tests. */
const clusters = {
  konnector: { cluster: 'consumer', shared: 'consumer' },
  provider: { cluster: 'provider', shared: 'provider' },
  syncagent: { cluster: 'service', shared: 'provider' },
} as const;

/** The supervisor's file that starts the controllers of a role. */
const starts = {
  konnector:
    'apps/supervisor/src/konnector-role.ts (needs the consumer alone) or connection-set.ts (one for each provider)',
  provider: 'apps/supervisor/src/provider-role.ts',
  syncagent: 'apps/supervisor/src/running-agent.ts',
} as const;

/** Writes a controller package and enters it into every list of the workspace. */
export default function generate(tree: Tree, { name, role, skipInstall }: ControllerOptions): GeneratorCallback {
  const dir = `packages/${role}/${name}`;
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) throw new Error(`${name}: not kebab case (usage-report)`);
  if (tree.exists(dir)) throw new Error(`${dir} exists`);
  if (packageNames(tree).includes(`@hawser/${name}`)) throw new Error(`@hawser/${name} exists`);

  const { version } = readJson<{ readonly version: string }>(tree, 'package.json');
  const pascal = name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  generateFiles(tree, join(import.meta.dirname, 'template'), dir, {
    name,
    dir,
    role,
    pascal,
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    ...clusters[role],
    // Each on a line of its own, as JSON.
    dependencies: lines(
      dependencies.map((dependency) => `"@hawser/${dependency}": "${version}"`),
      4,
    ),
    references: lines(
      dependencies.map((dependency) => `{ "path": "../../runtime/${dependency}" }`),
      4,
    ),
    version,
  });
  updateJson<{ references: { path: string }[] }>(tree, 'tsconfig.json', (config) => ({
    ...config,
    references: [...config.references, { path: dir }],
  }));
  mentionInTable(tree, role, name, dir);
  return () => {
    format(join(tree.root, dir));
    if (skipInstall) console.log('Link the new workspace by `npm install`.');
    else installPackagesTask(tree, true);
    console.log(nextSteps({ name, role, dir, pascal }));
  };
}

/** Formats: names differ in length, and so do their lines. */
function format(folder: string): void {
  const root = join(import.meta.dirname, '../../..');
  const options = [
    '--config',
    join(root, '.prettierrc.json'),
    '--log-level',
    'warn',
    '--no-error-on-unmatched-pattern',
  ];
  execFileSync(process.execPath, [
    join(root, 'node_modules/prettier/bin/prettier.cjs'),
    '--write',
    ...options,
    join(folder, '**/*.ts'),
  ]);
}

/** Steps from the package to its users. `npm run controllers` lists the missing ones. */
function nextSteps({
  name,
  role,
  dir,
  pascal,
}: {
  readonly name: string;
  readonly role: ControllerOptions['role'];
  readonly dir: string;
  readonly pascal: string;
}): string {
  const steps = [
    `Write ${dir}/src/decide.ts and act.ts, and their tests. Run them: npm run test:unit -- ${name}/src/decide ${name}-controller.test`,
    `Start create${pascal}Controller in ${starts[role]}. Add @hawser/${name} to apps/supervisor: package.json (then npm install) and tsconfig.json.`,
    `If people switch it on: a field in packages/runtime/config/src (config.ts, or konnector-config.ts), then npm run reference; and a value of the chart charts/${role}.`,
    `Grant its rights in charts/${role}/templates. They stand in the table of ${dir}/README.md.`,
    'Enter each reason of its Events and conditions in packages/api/reasons/src/subjects, then: npm run conditions',
    `Say in ${dir}/README.md where it runs, and add a line to CHANGELOG.md.`,
    'npm run controllers, then npm test -- lint typecheck',
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}\nWhat each step means: packages/runtime/controller/README.md`;
}

function packageNames(tree: Tree): readonly string[] {
  return tree
    .children('packages')
    .flatMap((group) => tree.children(`packages/${group}`).map((dir) => `packages/${group}/${dir}/package.json`))
    .filter((file) => tree.exists(file))
    .map((file) => readJson<{ readonly name: string }>(tree, file).name);
}

function lines(items: readonly string[], indent: number): string {
  return items.join(`,\n${' '.repeat(indent)}`);
}

/** It has a row for each role. */
const PACKAGES = 'docs/reference/packages.md';

function mentionInTable(tree: Tree, role: string, name: string, dir: string): void {
  const text = tree.read(PACKAGES, 'utf8') ?? '';
  const row = new RegExp(`^(\\| ${role} \\| (?=\\[).*?) \\|$`, 'mu');
  if (row.test(text)) tree.write(PACKAGES, text.replace(row, `$1 · [${name}](../../${dir}) |`));
  else console.log(`Mention ${dir} in ${PACKAGES}.`);
}
