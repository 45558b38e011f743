// Stages each published package in tmp/publish/<its folder>, exactly as it goes to the registry: the `files`, the
// licence, and a manifest without fields of this workspace only. `nx release publish` publishes from there.
import { copyFileSync, cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDocuments } from './release/bundle-documents.ts';
import { isProgram, stageProgram } from './release/bundle-package.ts';
import { must } from './run.ts';
import { publishedPackages, readJson, root, type WorkspacePackage } from './workspace.ts';

/** A package as published. */
export interface StagedPackage extends WorkspacePackage {
  /** Absolute folder with the files of the package. */
  readonly staged: string;
}

const target = join(root, 'tmp', 'publish');

/** Stages every published package. They must have been built. */
export async function stagePackages(): Promise<readonly StagedPackage[]> {
  const packages = publishedPackages();
  const raw = join(root, 'tmp', 'publish-raw');
  for (const dir of [raw, target]) rmSync(dir, { recursive: true, force: true });
  const tarballs = await npmPack(
    packages.map(({ dir }) => join(root, dir)),
    raw,
  );
  const staged: StagedPackage[] = [];
  for (const [index, { dir, manifest }] of packages.entries()) {
    const folder = join(target, dir);
    mkdirSync(folder, { recursive: true });
    await must('tar', ['-xzf', tarballs[index]!, '-C', folder, '--strip-components=1']);
    // Declarations of test code.
    rmSync(join(folder, 'dist', 'testing'), { recursive: true, force: true });
    // They point to sources outside the tarball.
    for (const map of globSync('dist/**/*.d.ts.map', { cwd: folder })) rmSync(join(folder, map));
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const published = publicManifest(readJson(join(folder, 'package.json')));
    const write = (at: string, text: object): void => {
      writeFileSync(join(at, 'package.json'), `${JSON.stringify(text, null, 2)}\n`);
    };
    if (!isProgram(manifest)) {
      write(folder, published);
      staged.push({ dir, manifest, staged: folder });
      continue;
    }
    const bin = stageProgram(dir, folder, manifest);
    const program = { ...ofProgram(published), bin };
    write(folder, program);
    staged.push({ dir, manifest: { ...manifest, bin }, staged: folder });
    if (manifest.name !== '@hawser/supervisor') continue;
    // The name for `npx hawser`.
    const short = `${folder}-unscoped`;
    cpSync(folder, short, { recursive: true });
    write(short, { ...program, name: 'hawser' });
    staged.push({ dir: `${dir}-unscoped`, manifest: { ...manifest, name: 'hawser', bin: {} }, staged: short });
  }
  rmSync(raw, { recursive: true });
  return staged;
}

/** Packs folders into tarballs; returns their absolute paths in the same order. */
export async function npmPack(folders: readonly string[], destination: string): Promise<readonly string[]> {
  mkdirSync(destination, { recursive: true });
  const report = await must('npm', [
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    destination,
    ...folders,
  ]);
  const packed = JSON.parse(report) as readonly { readonly filename: string }[];
  if (packed.length !== folders.length) throw new Error(`npm packed ${packed.length} of ${folders.length} packages`);
  return packed.map(({ filename }) => join(destination, filename));
}

/** The oldest Node that published packages run on. The workspace brings its own Node, so its manifests omit it. */
const engines = { node: '>=22.19' };

/**
 * The published manifest: with `engines`; without scripts, nx tags and the condition for sources, which are not in the
 * tarball.
 */
export function publicManifest(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const published = Object.entries(manifest)
    .filter(([key]) => !['scripts', 'nx', 'devDependencies'].includes(key))
    .map(([key, value]): [string, unknown] => [key, key === 'exports' ? withoutSources(value) : value]);
  return {
    ...Object.fromEntries(published),
    engines,
    keywords: ['kubernetes', 'crd', 'multicluster', 'kube-bind', 'kcp', 'klutch'],
    publishConfig: { access: 'public', provenance: true },
    ...atRepository(process.env['HAWSER_REPOSITORY']),
  };
}

/** Repository URL, from the publisher: `https://…`. */
function atRepository(url: string | undefined): object {
  if (url === undefined || url === '') return {};
  return {
    repository: { type: 'git', url: `git+${url}.git` },
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
  };
}

/** A program bundles its dependencies; it is run, not imported. */
function ofProgram(published: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const files = Array.isArray(published['files']) ? (published['files'] as readonly unknown[]) : [];
  const kept = Object.entries(published).filter(([key]) => key !== 'dependencies');
  return { ...Object.fromEntries(kept), files: [...files, ...bundleDocuments] };
}

function withoutSources(exports: unknown): unknown {
  if (typeof exports !== 'object' || exports === null) return exports;
  return Object.fromEntries(
    Object.entries(exports)
      .filter(([condition]) => condition !== 'hawser-source')
      .map(([condition, value]) => [condition, withoutSources(value)] as const)
      .filter(([, value]) => typeof value === 'string' || Object.keys(value as object).length > 0),
  );
}

if (import.meta.main) {
  const staged = await stagePackages();
  console.log(`staged ${staged.length} packages in tmp/publish`);
}
