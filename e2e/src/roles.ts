import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InformerScope, type Isolation, fixedNames } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { kubeconfigText } from '@hawser/testenv';
import { renderChart } from './chart.js';
import type { Plane } from './plane.js';
import { type Program, startProgram } from './program.js';
import { root } from './root.js';
import type { Watchdog } from './watchdog.js';

/** Executables of a release built in `folder`. */
export function executablesIn(folder: string) {
  const executable = (name: string): string => join(folder, 'apps/supervisor/bin', name);
  return {
    konnector: executable('hawser-konnector'),
    kbind: executable('hawser-kbind'),
    syncagent: executable('hawser-syncagent'),
    backend: executable('hawser-backend'),
    hawser: executable('hawser'),
  };
}

/** The executables under test. */
export const executables = {
  ...executablesIn(root),
  kubectlBind: join(root, 'apps/kubectl-bind/bin/kubectl-bind.mjs'),
};

export interface ProviderMode {
  readonly isolation: Isolation;
  readonly informerScope: InformerScope;
}

export interface KonnectorSettings {
  /** Default `konnector`; also its identity for the lease. */
  readonly name?: string;
  readonly args?: readonly string[];
  /** Connection to the consumer, if not direct. Credentials are the konnector's own. */
  readonly connection?: Pick<Plane['connection'], 'server' | 'caData'>;
  /** Settings without a flag of the Go konnector: runs `hawser run` with a config file instead. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** How the roles run: as processes here, or as pods of their clusters. */
export interface Roles {
  /** Grants the konnector's ServiceAccount and rights, by values of its chart. */
  grant(values: Readonly<Record<string, unknown>>): Promise<void>;
  startKonnector(name: string, options: KonnectorSettings, account: ConnectionConfig): Promise<Program>;
  startProvider(name: string, mode: ProviderMode): Promise<Program>;
  /** Removes everything installed. */
  uninstall(): Promise<void>;
}

export interface RolesOptions {
  readonly consumer: Plane;
  readonly provider: Plane;
  readonly folder: string;
  readonly watchdog: Watchdog;
  /** Folder of the built programs. Default: here. */
  readonly release?: string;
}

const templates = ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml', 'admissionpolicy.yaml'];

/** As processes, with the rights from the chart's templates. */
export function rolesAsProcesses({ consumer, provider, folder, watchdog, release = root }: RolesOptions): Roles {
  const namespace = fixedNames.konnectorNamespace;
  const { konnector, hawser } = executablesIn(release);
  return {
    async grant(values) {
      await consumer.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await consumer.apply(
        ...renderChart(join(root, 'charts/konnector'), templates, { name: 'konnector', namespace, values }),
      );
    },
    async startKonnector(name, { name: identity = name, args = [], connection, config }, account) {
      const kubeconfig = join(folder, `${name}.kubeconfig`);
      writeFileSync(kubeconfig, kubeconfigText('consumer', { ...account, ...connection }), { mode: 0o600 });
      const flags = [`--kubeconfig=${kubeconfig}`, `--lease-namespace=${namespace}`, ...args];
      const file = join(folder, `${name}.json`);
      if (config !== undefined) writeFileSync(file, JSON.stringify({ roles: ['konnector'], konnector: config }));
      return startProgram({
        name,
        command: config === undefined ? konnector : hawser,
        args: config === undefined ? flags : ['run', `--config=${file}`, ...flags],
        env: { POD_NAME: identity },
        folder,
        watchdog,
      });
    },
    async startProvider(name, mode) {
      const config = join(folder, `${name}.json`);
      writeFileSync(
        config,
        JSON.stringify({
          roles: ['provider'],
          provider: { requestAdmission: 'Exported', consumerNamespaces: ['*'], ...mode },
        }),
      );
      return startProgram({
        name,
        command: hawser,
        args: ['run', `--config=${config}`, `--provider-kubeconfig=${provider.kubeconfigFile}`],
        env: { POD_NAME: 'provider' },
        folder,
        watchdog,
      });
    },
    uninstall: () => Promise.resolve(),
  };
}
