import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Program, type ProgramPaths, defaultEtcdVersion, plainVersion, programs } from './platform.js';

/** Persistent folder: `$HAWSER_CACHE`, or `hawser` in the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env['HAWSER_CACHE'];
  if (own !== undefined && own !== '') return own;
  const user = env['XDG_CACHE_HOME'];
  if (user !== undefined && user !== '') return join(user, 'hawser');
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'hawser');
}

/** Cache folder for the programs of one Kubernetes version. */
export function binariesFolder(kubernetesVersion: string, env: NodeJS.ProcessEnv = process.env): string {
  return join(
    cacheFolder(env),
    'control-plane',
    `kubernetes-v${plainVersion(kubernetesVersion)}-etcd-v${defaultEtcdVersion}`,
  );
}

/** Executable programs in `folder`. */
export function programsIn(folder: string): ProgramPaths {
  const found: Partial<Record<Program, string>> = {};
  for (const program of programs) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      found[program] = path;
    } catch {
      /* not there */
    }
  }
  return found;
}
