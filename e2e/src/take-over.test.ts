import { expect } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { eventually } from '@hawser/testenv';
import { type ServiceObject, LONG } from './copies.js';
import { type Recording, recordedPlanes, recordings } from './recording.js';
import { describeSystem } from './suite.js';
import { ready } from './system.js';
import { konnectorWrites, mark, settledWrites } from './writes.js';

const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
const CLUSTER_NAMESPACE = 'kube-bind-v6gv14ju4xw7';

for (const recording of recordings) {
  describeSystem(`taking over from the Go konnector: ${recording.folder}`, Object.assign(() => ({ name: `take-over-${recording.isolation}-${recording.informerScope}`, planes: () => recordedPlanes(recording) }), { recordings: true }), (system, it) => {
    it('writes nothing but what differs, and works on', async () => {
      const { consumer, provider } = system();
      const before = await provider.client.list(databases);
      expect(before.items).toHaveLength(4);
      const since = await mark(system());
      await system().startKonnector({ name: 'konnector-0', leaseNamespace: 'kube-bind' });
      const copies = copyNamespace(recording);
      // The label of `one` was changed while nobody synced labels; `leftover` has a field that its consumer object has not.
      const expected = ['one', 'leftover'].map((name) => `provider: patch databases ${copies}/${name} 200`).sort();
      await eventually(async () => { expect((await konnectorWrites(system(), since)).length).toBeGreaterThanOrEqual(expected.length); }, LONG);
      for (const name of ['databases', 'zones']) await ready(system(), name);
      const refused = (write: string): boolean => /(?:POST|create) zones .* 404$/u.test(write);
      // Under Namespaced a cluster-scoped resource of the provider has no place; the Go konnector could not place it either.
      expect((await settledWrites(system(), since)).filter((write) => !refused(write)).sort()).toEqual(expected);

      const after = new Map((await provider.client.list<ServiceObject>(databases)).items.map((copy) => [copy.metadata.name, copy]));
      expect(after.get('one')?.metadata.labels).toEqual({ tier: 'silver' });
      expect(after.get('leftover')?.spec).not.toHaveProperty('secretRef');
      expect(after.get('defaulted')?.spec).toHaveProperty('secretRef', { name: 'extra' });
      for (const { metadata } of before.items) {
        const now = after.get(metadata.name)?.metadata;
        expect(now).toMatchObject({ uid: metadata.uid, annotations: metadata.annotations ?? {} });
        expect(now?.ownerReferences).toEqual(metadata.ownerReferences);
      }
      // 2^53 + 1, read by a parser that keeps digits.
      expect(await provider.kubectl(['get', 'databases', 'big', '-n', copies, '-o', 'jsonpath={.spec.big}'])).toBe('9007199254740993');

      const key = { ...(recording.isolation === 'Namespaced' ? {} : { namespace: 'team-a' }), name: 'big' };
      await consumer.client.patch(databases, key, { type: 'merge', patch: { spec: { size: 'medium' } } });
      await eventually(async () => { expect((await provider.client.get<ServiceObject>(databases, { namespace: copies, name: 'big' })).spec?.['size']).toBe('medium'); }, LONG);
      const owned: KubeObject = await provider.client.get(databases, { namespace: copies, name: 'big' });
      expect(owned.metadata.annotations).toMatchObject(before.items.find(({ metadata }) => metadata.name === 'big')?.metadata.annotations ?? {});
    });
  });
}

function copyNamespace({ isolation }: Recording): string {
  switch (isolation) {
    case 'Prefixed':
      return `${CLUSTER_NAMESPACE}-team-a`;
    case 'None':
      return 'team-a';
    case 'Namespaced':
      return CLUSTER_NAMESPACE;
  }
}
