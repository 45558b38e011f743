import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { anyNameVerb } from '@hawser/exportrbac';
import { fixedNames } from '@hawser/kube-bind';
import { eventually, freePort } from '@hawser/testenv';
import { type Helm, type ReleaseName, type Values, findHelm } from './helm.js';
import type { Plane } from './plane.js';
import type { Exit, Program } from './program.js';
import type { Roles, RolesOptions } from './roles.js';
import type { Watchdog } from './watchdog.js';

/**
 * Whether the programs under test run as pods of the given clusters: then `HAWSER_E2E_IMAGE` names their image,
 * `repository:tag`.
 */
export function inPods(): boolean {
  return (process.env['HAWSER_E2E_IMAGE'] ?? '') !== '';
}

export interface ChartReleaseOptions extends ReleaseName {
  readonly plane: Plane;
  /** Name of the Deployment. */
  readonly deployment: string;
  readonly folder: string;
  readonly watchdog: Watchdog;
}

/** One of our charts in a cluster, without a pod at first. */
export interface ChartRelease {
  /** Adds values. */
  set(values: Values): Promise<void>;
  /** Starts the one pod; its log goes to a file. */
  start(name: string, values?: Values): Promise<Program>;
  /** Names of the pods that are not being deleted. */
  pods(): Promise<readonly string[]>;
  uninstall(): Promise<void>;
}

export async function installChart(options: ChartReleaseOptions): Promise<ChartRelease> {
  const helm = await neededHelm();
  const { plane, deployment, namespace } = options;
  const [repository = '', tag = ''] = (process.env['HAWSER_E2E_IMAGE'] ?? '').split(/:(?=[^/:]+$)/u);
  let values: Values = { image: { repository, tag, pullPolicy: 'IfNotPresent' }, replicas: 0 };
  const all = async (): Promise<readonly KubeObject[]> =>
    (
      JSON.parse(await plane.kubectl(['get', 'pods', '-n', namespace, '-l', `app=${deployment}`, '-o', 'json'])) as {
        readonly items: readonly KubeObject[];
      }
    ).items;
  const release: ChartRelease = {
    async set(more) {
      values = { ...values, ...more };
      await helm.upgrade(plane.kubeconfigFile, options, values);
    },
    async start(name, more = {}) {
      if ((await release.pods()).length > 0)
        throw new Error(`${deployment} runs already: as a pod there is one at a time`);
      await release.set({ ...more, replicas: 1 });
      await plane.kubectl(['rollout', 'status', `deployment/${deployment}`, '-n', namespace, '--timeout=120s']);
      const [pod] = await release.pods();
      if (pod === undefined) throw new Error(`${deployment} has no pod`);
      return followPod(options, name, pod, async () => {
        await release.set({ replicas: 0 });
        await eventually(
          async () => {
            if ((await all()).length > 0) throw new Error(`${deployment} still has pods`);
          },
          { timeoutMs: 60_000, intervalMs: 200 },
        );
      });
    },
    pods: async () =>
      (await all())
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name),
    uninstall: () => helm.uninstall(plane.kubeconfigFile, options),
  };
  await release.set({});
  return release;
}

async function neededHelm(): Promise<Helm> {
  const found = await findHelm({ quick: true });
  if ('missing' in found) throw new Error(found.missing);
  return found.helm;
}

/** A pod as a program: its log in a file, its health through the API server. */
export async function followPod(
  { plane, namespace, folder, watchdog }: Pick<ChartReleaseOptions, 'plane' | 'namespace' | 'folder' | 'watchdog'>,
  name: string,
  pod: string,
  end: () => Promise<void>,
): Promise<Program> {
  const logFile = join(folder, `${name}.log`);
  writeFileSync(logFile, '', { flag: 'a' });
  const port = await freePort();
  const kubectl = (args: readonly string[], output: string): { readonly pid: number; readonly kill: () => void } => {
    const file = openSync(output, 'a');
    const child = spawn('kubectl', [`--kubeconfig=${plane.kubeconfigFile}`, ...args], {
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const { pid } = child;
    if (pid === undefined) throw new Error('kubectl did not start');
    watchdog.watch(pid);
    child.once('exit', () => {
      watchdog.forget(pid);
    });
    return { pid, kill: () => child.kill() };
  };
  const log = kubectl(['logs', '--follow', pod, '-n', namespace], logFile);
  const proxy = kubectl(['proxy', `--port=${port}`], join(folder, `${name}.proxy.log`));
  await eventually(
    async () => {
      await fetch(`http://127.0.0.1:${port}/livez`);
    },
    { timeoutMs: 30_000, intervalMs: 100 },
  );
  let resolveExit: (exit: Exit) => void = () => undefined;
  const exited = new Promise<Exit>((resolve) => {
    resolveExit = resolve;
  });
  let ending: Promise<void> | undefined;
  let running = true;
  return {
    name,
    pid: log.pid,
    logFile,
    health: `http://127.0.0.1:${port}/api/v1/namespaces/${namespace}/pods/http:${pod}:8090/proxy`,
    exited,
    get running() {
      return running;
    },
    log: () => readFileSync(logFile, 'utf8'),
    async stop(signal = 'SIGTERM') {
      if (signal !== 'SIGTERM') throw new Error(`a pod cannot be sent ${signal}`);
      ending ??= end();
      await ending;
      running = false;
      for (const helper of [log, proxy]) helper.kill();
      resolveExit({ code: 0, signal: null });
      return exited;
    },
  };
}

/**
 * Consumers of the suites are fixtures: under isolation None only this grants them the names that the chart's policy
 * reserves.
 */
const anyNames = 'e2e:any-name';
const anyNameRights: readonly KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: anyNames },
    rules: [{ apiGroups: ['example.com'], resources: ['*'], verbs: [anyNameVerb] }],
  } as KubeObject,
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: anyNames },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: anyNames },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  } as KubeObject,
];

/** The roles as pods, from our charts. Schema policy as with the `hawser-konnector` of the other suites. */
export async function rolesAsPods({ consumer, provider, folder, watchdog }: RolesOptions): Promise<Roles> {
  const common = { folder, watchdog };
  const konnector = await installChart({
    ...common,
    plane: consumer,
    chart: 'konnector',
    name: 'konnector',
    deployment: 'konnector',
    namespace: fixedNames.konnectorNamespace,
  });
  const providerRole = await installChart({
    ...common,
    plane: provider,
    chart: 'provider',
    name: 'provider',
    deployment: 'hawser-provider',
    namespace: 'hawser',
  });
  await provider.apply(...anyNameRights);
  return {
    grant: (values) => konnector.set(values),
    startKonnector(name, { args = [], connection, config = {} }) {
      if (args.length > 0 || connection !== undefined)
        throw new Error('a pod has the flags and the API server of its cluster');
      return konnector.start(name, { schemaUpdate: 'Always', ...config });
    },
    startProvider: (name, { isolation, informerScope }) =>
      providerRole.start(name, { isolation, informerScope, consumerNamespaces: ['*'], requestAdmission: 'Exported' }),
    async uninstall() {
      await konnector.uninstall();
      await providerRole.uninstall();
    },
  };
}
