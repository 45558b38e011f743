import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { type TarFile, tar } from './tar.js';

export interface WriteOptions {
  readonly files: readonly TarFile[];
  /** A name that ends in `.tar.gz` or `.tgz` is an archive, any other a folder. Neither may exist already. */
  readonly output: string;
  /** Folder in the archive. */
  readonly root: string;
  readonly nowMs: number;
}

/** Writes a bundle that only its owner may read. Rejects with the error of the file system. */
export async function writeBundle({ files, output, root, nowMs }: WriteOptions): Promise<void> {
  if (isArchive(output)) {
    const archive = tar(
      files.map(({ path, content }) => ({ path: `${root}/${path}`, content })),
      nowMs,
    );
    await writeFile(output, await promisify(gzip)(archive), { mode: 0o600, flag: 'wx' });
    return;
  }
  await mkdir(dirname(output), { recursive: true });
  await mkdir(output, { mode: 0o700 });
  await chmod(output, 0o700);
  for (const { path, content } of files) {
    await mkdir(dirname(join(output, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(output, path), content, { mode: 0o600, flag: 'wx' });
  }
}

/** Whether this names an archive rather than a folder. */
export function isArchive(output: string): boolean {
  return /\.(?:tar\.gz|tgz)$/u.test(output);
}
