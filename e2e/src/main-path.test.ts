import { beforeAll, expect } from '@jest/globals';
import { type SampleApi, databases } from '@hawser/installation';
import {
  type APIServiceExport,
  type APIServiceNamespace,
  type BoundSchema,
  type ClusterBinding,
  type CustomResourceDefinition,
  annotations,
  resources,
} from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, type ServiceObject, binding, copyKey, createNamespace, objectOf, resourceOf, synced } from './copies.js';
import { keepsInStep } from './keeps-in-step.js';
import { describeSystem } from './suite.js';
import { type BoundApi, type ProviderMode, prefixed, ready } from './system.js';

const cluster = (plural: string, kind: string): SampleApi => ({ group: 'example.com', plural, kind, scope: 'Cluster' });
const namespaced = (plural: string, kind: string): SampleApi => ({ ...databases, plural, kind });

interface Way {
  readonly title: string;
  readonly api: SampleApi;
  readonly mode: ProviderMode;
  readonly namespace?: string;
}

const ways: readonly Way[] = [
  {
    title: 'a namespaced resource with an informer per service namespace',
    api: databases,
    mode: prefixed,
    namespace: 'team-a',
  },
  {
    title: 'a namespaced resource with one informer for all namespaces',
    api: namespaced('buckets', 'Bucket'),
    mode: { isolation: 'Prefixed', informerScope: 'Cluster' },
    namespace: 'team-a',
  },
  {
    title: 'a cluster-scoped resource under Prefixed',
    api: cluster('zones', 'Zone'),
    mode: { isolation: 'Prefixed', informerScope: 'Cluster' },
  },
  {
    title: 'a cluster-scoped resource under None',
    api: cluster('regions', 'Region'),
    mode: { isolation: 'None', informerScope: 'Cluster' },
  },
  {
    title: 'a namespaced resource of the provider that is cluster-scoped for consumers, under Namespaced',
    api: namespaced('networks', 'Network'),
    mode: { isolation: 'Namespaced', informerScope: 'Cluster' },
  },
];

const nameOf = ({ plural }: SampleApi): string => plural;

describeSystem(
  'the main path',
  () => ({ name: 'main-path' }),
  (system, it) => {
    const bound = new Map<string, BoundApi>();
    const boundOf = ({ api }: Way): BoundApi => {
      const one = bound.get(nameOf(api));
      if (one === undefined) throw new Error(`${nameOf(api)} is not bound`);
      return one;
    };

    beforeAll(async () => {
      await system().startKonnector();
      await createNamespace(system(), 'team-a');
      for (const { api, mode } of ways)
        bound.set(nameOf(api), await system().bind({ name: nameOf(api), apis: [api], mode }));
    }, 240_000);

    it('a binding becomes ready and its CRD belongs to it', async () => {
      for (const { api } of ways) await ready(system(), nameOf(api));
      const owner = await binding(system(), 'databases');
      const crd = await system().consumer.client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: 'databases.example.com',
      });
      expect(crd.metadata.ownerReferences).toEqual([
        expect.objectContaining({
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceBinding',
          name: 'databases',
          uid: owner.metadata.uid,
        }),
      ]);
      expect(crd.spec.scope).toBe('Namespaced');
      expect(conditionsOf(crd)['Established']?.status).toBe('True');
      const networks = await system().consumer.client.get<CustomResourceDefinition>(
        resources.customResourceDefinitions,
        { name: 'networks.example.com' },
      );
      expect(networks.spec.scope).toBe('Cluster');
      expect(owner).toMatchObject({
        status: {
          providerPrettyName: 'Provider of databases',
          boundSchemas: [{ group: 'example.com', resource: 'databases' }],
        },
      });
    });

    it('the provider hears of its consumer', async () => {
      const clusterNamespace = boundOf(ways[0]!).clusterNamespace;
      await eventually(async () => {
        const { status } = await system().provider.client.get<ClusterBinding>(resources.clusterBindings, {
          namespace: clusterNamespace,
          name: 'cluster',
        });
        expect(status?.heartbeatInterval).toBe('5m0s');
        expect(Date.now() - Date.parse(status?.lastHeartbeatTime ?? '')).toBeLessThan(300_000);
        expect(status?.konnectorVersion).toMatch(/^v?\d+\.\d+\.\d+/u);
        const conditions = conditionsOf(
          await system().provider.client.get(resources.clusterBindings, {
            namespace: clusterNamespace,
            name: 'cluster',
          }),
        );
        for (const type of ['Ready', 'SecretValid', 'ValidVersion']) expect(conditions[type]?.status).toBe('True');
      }, LONG);
      await eventually(async () => {
        const apiExport = await system().provider.client.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: clusterNamespace,
          name: 'databases',
        });
        expect(conditionsOf(apiExport)).toMatchObject({
          Connected: { status: 'True' },
          ConsumerInSync: { status: 'True' },
        });
        const schema = await system().provider.client.get<BoundSchema>(resources.boundSchemas, {
          namespace: clusterNamespace,
          name: 'databases.example.com',
        });
        expect(schema.metadata.ownerReferences).toEqual([
          expect.objectContaining({
            kind: 'APIServiceExport',
            name: 'databases',
            uid: apiExport.metadata.uid,
            controller: true,
          }),
        ]);
        expect(conditionsOf(schema)).toMatchObject({
          Established: { status: 'True' },
          NamesAccepted: { status: 'True' },
        });
        expect(schema.status).toMatchObject({
          acceptedNames: { plural: 'databases', kind: 'Database' },
          storedVersions: ['v1'],
        });
      }, LONG);
    });

    for (const way of ways) {
      it(`keeps objects in step: ${way.title}`, async () => {
        await keepsInStep(system(), boundOf(way), way.api, way.namespace);
      });
    }

    it('the provider assigns a namespace, once, that every export of the consumer shares', async () => {
      const { clusterNamespace } = boundOf(ways[0]!);
      const assigned = await system().provider.client.get<APIServiceNamespace>(resources.apiServiceNamespaces, {
        namespace: clusterNamespace,
        name: 'team-a',
      });
      expect(assigned.status?.namespace).toBe(`${clusterNamespace}-team-a`);
      expect(assigned.metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'APIServiceExport', name: 'databases' }),
      ]);
      const namespace = await system().provider.client.get(resources.namespaces, {
        name: `${clusterNamespace}-team-a`,
      });
      expect(namespace.metadata.annotations?.[annotations.apiServiceNamespace]).toBe(`${clusterNamespace}/team-a`);
    });

    it('labels and annotations follow, bookkeeping of kubectl and kube-bind does not', async () => {
      const way = ways[0]!;
      const key = { namespace: 'team-a', name: 'labelled' };
      const object = objectOf(way.api, key);
      const withLabels = (labels: object, marks: object): object => ({
        ...object,
        metadata: { ...object.metadata, labels, annotations: marks },
      });
      await system().consumer.apply(
        withLabels({ tier: 'gold', old: 'yes' }, { 'example.com/note': 'first', 'example.com/old': 'yes' }),
      );
      await synced(system(), boundOf(way), way.api, key);
      await system().consumer.apply(withLabels({ tier: 'silver' }, { 'example.com/note': 'second' }));
      await eventually(async () => {
        const { metadata } = await system().provider.client.get(resourceOf(way.api), copyKey(boundOf(way), key));
        expect(metadata.labels).toEqual({ tier: 'silver' });
        expect(metadata.annotations).toMatchObject({ 'example.com/note': 'second' });
        expect(metadata.annotations).not.toHaveProperty(['example.com/old']);
        expect(metadata.annotations).not.toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
      }, LONG);
    });

    it('what the provider adds stays, and what the consumer takes out of its spec goes', async () => {
      const way = ways[0]!;
      const key = { namespace: 'team-a', name: 'fields' };
      const at = copyKey(boundOf(way), key);
      await system().consumer.apply(
        objectOf(way.api, key, { size: 'small', replicas: 3, nested: { keep: 1, drop: 2 } }),
      );
      await synced(system(), boundOf(way), way.api, key);
      await system().provider.client.patch(
        resourceOf(way.api),
        at,
        { type: 'merge', patch: { spec: { endpointClass: 'fast' } } },
        { fieldManager: 'operator' },
      );
      await system().consumer.apply(objectOf(way.api, key, { size: 'small', nested: { keep: 1 } }));
      await eventually(async () => {
        const { spec } = await system().provider.client.get<ServiceObject>(resourceOf(way.api), at);
        expect(spec).toEqual({ size: 'small', nested: { keep: 1 }, endpointClass: 'fast' });
      }, LONG);
    });

    it('a copy that the provider deletes is made again', async () => {
      const way = ways[0]!;
      const key = { namespace: 'team-a', name: 'remade' };
      await system().consumer.apply(objectOf(way.api, key));
      const { copy } = await synced(system(), boundOf(way), way.api, key);
      await system().provider.kubectl([
        'delete',
        'databases.example.com',
        key.name,
        '-n',
        copy.metadata.namespace ?? '',
      ]);
      const again = await synced(system(), boundOf(way), way.api, key);
      expect(again.copy.metadata.uid).not.toBe(copy.metadata.uid);
    });

    it('kubectl get shows the columns of the bound API, and how the binding is', async () => {
      const rows = async (...args: readonly string[]): Promise<string[][]> =>
        (await system().consumer.kubectl(['get', ...args]))
          .trim()
          .split('\n')
          .map((line) => line.split(/\s{2,}/u));
      const [head, ...objects] = await rows('databases', '-n', 'team-a');
      expect(head).toEqual(['NAME', 'SIZE', 'PHASE', 'AGE']);
      expect(objects.map(([name]) => name)).toContain('labelled');
      const [bindingHead, ...bindings] = await rows('apiservicebindings');
      expect(bindingHead).toEqual(expect.arrayContaining(['NAME', 'PROVIDER', 'READY', 'AGE']));
      const readyAt = bindingHead!.indexOf('READY');
      expect(bindings.find(([name]) => name === 'databases')?.[readyAt]).toBe('True');
    });
  },
);
