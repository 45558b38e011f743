import { readFile } from 'node:fs/promises';
import type { ConnectionConfig } from './connection.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { type LoadOptions, loadKubeconfig } from './load-kubeconfig.js';

/**
 * Maximum age of the last read when it is requested. A mounted Secret is replaced within about a minute of its change.
 */
const FRESH_MS = 10_000;

export interface FollowOptions extends LoadOptions {
  readonly file: string;
  /**
   * Called with the reason why a replaced file is unusable, once per content; without one for a usable file. Never
   * quotes the file.
   */
  readonly onChange?: ((problem: KubeconfigError | undefined) => void) | undefined;
}

/**
 * Follows a kubeconfig file that is replaced at run time, such as a mounted Secret. Request the connection before each
 * request: it checks the file then, at most every ten seconds, without making the caller wait. Keeps the last
 * connection while the file is unreadable or unusable, or names another server: that would be another cluster.
 *
 * @throws KubeconfigError if the file is unusable at the start.
 */
export async function followKubeconfig({ onChange, ...options }: FollowOptions): Promise<() => ConnectionConfig> {
  const { file, clock } = options;
  let content = await readFile(file, 'utf8').catch(() => '');
  let connection = await loadKubeconfig(options);
  let lookedAt = clock.monotonic();
  let looking = false;

  const look = async (): Promise<void> => {
    const found = await readFile(file, 'utf8').catch(() => '');
    // The file may be in the middle of a replacement.
    if (found === '' || found === content) return;
    content = found;
    const next = await loadKubeconfig(options);
    if (next.server !== connection.server)
      throw new KubeconfigError(
        'Invalid',
        `${file} names another server now. The operator must restart this process to use it.`,
      );
    connection = next;
    onChange?.(undefined);
  };

  return () => {
    if (!looking && clock.monotonic() - lookedAt >= FRESH_MS) {
      looking = true;
      look()
        .catch((error: unknown) => {
          onChange?.(
            error instanceof KubeconfigError
              ? error
              : new KubeconfigError('Unreadable', `${file} cannot be read`, { cause: error }),
          );
        })
        .finally(() => {
          lookedAt = clock.monotonic();
          looking = false;
        });
    }
    return connection;
  };
}
