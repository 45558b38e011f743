// Stages a package that is one program: complete, hence without dependencies.
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfBundle } from '../image/bundle.ts';
import { type Manifest, root } from '../workspace.ts';
import { writeBundleDocuments } from './bundle-documents.ts';
import { launcher, programs } from './launcher.ts';

/** Whether a package is a program. */
export function isProgram({ nx }: Pick<Manifest, 'nx'>): boolean {
  return nx?.tags?.includes('layer:app') === true;
}

/**
 * In the staged `folder`, removes what the program does not need, and adds what goes with it. Returns its programs, in
 * manifest form.
 */
export function stageProgram(
  dir: string,
  folder: string,
  manifest: Manifest & { readonly license?: string },
): Readonly<Record<string, string>> {
  const dist = join(root, dir, 'dist');
  const names = Object.keys(manifest.bin ?? {});
  const files = new Set<string>();
  for (const name of names) {
    const [entry] = programs[name] ?? [];
    if (entry === undefined) throw new Error(`${manifest.name}: nothing is known of its program ${name}`);
    for (const file of filesOfBundle(dist, entry)) files.add(file);
  }
  const list = [...files].sort();
  for (const file of globSync('dist/*', { cwd: folder }))
    if (!files.has(file.replace(/^dist[/\\]/u, ''))) rmSync(join(folder, file), { recursive: true });
  for (const name of names) writeFileSync(join(folder, `bin/${name}.mjs`), launcher(name), { mode: 0o755 });
  const { name, version, license = '' } = manifest;
  writeBundleDocuments(dist, list, { name, version, license }, folder);
  return Object.fromEntries(names.map((one) => [one, `./bin/${one}.mjs`]));
}
