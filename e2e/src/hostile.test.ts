import { beforeAll, expect } from '@jest/globals';
import { type SampleApi, databases } from '@hawser/installation';
import { type Condition, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { LONG, binding, copyKey, createNamespace, objectOf, resourceOf, synced } from './copies.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';

const resource = resourceOf(databases);
const key = { namespace: 'team-a', name: 'target' };

describeSystem(
  'a hostile provider',
  () => ({ name: 'hostile' }),
  (system, it) => {
    let bound: BoundApi;

    beforeAll(async () => {
      await system().startKonnector({ config: { allowedGroups: ['example.com'] } });
      await createNamespace(system(), 'team-a');
      bound = await system().bind({ name: 'databases', apis: [databases] });
      await ready(system(), 'databases');
    }, 240_000);

    const conditionIs = (name: string, type: string, expected: Partial<Condition>): Promise<void> =>
      eventually(async () => {
        expect(conditionsOf(await binding(system(), name))[type]).toMatchObject(expected);
      }, LONG);

    it('installs nothing in groups that the operator has not opened', async () => {
      const groups: readonly (readonly [string, string, string])[] = [
        ['elsewhere', 'example.org', 'APIGroupNotAllowed'],
        ['kcp', 'apis.kcp.io', 'ProtectedAPIGroup'],
      ];
      for (const [name, group, reason] of groups) {
        const api: SampleApi = { ...databases, group };
        await system().bind({ name, apis: [api] });
        await conditionIs(name, 'Connected', { status: 'False', severity: 'Error', reason });
        expect(
          await system().consumer.find(resources.customResourceDefinitions, { name: `databases.${group}` }),
        ).toBeUndefined();
      }
      await conditionIs('databases', 'Ready', { status: 'True' });
    });

    it('takes the status of a copy, and nothing of its metadata', async () => {
      await system().consumer.apply(objectOf(databases, key));
      await synced(system(), bound, databases, key);
      const before = await system().consumer.client.get(resource, key);
      // An owner that exists: garbage collection would take the copy otherwise.
      const { metadata: ownedBy } = await system().provider.client.get(resources.namespaces, { name: 'kube-system' });
      const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system', uid: ownedBy.uid };
      const metadata = {
        labels: { smuggled: 'yes' },
        annotations: { smuggled: 'yes', 'hawser.dev/release': 'now', 'kubebind.io/x': 'y' },
        finalizers: ['example.com/smuggled'],
        ownerReferences: [owner],
      };
      const at = copyKey(bound, key);
      await system().provider.client.patch(resource, at, { type: 'merge', patch: { metadata } });
      await system().provider.client.patch(
        resource,
        at,
        { type: 'merge', patch: { status: { phase: 'Smuggled' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect(await system().consumer.client.get(resource, key)).toMatchObject({ status: { phase: 'Smuggled' } });
      }, LONG);
      const after = await system().consumer.client.get(resource, key);
      for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
        expect(after.metadata[field]).toEqual(before.metadata[field]);
      expect(after['spec']).toEqual(before['spec']);
      await system().provider.client.patch(resource, at, { type: 'merge', patch: { metadata: { finalizers: null } } });
    });
  },
);
