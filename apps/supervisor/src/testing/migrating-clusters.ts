import { migrate, type MigrateOptions, type MigrateResult, observeMigration, planMigration } from '@hawser/bind';
import { type Client, createClient, type KubeObject, type Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { ProcessContext, Task } from '@hawser/commands';
import { parseConfig } from '@hawser/config';
import { installCRDs as installCoreKbind } from '@hawser/core-kbind';
import { crdOf, type SampleApi } from '@hawser/installation';
import {
  apiVersion,
  boundSchemaFromCRD,
  consumerCRDs,
  type CustomResourceDefinition,
  installCRDs,
  type PermissionClaim,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { type AuditEntry, type ControlPlane, eventually, kubeconfigText, startControlPlane } from '@hawser/testenv';

import { createKonnectorRole } from '../konnector-role.js';
import { type Ran, runRead } from '../../../../packages/cli/commands/src/testing/run-read.js';

/** Namespace of the consumer on the provider. */
export const HOME = 'kube-bind-shop';
export const LONG = { timeoutMs: 60_000, intervalMs: 100 };
export const resourceOf = ({ group, plural }: Pick<SampleApi, 'group' | 'plural'>): Resource => ({
  group,
  version: 'v1',
  resource: plural,
});

type Marks = readonly Awaited<ReturnType<ReturnType<ControlPlane['auditLog']>['mark']>>[];

/** A consumer and a provider that serve both generations of kube-bind. */
export class MigratingClusters {
  private constructor(
    readonly planes: Readonly<Record<'consumer' | 'provider', ControlPlane>>,
    readonly consumer: Client,
    readonly provider: Client,
  ) {}

  /** `namespaces`: on both sides. */
  static async start(name: string, ...namespaces: readonly string[]): Promise<MigratingClusters> {
    const [one, other] = await Promise.all([
      startControlPlane({ name: `${name}-consumer`, controllerManager: true }),
      startControlPlane({ name: `${name}-provider`, controllerManager: true }),
    ]);
    const consumer = createClient({ name: 'consumer', connection: one.connection });
    const provider = createClient({ name: 'provider', connection: other.connection });
    const clusters = new MigratingClusters({ consumer: one, provider: other }, consumer, provider);
    await installCRDs(consumer, consumerCRDs, { clock: systemClock });
    await installCoreKbind(consumer, { clock: systemClock });
    await installCRDs(provider, providerCRDs, { clock: systemClock });
    for (const each of ['kube-bind', 'kbind', ...namespaces]) await clusters.namespace(consumer, each);
    for (const each of [HOME, ...namespaces]) await clusters.namespace(provider, each);
    await consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kube-bind', name: 'shop' },
      data: { kubeconfig: Buffer.from(clusters.kubeconfig).toString('base64') },
    } as KubeObject);
    for (const each of namespaces) await clusters.assign(each, each);
    return clusters;
  }

  async stop(): Promise<void> {
    await Promise.all([this.consumer.close(), this.provider.close()]);
    await Promise.all([this.planes.consumer.stop(), this.planes.provider.stop()]);
  }

  /** Of the provider, as the binding has it. */
  get kubeconfig(): string {
    return kubeconfigText('shop', { ...this.planes.provider.connection, namespace: HOME });
  }

  namespace(client: Client, name: string): Promise<unknown> {
    return client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  /** As a provider would that keeps the namespaces of its consumers as they are. */
  async assign(from: string, to: string): Promise<void> {
    const key = { namespace: HOME, name: from };
    const object = { apiVersion, kind: 'APIServiceNamespace', metadata: key, spec: {} };
    await this.provider.create(resources.apiServiceNamespaces, object);
    const patch = { status: { namespace: to } };
    await this.provider.patch(resources.apiServiceNamespaces, key, { type: 'merge', patch }, { subresource: 'status' });
  }

  /** One process that serves both generations. */
  startKonnector(): { stop(): Promise<void> } {
    const stopping = new AbortController();
    const context: ProcessContext = {
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      version: 'test',
      env: { POD_NAME: 'test' },
    };
    const { konnector } = parseConfig(
      {
        roles: ['konnector'],
        konnector: {
          kubeconfig: this.planes.consumer.kubeconfigFile,
          lease: { namespace: 'kube-bind' },
          coreKbind: { enabled: true, secretNamespaces: ['kbind'] },
        },
      },
      'test',
    );
    const running = createKonnectorRole(konnector, context).then((made) => made.run(stopping.signal));
    return {
      async stop() {
        stopping.abort();
        await running;
      },
    };
  }

  /** Exports and binds an API in the words of `kube-bind.io`. */
  async bindAPI(
    api: SampleApi,
    isolation: 'None' | 'Prefixed',
    permissionClaims: readonly PermissionClaim[] = [],
  ): Promise<void> {
    const { consumer, provider } = this;
    const crd = crdOf(api, {
      labels: { 'core.kbind.io/exported': 'true' },
      properties: {
        spec: { type: 'object', properties: { size: { type: 'string' } } },
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    });
    await provider.create(resources.customResourceDefinitions, crd);
    const live = await provider.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
      name: crd.metadata.name,
    });
    const at = { namespace: HOME, name: crd.metadata.name };
    await provider.create(
      resources.boundSchemas,
      boundSchemaFromCRD(live, { ...at, informerScope: 'Cluster', isolation }),
    );
    await provider.create(resources.apiServiceExports, {
      apiVersion,
      kind: 'APIServiceExport',
      metadata: { namespace: HOME, name: api.plural },
      spec: {
        resources: [{ group: api.group, resource: api.plural, versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation,
        ...(permissionClaims.length === 0 ? {} : { permissionClaims }),
      },
    } as KubeObject);
    await consumer.create(resources.apiServiceBindings, {
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: { name: api.plural },
      spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'shop', key: 'kubeconfig' } },
    } as KubeObject);
    await eventually(() => consumer.list(resourceOf(api)), LONG);
  }

  /** Name, uid and deletion of all objects of a resource in a namespace, on both sides. */
  async identities(resource: Resource, namespace?: string): Promise<readonly string[]> {
    const both = await Promise.all(
      [this.consumer, this.provider].map((client) => client.list<KubeObject>(resource, { namespace })),
    );
    return both.flatMap(({ items }) =>
      items.map(({ metadata }) => `${metadata.name} ${metadata.uid ?? ''} ${metadata.deletionTimestamp ?? ''}`),
    );
  }

  run(read: (args: readonly string[]) => Task | string, ...args: readonly string[]): Promise<Ran> {
    return runRead(read, this.planes.consumer.kubeconfigFile, ...args);
  }

  /** Carries out the first steps of a migration; the rest is left, as if the process had ended there. */
  async migrateSteps(
    name: string,
    to: 'v1' | 'v2',
    steps = Infinity,
    timeoutMs = 60_000,
  ): Promise<{ readonly left: number; readonly result: MigrateResult }> {
    const { consumer, provider, kubeconfig } = this;
    const options: MigrateOptions = {
      consumer,
      provider,
      connected: provider,
      clusterNamespace: HOME,
      signal: new AbortController().signal,
      clock: systemClock,
      print: () => undefined,
      timeoutMs,
      konnectorRuns: () => Promise.resolve(true),
    };
    const wish = { name, to, kubeconfig };
    const observed = await observeMigration(options, wish);
    const plan = planMigration(wish, observed);
    if (plan.refusals.length > 0) throw new Error(plan.refusals.map(({ message }) => message).join('\n'));
    const result = await migrate(options, observed, { steps: plan.steps.slice(0, steps) });
    return { left: plan.steps.length - steps, result };
  }

  /** Present ends of the audit logs. */
  marks(): Promise<Marks> {
    return Promise.all([this.planes.consumer.auditLog().mark(), this.planes.provider.auditLog().mark()]);
  }

  /** Writes to objects of a resource on both sides, since the marks. */
  async writesSince({ group, resource }: Resource, marks: Marks): Promise<readonly AuditEntry[]> {
    const logs = [this.planes.consumer.auditLog(), this.planes.provider.auditLog()];
    const found = await Promise.all(
      logs.map((log, index) => {
        const since = marks[index];
        return log.writes({ ...(since === undefined ? {} : { since }), group, resource });
      }),
    );
    return found.flat();
  }
}
