import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder with recordings of other programs' objects: `recorded` in `$HAWSER_SHARED`, or in a folder `shared` next to the checkout. */
export function recordingsFolder(env: NodeJS.ProcessEnv = process.env): string {
  const shared = env['HAWSER_SHARED'];
  return join(shared !== undefined && shared !== '' ? shared : fileURLToPath(new URL('../../../../../shared', import.meta.url)), 'recorded');
}
