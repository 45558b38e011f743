import { access, copyFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { systemClock } from '@hawser/clock';
import { type ConnectionConfig, loadKubeconfig } from '@hawser/kubeconfig';
import { type ControlPlaneBinaries, TestenvError, locateBinaries, startControlPlane } from '@hawser/testenv';
import { type Cluster, openCluster } from './cluster.js';
import { DemoError, messageOf } from './demo-error.js';
import type { Side, Timeline } from './timeline.js';

export interface OpenOptions {
  /** For copies of kubeconfigs and kubectl's cache. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A cluster on its way, and the end of what was started for it. */
export interface Opening {
  readonly cluster: Promise<Cluster>;
  /** Closes the client; ends the control plane, if it is the demo's own. */
  close(): Promise<void>;
}

/** Finds the programs of a control plane; says what it does only where that takes time. @throws DemoError `unavailable` */
export async function findPrograms(timeline: Timeline): Promise<ControlPlaneBinaries> {
  try {
    return await locateBinaries({ quick: true, controllerManager: true }).catch(() => locateBinaries({ controllerManager: true, print: (line) => { timeline.doing(undefined, line); } }));
  } catch (error) {
    if (!(error instanceof TestenvError)) throw error;
    throw new DemoError('unavailable', `There are no kube-apiserver and etcd for two control planes. Put them and kubectl into a folder and set KUBEBUILDER_ASSETS to it, or install Go and run "npm run testenv -- fetch", or give clusters of yours with --consumer FILE --provider FILE. (${error.message})`, { cause: error });
  }
}

/** Starts a control plane of the demo's own. */
export function startCluster(side: Side, binaries: ControlPlaneBinaries, controllerManager: boolean, { folder, signal }: OpenOptions): Opening {
  const starting = startControlPlane({ name: side, binaries, controllerManager, startTimeoutMs: 120_000 });
  const cluster = starting.then(async (plane) => {
    const kubeconfigFile = join(folder, `${side}.kubeconfig`);
    await copyFile(plane.kubeconfigFile, kubeconfigFile);
    return openCluster({ side, connection: plane.connection, kubeconfigFile, kubectlProgram: binaries.paths.kubectl ?? 'kubectl', cacheFolder: join(folder, `kubectl-${side}`), signal });
  });
  cluster.catch(() => undefined);
  return {
    cluster,
    async close() {
      await cluster.then((open) => open.close(), () => undefined);
      await starting.then((plane) => plane.stop(), () => undefined);
    },
  };
}

/** Opens a cluster that somebody else runs. */
export function openGiven(side: Side, file: string, kubectlProgram: string, { folder, signal }: OpenOptions): Opening {
  const cluster = connect(side, file).then((connection) => openCluster({ side, connection, kubeconfigFile: file, kubectlProgram, cacheFolder: join(folder, `kubectl-${side}`), signal }));
  cluster.catch(() => undefined);
  return { cluster, close: () => cluster.then((open) => open.close(), () => undefined) };
}

async function connect(side: Side, file: string): Promise<ConnectionConfig> {
  try {
    return await loadKubeconfig({ file, env: process.env, clock: systemClock });
  } catch (error) {
    throw new DemoError('usage', `--${side} ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** kubectl: the one on the PATH, else the one that control planes of the demo's own would bring. @throws DemoError `unavailable` */
export async function findKubectl(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter((path) => path !== '')) {
    const program = join(folder, 'kubectl');
    if (await access(program, 1).then(() => true, () => false)) return program;
  }
  const found = await locateBinaries({ quick: true }).catch(() => undefined);
  if (found?.paths.kubectl !== undefined) return found.paths.kubectl;
  throw new DemoError('unavailable', 'There is no kubectl on the PATH: install it first.');
}
