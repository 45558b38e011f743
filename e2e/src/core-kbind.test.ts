import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, getIfExists, type KubeObject } from '@hawser/client';
import { type Binding, type Connection, labels, resources } from '@hawser/core-kbind';
import { databases, sampleCrd } from '@hawser/installation';
import { resources as kubeResources } from '@hawser/kube-bind';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LONG, objectOf, resourceOf } from './copies.js';
import { renderChart } from './chart.js';
import { type Program, startProgram } from './program.js';
import { executables } from './system.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

const root = join(import.meta.dirname, '..', '..');

// With the rights that the chart gives, and under its admission policy.
describeWithControlPlane(
  'one binding of core.kbind.io',
  () => {
    const folder = join(root, 'tmp', 'e2e', 'core-kbind');
    let planes: Readonly<Record<'consumer' | 'provider', ControlPlane>>;
    let consumer: Client;
    let provider: Client;
    let watchdog: Watchdog;
    let konnector: Program;

    beforeAll(async () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      watchdog = startWatchdog();
      const [one, other] = await Promise.all([
        startControlPlane({ name: 'core-kbind-consumer', controllerManager: true }),
        startControlPlane({ name: 'core-kbind-provider', controllerManager: true }),
      ]);
      planes = { consumer: one, provider: other };
      consumer = createClient({ name: 'consumer', connection: one.connection });
      provider = createClient({ name: 'provider', connection: other.connection });
      for (const name of ['hawser', 'kbind', 'team'])
        await consumer.create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      const rendered = renderChart(
        join(root, 'charts/konnector'),
        ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml', 'admissionpolicy.yaml'],
        {
          name: 'konnector',
          namespace: 'hawser',
          values: {
            coreKbind: { enabled: true, secretNamespaces: ['kbind'] },
            boundResources: [{ group: databases.group, resources: [databases.plural] }],
            claimedResources: ['secrets'],
          },
        },
      );
      await one.kubectl(['apply', '-f', '-'], {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rendered }),
      });
      const account = await one.serviceAccountKubeconfig('hawser', 'konnector');
      writeFileSync(join(folder, 'kubeconfig'), account, { mode: 0o600 });
      const config = { roles: ['konnector'], konnector: { coreKbind: { enabled: true, secretNamespaces: ['kbind'] } } };
      writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
    }, 120_000);
    afterAll(async () => {
      await konnector.stop();
      await Promise.all([consumer.close(), provider.close()]);
      await Promise.all([planes.consumer.stop(), planes.provider.stop()]);
      await watchdog.close();
    }, 60_000);

    const start = (name: string): Promise<Program> =>
      startProgram({
        name,
        command: executables.hawser,
        env: { POD_NAME: name, POD_NAMESPACE: 'hawser' },
        args: ['run', '--config', join(folder, 'config.yaml'), '--kubeconfig', join(folder, 'kubeconfig')],
        folder,
        watchdog,
      });
    const key = { namespace: 'team', name: 'one' };
    const database = resourceOf(databases);
    const on = (client: Client): Promise<KubeObject | undefined> =>
      getIfExists<KubeObject>(client, database, key).catch(() => undefined);
    const readyOf = async (resource: typeof resources.connections, name: string): Promise<string | undefined> =>
      (
        await getIfExists<Connection | Binding>(consumer, resource, { name }).catch(() => undefined)
      )?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

    it('is served by hawser-kbind alone, which says how each Connection stands', async () => {
      const program = await startProgram({
        name: 'kbind',
        command: executables.kbind,
        args: ['--kubeconfig', planes.consumer.kubeconfigFile, '--metrics-bind-address=0'],
        addressFlag: '--health-probe-bind-address',
        folder,
        watchdog,
      });
      try {
        await eventually(() => consumer.list(resources.connections), LONG);
        await consumer.create(resources.connections, {
          apiVersion: 'core.kbind.io/v1alpha1',
          kind: 'Connection',
          metadata: { name: 'lost' },
          spec: { kubeconfigSecretRef: { namespace: 'anywhere', name: 'lost' } },
        } as KubeObject);
        await eventually(async () => {
          const answer = await fetch(`${program.health}/healthz`);
          expect(answer.status).toBe(200);
          expect(await answer.json()).toMatchObject({ 'core.kbind.io/lost': 'degraded' });
        }, LONG);
        const { items } = await consumer.list(kubeResources.customResourceDefinitions);
        expect(items.map(({ metadata }) => metadata.name).filter((name) => !name.endsWith('.core.kbind.io'))).toEqual(
          [],
        );
        await consumer.delete(resources.connections, { name: 'lost' });
        await eventually(async () => {
          expect(await getIfExists(consumer, resources.connections, { name: 'lost' })).toBeUndefined();
        }, LONG);
      } finally {
        await program.stop();
      }
    }, 120_000);

    it('is served, whatever comes first: CRD, object, status, deletion, and the end of all of it', async () => {
      konnector = await start('konnector');
      const crd = sampleCrd(databases);
      await provider.create(kubeResources.customResourceDefinitions, {
        ...crd,
        metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } },
      });
      await eventually(() => consumer.list(resources.connections), LONG);
      // In the order that helps least.
      const apiVersion = 'core.kbind.io/v1alpha1';
      await consumer.create(resources.clusterBindings, {
        apiVersion,
        kind: 'ClusterBinding',
        metadata: { name: 'databases' },
        spec: { connectionRef: { name: 'demo' }, apis: [{ name: crd.metadata.name }] },
      } as KubeObject);
      await consumer.create(resources.connections, {
        apiVersion,
        kind: 'Connection',
        metadata: { name: 'demo' },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' } },
      } as KubeObject);
      await consumer.create(kubeResources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'kbind', name: 'demo' },
        data: { kubeconfig: Buffer.from(planes.provider.kubeconfig).toString('base64') },
      } as KubeObject);
      await eventually(async () => {
        expect(await readyOf(resources.connections, 'demo')).toBe('True');
        expect(await readyOf(resources.clusterBindings, 'databases')).toBe('True');
      }, LONG);

      await eventually(() => consumer.create(database, objectOf(databases, key)), LONG);
      await eventually(async () => {
        expect((await on(provider))?.metadata.labels).toEqual({ 'core.kbind.io/managed': 'true' });
      }, LONG);
      await provider.patch(
        database,
        key,
        { type: 'merge', patch: { status: { phase: 'Running' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect(await on(consumer)).toMatchObject({ status: { phase: 'Running' } });
      }, LONG);
    }, 120_000);

    it('carries related Secrets both ways, and takes copies away with their originals', async () => {
      const secret = (name: string, word: string): KubeObject =>
        ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: 'team', name, labels: { app: 'database' } },
          data: { word: Buffer.from(word).toString('base64') },
        }) as KubeObject;
      const wordOf = async (client: Client, name: string): Promise<string | undefined> => {
        const found = await getIfExists<KubeObject & { readonly data?: { readonly word?: string } }>(
          client,
          kubeResources.secrets,
          { namespace: 'team', name },
        );
        return found === undefined ? undefined : Buffer.from(found.data?.word ?? '', 'base64').toString();
      };
      await provider.create(kubeResources.secrets, secret('credentials', 'one'));
      await consumer.create(kubeResources.secrets, secret('password', 'mine'));
      const selector = { labelSelector: { matchLabels: { app: 'database' } } };
      await consumer.patch(
        resources.clusterBindings,
        { name: 'databases' },
        {
          type: 'merge',
          patch: {
            spec: {
              relatedResources: [
                { group: '', resource: 'secrets', direction: 'FromProvider', selector },
                { group: '', resource: 'secrets', direction: 'FromConsumer', selector: { names: ['password'] } },
              ],
            },
          },
        },
      );
      await eventually(async () => {
        expect([await wordOf(consumer, 'credentials'), await wordOf(provider, 'password')]).toEqual(['one', 'mine']);
      }, LONG);
      await provider.patch(
        kubeResources.secrets,
        { namespace: 'team', name: 'credentials' },
        { type: 'merge', patch: { data: { word: Buffer.from('two').toString('base64') } } },
      );
      await eventually(async () => {
        expect(await wordOf(consumer, 'credentials')).toBe('two');
        expect(await readyOf(resources.clusterBindings, 'databases')).toBe('True');
      }, LONG);
      await provider.delete(kubeResources.secrets, { namespace: 'team', name: 'credentials' });
      await consumer.delete(kubeResources.secrets, { namespace: 'team', name: 'password' });
      await eventually(async () => {
        expect([await wordOf(consumer, 'credentials'), await wordOf(provider, 'password')]).toEqual([
          undefined,
          undefined,
        ]);
      }, LONG);
    }, 120_000);

    it('goes on after a SIGKILL, and passes on what happened meanwhile', async () => {
      await konnector.stop('SIGKILL');
      await consumer.delete(database, key);
      expect(await on(provider)).toBeDefined();
      konnector = await start('konnector-again');
      await eventually(async () => {
        expect(await on(consumer)).toBeUndefined();
      }, LONG);
      expect(await on(provider)).toBeUndefined();
    }, 120_000);

    it('ends with everything at once', async () => {
      await consumer.create(database, objectOf(databases, key));
      await eventually(async () => {
        expect(await on(provider)).toBeDefined();
      }, LONG);
      await consumer.delete(kubeResources.secrets, { namespace: 'kbind', name: 'demo' });
      await consumer.delete(resources.connections, { name: 'demo' });
      await consumer.delete(resources.clusterBindings, { name: 'databases' });
      await eventually(async () => {
        expect(await getIfExists(consumer, resources.clusterBindings, { name: 'databases' })).toBeUndefined();
        expect(await getIfExists(consumer, resources.connections, { name: 'demo' })).toBeUndefined();
        expect(
          await getIfExists(consumer, kubeResources.secrets, { namespace: 'kbind', name: 'demo' }),
        ).toBeUndefined();
      }, LONG);
      expect(await on(provider)).toBeUndefined();
      expect(konnector.log()).not.toContain('client-key-data');
    }, 120_000);

    it('binds all that is offered where a Connection asks for it, and lets go of it with the Connection', async () => {
      await consumer.create(kubeResources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'kbind', name: 'auto' },
        data: { kubeconfig: Buffer.from(planes.provider.kubeconfig).toString('base64') },
      } as KubeObject);
      await consumer.create(resources.connections, {
        apiVersion: 'core.kbind.io/v1alpha1',
        kind: 'Connection',
        metadata: { name: 'auto' },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'auto' }, autoBind: true },
      } as KubeObject);
      await eventually(async () => {
        expect(await readyOf(resources.clusterBindings, 'auto')).toBe('True');
      }, LONG);
      await eventually(() => consumer.create(database, objectOf(databases, key)), LONG);
      await eventually(async () => {
        expect(await on(provider)).toBeDefined();
      }, LONG);
      await consumer.delete(database, key);
      await consumer.delete(resources.connections, { name: 'auto' });
      await eventually(async () => {
        expect(await getIfExists(consumer, resources.connections, { name: 'auto' })).toBeUndefined();
        expect(await getIfExists(consumer, resources.clusterBindings, { name: 'auto' })).toBeUndefined();
      }, LONG);
      expect(await on(provider)).toBeUndefined();
    }, 120_000);
  },
  { controllerManager: true },
);
