import { type SampleApi, bind, onboardConsumer } from '@hawser/installation';
import { resources } from '@hawser/kube-bind';
import { createKonnectorAccount } from './konnector-account.js';
import { type Plane, openPlane } from './plane.js';
import { type Program, working } from './program.js';
import { rolesAsProcesses } from './roles.js';
import type { System } from './system.js';

export interface TenantOptions {
  readonly name: string;
  /** Default: a cluster of its own. */
  readonly plane?: Plane;
  /** Labels of its ClusterBinding. */
  readonly labels: Readonly<Record<string, string>>;
  readonly apis: readonly SampleApi[];
  /** Config of the role konnector. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Values of the konnector's chart. */
  readonly chartValues: Readonly<Record<string, unknown>>;
}

/** One of several consumers of a provider: a cluster with its own konnector. */
export interface Tenant {
  readonly name: string;
  readonly plane: Plane;
  /** The consumer's cluster namespace on the provider. */
  readonly clusterNamespace: string;
  /** Resolves when its konnector works. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** `/metrics` of its konnector. */
  metrics(): Promise<string>;
  /** Creates an APIServiceBinding for the export of that name; request the export separately. */
  bind(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Onboards another consumer, without bindings and without a konnector yet. */
export async function openTenant(
  { provider, folder, watchdog }: System,
  { name, plane: given, labels, apis, config, chartValues }: TenantOptions,
): Promise<Tenant> {
  const plane = given ?? (await openPlane('consumer'));
  const roles = rolesAsProcesses({ consumer: plane, provider, folder, watchdog });
  const account = await createKonnectorAccount(plane, (values) => roles.grant(values), chartValues);
  await account.allow(apis);
  const clusterNamespace = `kube-bind-${name}`;
  const { kubeconfig } = await onboardConsumer({
    provider: provider.client,
    connection: provider.podsConnection,
    clusterNamespace,
    prettyName: 'Provider',
    apis,
  });
  await provider.client.patch(
    resources.clusterBindings,
    { namespace: clusterNamespace, name: 'cluster' },
    { type: 'merge', patch: { metadata: { labels } } },
  );
  let program: Program | undefined;
  let starts = 0;
  return {
    name,
    plane,
    clusterNamespace,
    async start() {
      program = await roles.startKonnector(
        `konnector-${name}-${starts++}`,
        { name: `konnector-${name}`, config },
        account.connection,
      );
      await working(program, 'konnector works');
    },
    async stop() {
      await program?.stop();
    },
    async metrics() {
      return await (await fetch(`${program?.health ?? ''}/metrics`)).text();
    },
    bind: (api) => bind({ consumer: plane.client, name: api, kubeconfig, secret: 'kubeconfig' }),
    async close() {
      await program?.stop('SIGTERM', 5_000);
      if (given === undefined) await plane.stop();
    },
  };
}
