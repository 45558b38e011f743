import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, readJson, root } from '../workspace.ts';
import { filesOfBundle } from './bundle.ts';
import { writeBundleDocuments } from '../release/bundle-documents.ts';

/** Everything that the Dockerfile copies. */
export const stagedFolder = join(root, 'tmp', 'image');

/** Names under which the executables are found; `/bin/konnector` and `/bin/backend` are where the Go programs' images have their own. */
const links: Readonly<Record<string, string>> = {
  'usr/local/bin/hawser': '/hawser/bin/hawser',
  'usr/local/bin/hawser-konnector': '/hawser/bin/hawser-konnector',
  'usr/bin/konnector': '/hawser/bin/hawser-konnector',
  'usr/local/bin/hawser-syncagent': '/hawser/bin/hawser-syncagent',
  'usr/local/bin/hawser-backend': '/hawser/bin/hawser-backend',
  'usr/bin/backend': '/hawser/bin/hawser-backend',
};

/** Lays out the file system of the image, without its base, from the built supervisor. Answers its version. */
export function stageImage(folder: string = stagedFolder): string {
  const supervisor = join(root, 'apps/supervisor');
  const dist = join(supervisor, 'dist');
  const files = filesOfBundle(dist, 'hawser.js');
  if (files.length === 0) throw new Error('the supervisor is not built: npm run build');
  const {
    version,
    name,
    license = '',
  } = { ...readJson<Manifest & { readonly license?: string }>(join(supervisor, 'package.json')), name: 'hawser' };
  const at = (path: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) copyFileSync(join(dist, file), at(`hawser/dist/${file}`));
  for (const launcher of ['hawser', 'hawser-konnector', 'hawser-syncagent', 'hawser-backend']) {
    copyFileSync(join(supervisor, 'bin', launcher), at(`hawser/bin/${launcher}`));
    chmodSync(at(`hawser/bin/${launcher}`), 0o755);
  }
  copyFileSync(join(root, 'LICENSE'), at('hawser/LICENSE'));
  writeFileSync(at('hawser/package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
  writeBundleDocuments(dist, files, { name, version, license }, join(folder, 'hawser'));
  for (const [path, target] of Object.entries(links)) symlinkSync(target, at(path));
  return version;
}
