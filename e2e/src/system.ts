import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type SampleApi, bind, onboardConsumer, requestExport, sampleCrd } from '@hawser/installation';
import { type CustomResourceDefinition, type PermissionClaim, fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { type BoundResource, createKonnectorAccount, konnectorClusterRole } from './konnector-account.js';
import { type Plane, type Side, openPlane } from './plane.js';
import { inPods, rolesAsPods } from './pods.js';
import { type Program, working } from './program.js';
import { type KonnectorSettings, type ProviderMode, type Roles, rolesAsProcesses } from './roles.js';
import { root } from './root.js';
import { type Watchdog, startWatchdog } from './watchdog.js';

export { type ProviderMode, executables } from './roles.js';

export interface KonnectorOptions extends KonnectorSettings {
  /** Default true: resolves once it leads and works. */
  readonly wait?: boolean;
}

export interface BindingOptions {
  readonly name: string;
  readonly apis: readonly SampleApi[];
  readonly mode?: ProviderMode;
  /** CRDs on the provider; default: those of `apis`. */
  readonly crds?: readonly CustomResourceDefinition[];
  /** Connection of the konnector to the provider, if not direct. */
  readonly connection?: Plane['connection'];
  /** The provider's claims from the start. The test grants their rights. */
  readonly claims?: readonly PermissionClaim[];
}

export interface BoundApi extends ProviderMode {
  readonly name: string;
  /** The consumer's cluster namespace on the provider. */
  readonly clusterNamespace: string;
  /** Content of the consumer's Secret `kubeconfig-<name>`. */
  readonly kubeconfig: string;
}

/** Two clusters, the provider's controllers and konnectors between them. */
export interface System {
  readonly consumer: Plane;
  readonly provider: Plane;
  /** Logs and test files. Kept after the run. */
  readonly folder: string;
  readonly watchdog: Watchdog;
  readonly roles: Roles;
  /** As a ServiceAccount with the chart's rights. */
  startKonnector(options?: KonnectorOptions): Promise<Program>;
  /** Runs the provider's controllers in that mode; restarts them if they run in another. */
  provideIn(mode: ProviderMode): Promise<void>;
  /** Stops the provider's controllers until {@link provideIn}. */
  stopProviding(): Promise<void>;
  /**
   * On the provider: CRDs, a new consumer with its rights, an export. On the consumer: Secret and binding. Does not
   * wait for the konnector.
   */
  bind(options: BindingOptions): Promise<BoundApi>;
  /** All program logs so far. */
  logs(): string;
  close(): Promise<void>;
}

export const prefixed: ProviderMode = { isolation: 'Prefixed', informerScope: 'Namespaced' };

export interface SystemOptions {
  /** Name of the folder for logs below `tmp/e2e`. */
  readonly name: string;
  /** Instead of two empty clusters. */
  readonly planes?: () => Promise<Record<Side, Plane>>;
  /** Resources that konnectors may sync from the start; {@link System.bind} adds to them. */
  readonly resources?: readonly BoundResource[];
  /** Values of the konnector's chart about rights. */
  readonly chartValues?: Readonly<Record<string, unknown>>;
}

export async function startSystem({
  name,
  planes,
  resources: boundResources = [],
  chartValues,
}: SystemOptions): Promise<System> {
  const folder = join(root, 'tmp', 'e2e', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const watchdog = startWatchdog();
  const { consumer, provider } = await (planes?.() ?? emptyPlanes());
  const roles = await (inPods() ? rolesAsPods : rolesAsProcesses)({ consumer, provider, folder, watchdog });
  const account = await createKonnectorAccount(consumer, (values) => roles.grant(values), chartValues);
  if (boundResources.length > 0) await account.allow(boundResources);
  const programs: Program[] = [];
  const bound: { readonly name: string; readonly clusterNamespace: string; readonly crds: readonly string[] }[] = [];
  let providing: { readonly mode: ProviderMode; readonly program: Program } | undefined;

  const started = async (starting: Promise<Program>): Promise<Program> => {
    const program = await starting;
    programs.push(program);
    return program;
  };

  const system: System = {
    consumer,
    provider,
    folder,
    watchdog,
    roles,
    async startKonnector({ wait = true, ...options } = {}) {
      const { name: identity = 'konnector' } = options;
      const before = programs.filter(
        (program) => program.name === identity || program.name.startsWith(`${identity}-`),
      ).length;
      const program = await started(
        roles.startKonnector(
          before === 0 ? identity : `${identity}-${before}`,
          { ...options, name: identity },
          account.connection,
        ),
      );
      if (wait) await working(program, 'konnector works');
      return program;
    },
    async provideIn(mode) {
      if (
        providing?.program.running === true &&
        providing.mode.isolation === mode.isolation &&
        providing.mode.informerScope === mode.informerScope
      )
        return;
      await providing?.program.stop();
      const program = await started(
        roles.startProvider(`provider-${mode.isolation}-${mode.informerScope}-${programs.length}`, mode),
      );
      providing = { mode, program };
      await working(program, 'provider works');
    },
    async stopProviding() {
      await providing?.program.stop();
    },
    async bind({
      name: binding,
      apis,
      mode = prefixed,
      crds = apis.map((api) => sampleCrd(api)),
      connection = provider.podsConnection,
      claims,
    }) {
      const clusterNamespace = `kube-bind-${binding}`;
      bound.push({ name: binding, clusterNamespace, crds: crds.map(({ metadata }) => metadata.name) });
      await system.provideIn(mode);
      await account.allow(apis);
      await provider.apply(...crds);
      for (const { metadata } of crds)
        await provider.kubectl(['wait', '--for=condition=Established', `crd/${metadata.name}`, '--timeout=60s']);
      const { kubeconfig } = await onboardConsumer({
        provider: provider.client,
        connection,
        clusterNamespace,
        prettyName: `Provider of ${binding}`,
        apis,
      });
      await requestExport(provider.client, clusterNamespace, binding, apis, claims);
      await eventually(
        () => provider.client.get(resources.apiServiceExports, { namespace: clusterNamespace, name: binding }),
        { timeoutMs: 60_000 },
      );
      await bind({ consumer: consumer.client, name: binding, kubeconfig });
      return { name: binding, clusterNamespace, kubeconfig, ...mode };
    },
    logs: () =>
      programs
        .map(
          (program) =>
            `----- ${program.name}${program.running ? '' : ' (ended)'}: ${program.logFile}\n${program.log().split('\n').slice(-80).join('\n')}`,
        )
        .join('\n'),
    async close() {
      // Our own clusters are removed whole; given clusters are restored.
      if (consumer.controlPlane === undefined || provider.controlPlane === undefined) await unbindAll();
      await Promise.all(programs.map((program) => program.stop('SIGTERM', 5_000)));
      await watchdog.close();
      await Promise.all([consumer.stop(), provider.stop()]);
    },
  };
  return system;

  async function unbindAll(): Promise<void> {
    if (bound.length === 0) return;
    const remove = (plane: Plane, kind: string, names: readonly string[]): Promise<string> =>
      plane.kubectl(['delete', kind, ...new Set(names), '--ignore-not-found', '--timeout=120s']);
    const crds = bound.flatMap((one) => one.crds);
    // A program must remove the finalizers.
    if (!programs.some((program) => program.running && program.name.includes('konnector')))
      await system.startKonnector({ name: 'konnector' });
    await remove(
      consumer,
      'apiservicebindings',
      bound.map(({ name }) => name),
    );
    await remove(consumer, 'crd', crds);
    await Promise.all(programs.map((program) => program.stop()));
    await roles.uninstall();
    await remove(consumer, 'namespace', [...consumerNamespaces, fixedNames.konnectorNamespace]);
    await remove(consumer, 'clusterrolebinding', [konnectorClusterRole]);
    await remove(consumer, 'clusterrole', [konnectorClusterRole]);
    for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
      await remove(consumer, kind, [konnectorClusterRole]);
    await system.stopProviding();
    const marked = (await provider.client.list(resources.namespaces)).items.filter(({ metadata }) =>
      bound.some(
        ({ clusterNamespace }) =>
          metadata.name === clusterNamespace || metadata.name.startsWith(`${clusterNamespace}-`),
      ),
    );
    await remove(provider, 'crd', crds);
    await remove(provider, 'namespace', [...marked.map(({ metadata }) => metadata.name), ...consumerNamespaces]);
    const clusterRoles = bound.map(({ clusterNamespace }) => `kube-binder-exports-${clusterNamespace}`);
    await remove(provider, 'clusterrolebinding', clusterRoles);
    await remove(provider, 'clusterrole', [...clusterRoles, fixedNames.binder]);
  }
}

/** Namespaces that the suites work in. */
const consumerNamespaces = ['team-a', 'team-b'];

async function emptyPlanes(): Promise<Record<Side, Plane>> {
  const [consumer, provider] = await Promise.all([openPlane('consumer'), openPlane('provider')]);
  return { consumer, provider };
}

/** Waits until the binding is ready and its objects can be written. */
export async function ready(system: Pick<System, 'consumer'>, name: string, timeoutMs = 60_000): Promise<void> {
  await eventually(
    async () => {
      const binding = await system.consumer.client.get(resources.apiServiceBindings, { name });
      const conditions = conditionsOf(binding);
      for (const type of ['Ready', 'SecretValid', 'InformersSynced', 'Heartbeating', 'Connected', 'SchemaInSync']) {
        if (conditions[type]?.status !== 'True') throw new Error(`${type} is not True: ${JSON.stringify(conditions)}`);
      }
    },
    { timeoutMs, intervalMs: 100 },
  );
}
