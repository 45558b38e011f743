import { copyFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, readJson, root } from '../workspace.ts';
import type { Component } from './sbom.ts';
import { filesOfBundle } from './bundle.ts';
import { writeBundleDocuments } from '../release/bundle-documents.ts';
import { launcher } from '../release/launcher.ts';
import { pathIn, settle } from './file-system.ts';

/** Names of the executables; `/bin/konnector` and `/bin/backend` are the paths in the Go programs' images. */
const links: Readonly<Record<string, string>> = {
  'usr/local/bin/hawser': '/hawser/bin/hawser.mjs',
  'usr/local/bin/hawser-konnector': '/hawser/bin/hawser-konnector.mjs',
  'usr/bin/konnector': '/hawser/bin/hawser-konnector.mjs',
  'usr/local/bin/hawser-kbind': '/hawser/bin/hawser-kbind.mjs',
  'usr/local/bin/hawser-syncagent': '/hawser/bin/hawser-syncagent.mjs',
  'usr/local/bin/hawser-backend': '/hawser/bin/hawser-backend.mjs',
  'usr/bin/backend': '/hawser/bin/hawser-backend.mjs',
};

/**
 * Lays out the top layer from the built supervisor. `others` go into its bill of materials too.
 * @throws Error if nothing is built
 */
export function stageApplication(folder: string, others: readonly Component[]): void {
  const supervisor = join(root, 'apps/supervisor');
  const dist = join(supervisor, 'dist');
  const files = filesOfBundle(dist, 'hawser.js');
  if (files.length === 0) throw new Error('the supervisor is not built: npm run build');
  const {
    version,
    name,
    license = '',
  } = { ...readJson<Manifest & { readonly license?: string }>(join(supervisor, 'package.json')), name: 'hawser' };
  const at = pathIn(folder);
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) copyFileSync(join(dist, file), at(`hawser/dist/${file}`));
  for (const program of ['hawser', 'hawser-konnector', 'hawser-kbind', 'hawser-syncagent', 'hawser-backend'])
    writeFileSync(at(`hawser/bin/${program}.mjs`), launcher(program, '/usr/local/bin/node'), { mode: 0o755 });
  copyFileSync(join(root, 'LICENSE'), at('hawser/LICENSE'));
  writeFileSync(at('hawser/package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
  writeBundleDocuments(dist, files, { name, version, license }, join(folder, 'hawser'), others);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, at(path));
  settle(folder);
}
