import { readFile } from 'node:fs/promises';
import type { ConnectionConfig } from './connection.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { type LoadOptions, loadKubeconfig } from './load-kubeconfig.js';

/** How old what is known may be when somebody asks. A mounted Secret is replaced within a minute or so of its change. */
const FRESH_MS = 10_000;

export interface FollowOptions extends LoadOptions {
  readonly file: string;
  /** Told why a replaced file is not used, once for each content, and of each that is. Never quotes it. */
  readonly onChange?: ((problem: KubeconfigError | undefined) => void) | undefined;
}

/**
 * The connection of a kubeconfig file that is replaced while we run, as a mounted Secret is: to be asked for before each request. It looks at the file
 * when it is asked, at most every ten seconds, and without making the asker wait. What was read before stays while the file cannot be read or used, or
 * names another server: that would be another cluster.
 *
 * @throws KubeconfigError where the file cannot be used from the start.
 */
export async function followKubeconfig({ onChange, ...options }: FollowOptions): Promise<() => ConnectionConfig> {
  const { file, clock } = options;
  let content = await readFile(file, 'utf8').catch(() => '');
  let connection = await loadKubeconfig(options);
  let lookedAt = clock.monotonic();
  let looking = false;

  const look = async (): Promise<void> => {
    const found = await readFile(file, 'utf8').catch(() => '');
    // It may just be being replaced.
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
