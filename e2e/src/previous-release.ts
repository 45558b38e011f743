import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '@hawser/testenv';
import { root } from './root.js';

const { version, commit } = JSON.parse(readFileSync(join(root, 'e2e/previous.json'), 'utf8')) as {
  readonly version: string;
  readonly commit: string;
};
const folder = join(cacheFolder(), 'previous', commit);

/** The previous release candidate, built by `node tools/previous.ts`; `missing` says why there is none. */
export const previousRelease: { readonly version: string; readonly folder: string; readonly missing?: string } = {
  version,
  folder,
  ...(existsSync(folder) ? {} : { missing: 'it is not built (node tools/previous.ts)' }),
};
