import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiServerArgs } from './api-server.js';
import { locateBinaries } from './binaries.js';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.js';
import { controllerManagerArgs } from './controller-manager.js';
import { type StartCredentials, writeCredentials } from './credentials.js';
import { compactEtcd, startEtcd, writeEntries } from './etcd.js';
import { freePort } from './free-port.js';
import { binariesOfRun } from './jest/binaries-of-run.js';
import { type ControlPlaneDescription, type Layout, layoutOf } from './layout.js';
import { poll } from './poll.js';
import { type Reaper, startReaper } from './reaper.js';
import { rawRequest } from './request.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { openControlPlane } from './shared-control-plane.js';
import { TestenvError } from './testenv-error.js';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** {@link startControlPlane}, plus the data that another process needs to use the same control plane. */
export interface StartedControlPlane {
  readonly controlPlane: ControlPlane;
  readonly description: ControlPlaneDescription;
}

/**
 * Starts etcd and kube-apiserver on loopback and resolves when they are ready, the namespaces `default` and
 * `kube-system` included.
 *
 * TLS, RBAC and the audit log are on. The programs end with {@link ControlPlane.stop}, and also when this process dies
 * without it.
 * @throws TestenvError `binaries-unavailable` or `start-failed`; nothing is left running then.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return (await startDescribed(options)).controlPlane;
}

/** As {@link startControlPlane}. */
export async function startDescribed(options: ControlPlaneOptions): Promise<StartedControlPlane> {
  const binaries =
    options.binaries ??
    binariesOfRun(options) ??
    (await locateBinaries({
      ...(options.kubernetesVersion === undefined ? {} : { kubernetesVersion: options.kubernetesVersion }),
      ...(options.print === undefined ? {} : { print: options.print }),
      controllerManager: options.controllerManager === true,
    }));
  const directory = await mkdtemp(join(tmpdir(), 'hawser-testenv-'));
  const reaper = startReaper(directory);
  const running: Running = { etcd: undefined, apiServer: undefined, controllerManager: undefined };
  try {
    return await start(
      {
        options,
        directory,
        layout: layoutOf(directory),
        reaper,
        binaries: binaries.paths,
        kubernetesVersion: binaries.kubernetesVersion,
        name: options.name ?? 'testenv',
        timeoutMs: options.startTimeoutMs ?? 60_000,
      },
      running,
    );
  } catch (error) {
    await stopAll(running, reaper);
    throw error;
  }
}

interface Running {
  etcd: ServerProcess | undefined;
  apiServer: ServerProcess | undefined;
  controllerManager: ServerProcess | undefined;
}

/**
 * Trades memory for time: with Go's default, a fifth of a server's start-up CPU goes into collections of its small
 * heap.
 */
const fewCollections = { GOGC: '400', GOMEMLIMIT: '1GiB' };

interface Setup {
  readonly options: ControlPlaneOptions;
  readonly name: string;
  readonly directory: string;
  readonly layout: Layout;
  readonly reaper: Reaper;
  readonly binaries: Readonly<Record<string, string | undefined>>;
  readonly kubernetesVersion: string;
  readonly timeoutMs: number;
}

async function start(setup: Setup, running: Running): Promise<StartedControlPlane> {
  const { options, layout, directory, reaper, name } = setup;
  running.etcd = await startEtcd(program(setup, 'etcd'), directory, layout, reaper);
  const credentials = await writeCredentials(layout);
  if (options.load !== undefined && options.load.length > 0)
    await writeEntries(layout.etcdSocket, options.load, setup.timeoutMs);

  const port = await startApiServerOnFreePort(setup, running, credentials);
  const server = serverAt(port);
  await credentials.writeKubeconfigs(name, server);
  if (options.controllerManager === true) await startControllerManager(setup, running, credentials.admin(server));

  const description: ControlPlaneDescription = {
    name,
    directory,
    server,
    kubectl: program(setup, 'kubectl'),
    kubernetesVersion: setup.kubernetesVersion,
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopAll(running, reaper));
  const controlPlane: ControlPlane = {
    ...openControlPlane(description),
    port,
    compact: () => compactEtcd(layout.etcdSocket),
    logFile: (of) => layout.log(of),
    async restartApiServer({ signal = 'SIGTERM', whileDown } = {}) {
      await running.apiServer?.stop(signal);
      await whileDown?.();
      running.apiServer = await startApiServer(setup, port);
      await ready(setup, running, credentials.admin(server));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return { controlPlane, description };
}

async function stopAll(running: Running, reaper: Reaper): Promise<void> {
  // The data is thrown away, so no graceful end is needed.
  await Promise.all(
    [running.controllerManager, running.apiServer, running.etcd].flatMap((server) =>
      server === undefined ? [] : [server.stop('SIGKILL')],
    ),
  );
  await reaper.close();
}

function program(setup: Setup, name: string): string {
  const path = setup.binaries[name];
  if (path === undefined) throw new TestenvError('binaries-unavailable', `${name} was not found`);
  return path;
}

/** Another process may take a free port before the server listens: then tries another. */
async function startApiServerOnFreePort(
  setup: Setup,
  running: Running,
  credentials: StartCredentials,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = setup.options.port ?? (await freePort());
    running.apiServer = await startApiServer(setup, port);
    try {
      await ready(setup, running, credentials.admin(serverAt(port)));
      return port;
    } catch (error) {
      const taken = error instanceof TestenvError && error.message.includes('address already in use');
      if (!taken || setup.options.port !== undefined || attempt === 5) throw error;
    }
  }
}

function startApiServer(setup: Setup, port: number): Promise<ServerProcess> {
  const { options, layout, directory, reaper } = setup;
  return startServerProcess({
    program: program(setup, 'kube-apiserver'),
    cwd: directory,
    env: fewCollections,
    logFile: layout.log('kube-apiserver'),
    reaper,
    args: apiServerArgs({
      port,
      layout,
      extraFlags: options.apiServerFlags ?? {},
      featureGates: options.featureGates ?? {},
    }),
  });
}

/**
 * Resolves when the server is ready and the namespaces of every cluster exist: the server creates them a moment later.
 */
async function ready(setup: Setup, running: Running, admin: ConnectionConfig): Promise<void> {
  const answers = async (path: string): Promise<boolean> => await exists(admin, path).catch(() => false);
  await until(
    setup,
    running,
    'apiServer',
    async () =>
      (await answers('/readyz')) &&
      (await answers('/api/v1/namespaces/default')) &&
      answers('/api/v1/namespaces/kube-system'),
  );
}

async function startControllerManager(setup: Setup, running: Running, admin: ConnectionConfig): Promise<void> {
  const { options, layout, directory, reaper } = setup;
  running.controllerManager = await startServerProcess({
    program: program(setup, 'kube-controller-manager'),
    cwd: directory,
    logFile: layout.log('kube-controller-manager'),
    reaper,
    args: controllerManagerArgs(layout, { featureGates: options.featureGates ?? {}, quotas: options.quotas === true }),
  });
  // Its first visible writes.
  await until(
    setup,
    running,
    'controllerManager',
    async () =>
      (await exists(admin, '/api/v1/namespaces/default/serviceaccounts/default')) &&
      exists(admin, '/api/v1/namespaces/default/configmaps/kube-root-ca.crt'),
  );
}

async function exists(admin: ConnectionConfig, path: string): Promise<boolean> {
  return (await rawRequest(admin, { method: 'GET', path, timeoutMs: 2_000 })).status === 200;
}

function serverAt(port: number): string {
  return `https://127.0.0.1:${port}`;
}

/** Waits for `check`; gives up as soon as the awaited program, or etcd below it, has ended. */
async function until(
  setup: Setup,
  running: Running,
  what: keyof Running,
  check: () => Promise<boolean>,
): Promise<void> {
  const outcome = await poll(
    async () => {
      for (const key of ['etcd', what] as const) {
        const server = running[key];
        if (server?.ended !== undefined) return `${key} ended (${server.ended}):\n${await server.logTail()}`;
      }
      return (await check()) ? 'ready' : undefined;
    },
    setup.timeoutMs,
    50,
  );
  if (outcome === 'ready') return;
  throw new TestenvError(
    'start-failed',
    `control plane ${setup.name}: ${outcome ?? `${what} was not ready after ${setup.timeoutMs} ms:\n${(await running[what]?.logTail()) ?? ''}`}`,
  );
}
