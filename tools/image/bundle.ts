import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files of a bundle: `entry` and what it loads from beside it, at once or later. Leaves out files of older builds.
 */
export function filesOfBundle(folder: string, entry: string): readonly string[] {
  const files: string[] = [];
  const add = (name: string): void => {
    if (files.includes(name) || !existsSync(join(folder, name))) return;
    files.push(name);
    for (const [, loaded = ''] of readFileSync(join(folder, name), 'utf8').matchAll(/["']\.\/([\w.-]+\.js)["']/gu))
      add(loaded);
  };
  add(entry);
  return files;
}
