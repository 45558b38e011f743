import { access, copyFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { systemClock } from '@hawser/clock';
import { type ConnectionConfig, loadKubeconfig } from '@hawser/kubeconfig';
import { type ControlPlaneBinaries, TestenvError, locateBinaries, startControlPlane } from '@hawser/testenv';
import { type Cluster, openCluster } from './cluster.js';
import { DemoError, messageOf } from './demo-error.js';
import { kubectlUser } from './kubectl-user.js';
import type { Side, Timeline } from './timeline.js';

export interface OpenOptions {
  /** For copies of kubeconfigs and kubectl's cache. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A cluster that is being opened, and the cleanup for it. */
export interface Opening {
  readonly cluster: Promise<Cluster>;
  /** Closes the client; ends the demo's own API server. */
  close(): Promise<void>;
}

/**
 * Finds the programs of a control plane; prints progress only if it takes time.
 * @throws DemoError `unavailable`
 */
export async function findPrograms(timeline: Timeline): Promise<ControlPlaneBinaries> {
  try {
    return await locateBinaries({ quick: true, controllerManager: true }).catch(() =>
      locateBinaries({
        controllerManager: true,
        print: (line) => {
          timeline.doing(undefined, line);
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof TestenvError)) throw error;
    throw new DemoError(
      'unavailable',
      `There are no kube-apiserver and etcd for two control planes. Put them and kubectl into a folder and set KUBEBUILDER_ASSETS to it, or install Go and run "npm run testenv -- fetch", or leave --real away. (${error.message})`,
      { cause: error },
    );
  }
}

/** Starts the demo's own control plane. */
export function startCluster(
  side: Side,
  binaries: ControlPlaneBinaries,
  controllerManager: boolean,
  { folder, signal }: OpenOptions,
): Opening {
  const starting = startControlPlane({ name: side, binaries, controllerManager, startTimeoutMs: 120_000 });
  const cluster = starting.then(async (plane) => {
    const kubeconfigFile = join(folder, `${side}.kubeconfig`);
    await copyFile(plane.kubeconfigFile, kubeconfigFile);
    return openWithKubectl(side, plane.connection, kubeconfigFile, binaries.paths.kubectl ?? 'kubectl', {
      folder,
      signal,
    });
  });
  cluster.catch(() => undefined);
  return {
    cluster,
    async close() {
      await cluster.then(
        (open) => open.close(),
        () => undefined,
      );
      await starting.then(
        (plane) => plane.stop(),
        () => undefined,
      );
    },
  };
}

/** Opens an existing cluster by its kubeconfig. */
export function openGiven(side: Side, file: string, kubectl: string, options: OpenOptions): Opening {
  const cluster = connect(side, file).then((connection) => openWithKubectl(side, connection, file, kubectl, options));
  cluster.catch(() => undefined);
  return {
    cluster,
    close: () =>
      cluster.then(
        (open) => open.close(),
        () => undefined,
      ),
  };
}

function openWithKubectl(
  side: Side,
  connection: ConnectionConfig,
  kubeconfigFile: string,
  program: string,
  { folder, signal }: OpenOptions,
): Cluster {
  return openCluster({
    side,
    connection,
    kubeconfigFile,
    userOf: () => kubectlUser({ program, kubeconfigFile, cacheFolder: join(folder, `kubectl-${side}`), signal }),
    signal,
  });
}

async function connect(side: Side, file: string): Promise<ConnectionConfig> {
  try {
    return await loadKubeconfig({ file, env: process.env, clock: systemClock });
  } catch (error) {
    throw new DemoError('usage', `--${side} ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** kubectl from the PATH, else from the test control planes. */
export async function findKubectl(): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter((path) => path !== '')) {
    const program = join(folder, 'kubectl');
    if (
      await access(program, 1).then(
        () => true,
        () => false,
      )
    )
      return program;
  }
  const found = await locateBinaries({ quick: true }).catch(() => undefined);
  return found?.paths.kubectl;
}
