import { join } from 'node:path';
import { type GeneratorCallback, generateFiles, installPackagesTask, readJson, type Tree, updateJson } from '@nx/devkit';

/** As in schema.json. */
export interface ControllerOptions {
  readonly name: string;
  readonly role: 'konnector' | 'provider' | 'syncagent';
  readonly skipInstall: boolean;
}

/** What the sources of the template use; its manifest and its TypeScript references are made from this. */
const dependencies = ['client', 'controller', 'informer'] as const;
/** What its tests use beside that, control planes apart: those nobody declares (docs/decisions/0001). */
const devDependencies = ['clock', 'telemetry'] as const;

/** Which cluster a controller of that role mainly works in, and which shared control plane stands for it in tests. */
const clusters = {
  konnector: { cluster: 'consumer', shared: 'consumer' },
  provider: { cluster: 'provider', shared: 'provider' },
  syncagent: { cluster: 'service', shared: 'provider' },
} as const;

/** Writes a controller package and enters it wherever the workspace keeps a list. */
export default function generate(tree: Tree, { name, role, skipInstall }: ControllerOptions): GeneratorCallback {
  const dir = `packages/${role}/${name}`;
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) throw new Error(`${name}: not kebab case (usage-report)`);
  if (tree.exists(dir)) throw new Error(`${dir} exists`);
  if (packageNames(tree).includes(`@hawser/${name}`)) throw new Error(`@hawser/${name} exists`);

  const { version } = readJson<{ readonly version: string }>(tree, 'package.json');
  const pascal = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  generateFiles(tree, join(import.meta.dirname, 'template'), dir, {
    name,
    dir,
    role,
    pascal,
    ...clusters[role],
    // Each on a line of its own, as JSON.
    dependencies: lines(dependencies.map((dependency) => `"@hawser/${dependency}": "${version}"`), 4),
    devDependencies: lines(devDependencies.map((dependency) => `"@hawser/${dependency}": "${version}"`), 4),
    references: lines(dependencies.map((dependency) => `{ "path": "../../machinery/${dependency}" }`), 4),
    version,
  });
  updateJson<{ references: { path: string }[] }>(tree, 'tsconfig.json', (config) => ({ ...config, references: [...config.references, { path: dir }] }));
  mentionInReadme(tree, role, name, dir);
  return () => {
    if (skipInstall) console.log('Link the new workspace by `npm install`.');
    else installPackagesTask(tree, true);
  };
}

function packageNames(tree: Tree): readonly string[] {
  return tree.children('packages').flatMap((group) => tree.children(`packages/${group}`).map((dir) => `packages/${group}/${dir}/package.json`))
    .filter((file) => tree.exists(file))
    .map((file) => readJson<{ readonly name: string }>(tree, file).name);
}

function lines(items: readonly string[], indent: number): string {
  return items.join(`,\n${' '.repeat(indent)}`);
}

/** The table of packages has a row for each role. */
function mentionInReadme(tree: Tree, role: string, name: string, dir: string): void {
  const text = tree.read('README.md', 'utf8') ?? '';
  const row = new RegExp(`^(\\| ${role} \\| (?=\\[).*?) \\|$`, 'mu');
  if (row.test(text)) tree.write('README.md', text.replace(row, `$1 · [${name}](${dir}) |`));
  else console.log(`Mention ${dir} in the table of packages in README.md.`);
}
