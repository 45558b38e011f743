import { beforeAll, expect } from '@jest/globals';
import { databases } from '@hawser/installation';
import { type APIServiceExport, hawserAnnotations, providerOwnedNamespace, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, binding, createNamespace, gone, objectOf, resourceOf, synced } from './copies.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';

describeSystem(
  'namespaces of both sides are kept in step',
  () => ({ name: 'namespaces' }),
  (system, it) => {
    let bound: BoundApi;
    const request = (name: string) =>
      system().provider.find(resources.apiServiceNamespaces, { namespace: bound.clusterNamespace, name });

    beforeAll(async () => {
      await system().startKonnector();
      for (const namespace of ['team-a', 'team-b']) await createNamespace(system(), namespace);
      bound = await system().bind({ name: 'databases', apis: [databases] });
      await ready(system(), 'databases');
    }, 240_000);

    it('a provider gets the namespace that it asks for, and none of the system', async () => {
      const { client } = system().provider;
      const owner = await client.get<APIServiceExport>(resources.apiServiceExports, {
        namespace: bound.clusterNamespace,
        name: 'databases',
      });
      for (const name of ['team-c', 'kube-evil'])
        await client.create(resources.apiServiceNamespaces, providerOwnedNamespace(owner, name));
      await eventually(async () => {
        expect(
          (await system().consumer.client.get(resources.namespaces, { name: 'team-c' })).metadata.labels,
        ).toMatchObject({ 'kube-bind.io/owner': 'provider' });
      }, LONG);
      await eventually(async () => {
        const conditions = conditionsOf(await binding(system(), 'databases'));
        expect(conditions['NamespacesInSync']).toMatchObject({ status: 'False', reason: 'ProtectedNamespace' });
        expect(conditions['Ready']?.status).toBe('True');
      }, LONG);
      expect(await system().consumer.find(resources.namespaces, { name: 'kube-evil' })).toBeUndefined();
      await client.delete(resources.apiServiceNamespaces, { namespace: bound.clusterNamespace, name: 'kube-evil' });
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))['NamespacesInSync']?.status).toBe('True');
      }, LONG);
    });

    it('the provider hears of a namespace that is gone, unless it holds something of it', async () => {
      for (const namespace of ['team-a', 'team-b']) {
        await system().consumer.apply(objectOf(databases, { namespace, name: 'one' }));
        await synced(system(), bound, databases, { namespace, name: 'one' });
      }
      expect((await request('team-a'))?.metadata.annotations).toHaveProperty([hawserAnnotations.consumerIdentity]);
      const key = { namespace: `${bound.clusterNamespace}-team-b`, name: 'left' };
      await system().provider.apply(objectOf(databases, key));
      await system().consumer.kubectl(['delete', 'namespace', 'team-a', 'team-b', '--timeout=90s']);
      await gone(() => request('team-a'));
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))['NamespacesInSync']).toMatchObject({
          status: 'False',
          reason: 'ServiceNamespaceInUse',
        });
      }, LONG);
      expect((await request('team-b'))?.metadata.deletionTimestamp).toBeUndefined();
      expect(await system().provider.find(resourceOf(databases), key)).toBeDefined();
      // The namespace is used again.
      await createNamespace(system(), 'team-b');
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))['NamespacesInSync']?.status).toBe('True');
      }, LONG);
    });
  },
);
