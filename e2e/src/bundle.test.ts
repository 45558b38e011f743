import { beforeAll, expect } from '@jest/globals';
import { type SampleApi, databases, onboardConsumer, requestExport, sampleCrd } from '@hawser/installation';
import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  apiVersion,
  fixedNames,
  resources,
} from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, createNamespace, objectOf, synced } from './copies.js';
import { readKubeconfig } from './kubeconfigs.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { prefixed, ready } from './system.js';
import { mark, settledWrites } from './writes.js';

const volumes: SampleApi = { ...databases, plural: 'volumes', kind: 'Volume' };
const clusterNamespace = 'kube-bind-bundle';
const secret = { namespace: fixedNames.konnectorNamespace, name: 'kubeconfig-bundle' };

describeSystem(
  'a bundle binds everything that is exported to one kubeconfig',
  () => ({ name: 'bundle', resources: [databases, volumes] }),
  (system, it) => {
    let konnector: Program;
    let kubeconfig: string;
    const bundle = (): Promise<APIServiceBindingBundle> =>
      system().consumer.client.get<APIServiceBindingBundle>(resources.apiServiceBindingBundles, { name: 'all' });
    const conditionIs = async (type: string, status: string, reason?: string): Promise<void> => {
      await eventually(async () => {
        expect(conditionsOf(await bundle())[type]).toMatchObject({
          status,
          ...(reason === undefined ? {} : { reason }),
        });
      }, LONG);
    };
    const bindings = async (): Promise<readonly string[]> =>
      (await system().consumer.client.list<APIServiceBinding>(resources.apiServiceBindings)).items
        .map(({ metadata }) => metadata.name)
        .toSorted();
    const setKubeconfig = (text: string): Promise<unknown> =>
      system().consumer.client.patch(resources.secrets, secret, {
        type: 'merge',
        patch: { data: { kubeconfig: Buffer.from(text).toString('base64') } },
      });

    beforeAll(async () => {
      konnector = await system().startKonnector();
      await system().provideIn(prefixed);
      const { provider, consumer } = system();
      await provider.apply(sampleCrd(databases), sampleCrd(volumes));
      await createNamespace(system(), 'team-a');
      ({ kubeconfig } = await onboardConsumer({
        provider: provider.client,
        connection: provider.podsConnection,
        clusterNamespace,
        prettyName: 'Provider of all',
        apis: [databases, volumes],
      }));
      await consumer.apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: secret,
          data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
        },
        {
          apiVersion,
          kind: 'APIServiceBindingBundle',
          metadata: { name: 'all' },
          spec: { kubeconfigSecretRef: { ...secret, key: 'kubeconfig' } },
        },
      );
    }, 240_000);

    it('each export is bound as it comes, and its objects are synced', async () => {
      await conditionIs('Synced', 'True');
      await conditionIs('Ready', 'True');
      await requestExport(system().provider.client, clusterNamespace, 'databases', [databases]);
      await ready(system(), 'databases');
      await system().consumer.apply(objectOf(databases, { namespace: 'team-a', name: 'one' }));
      await synced(system(), { name: 'databases', clusterNamespace, kubeconfig, ...prefixed }, databases, {
        namespace: 'team-a',
        name: 'one',
      });
      await requestExport(system().provider.client, clusterNamespace, 'volumes', [volumes]);
      await ready(system(), 'volumes');
      await conditionIs('Synced', 'True');
      // One connection for the bundle and its bindings.
      const health = await (await fetch(`${konnector.health}/readyz?verbose`)).text();
      expect(health.split('\n').filter((line) => line.includes('connection/'))).toEqual([
        expect.stringContaining('2 bindings'),
      ]);
    });

    it.ownClusters('a restart writes nothing', async () => {
      // What the bindings have set off is done.
      await settledWrites(system(), await mark(system()));
      const since = await mark(system());
      await konnector.stop();
      konnector = await system().startKonnector();
      await ready(system(), 'databases');
      expect(await settledWrites(system(), since)).toEqual([]);
    });

    it('a broken Secret is told, and takes nothing away', async () => {
      await setKubeconfig('{');
      // The connection that runs puts the provider's kubeconfig back, perhaps before the bundle has said what is wrong.
      await eventually(async () => {
        const isReported = conditionsOf(await bundle())['SecretValid']?.reason === 'KubeconfigSecretInvalid';
        expect(isReported || (await readKubeconfig(system().consumer, secret)) === kubeconfig).toBe(true);
      }, LONG);
      expect(await bindings()).toEqual(['databases', 'volumes']);
      await setKubeconfig(kubeconfig);
      await conditionIs('SecretValid', 'True');
      await conditionIs('Ready', 'True');
      expect(await bindings()).toEqual(['databases', 'volumes']);
    });

    it('the binding of an export that is withdrawn goes, those of a cluster namespace that is deleted stay', async () => {
      const { client } = system().provider;
      for (const resource of [resources.apiServiceExportRequests, resources.apiServiceExports])
        await client.delete(resource, { namespace: clusterNamespace, name: 'volumes' });
      await eventually(async () => {
        expect(await bindings()).toEqual(['databases']);
      }, LONG);
      await conditionIs('Synced', 'True');
      const {
        metadata: { uid },
      } = await system().consumer.client.get(resources.apiServiceBindings, { name: 'databases' });
      await client.delete(resources.namespaces, { name: clusterNamespace });
      await eventually(async () => {
        expect(conditionsOf(await bundle())['Synced']?.status).toBe('False');
      }, LONG);
      await eventually(async () => {
        expect(
          await system().provider.find(resources.apiServiceExports, { namespace: clusterNamespace, name: 'databases' }),
        ).toBeUndefined();
      }, LONG);
      await eventually(async () => {
        expect(['BindingsKept', 'ListExportsFailed']).toContain(conditionsOf(await bundle())['Synced']?.reason);
      }, LONG);
      expect(
        (await system().consumer.client.get(resources.apiServiceBindings, { name: 'databases' })).metadata.uid,
      ).toBe(uid);
      expect(
        await system().consumer.find(
          { group: 'example.com', version: 'v1', resource: 'databases' },
          { namespace: 'team-a', name: 'one' },
        ),
      ).toBeDefined();
    });
  },
);
