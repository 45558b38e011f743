import { expect } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import { type ServiceObject, LONG, binding } from './copies.js';
import { type Recording, recordedPlanes, recordings } from './recording.js';
import { describeSystem } from './suite.js';
import { ready } from './system.js';
import { konnectorWrites, mark, settledWrites } from './writes.js';

const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
const CLUSTER_NAMESPACE = 'kube-bind-v6gv14ju4xw7';

for (const recording of recordings) {
  describeSystem(
    `taking over from the Go konnector: ${recording.folder}`,
    () => ({
      name: `take-over-${recording.isolation}-${recording.informerScope}`,
      planes: () => recordedPlanes(recording),
      chartValues: { claimedResources: ['secrets'] },
      resources: ['databases', 'zones'].map((plural) => ({ group: 'example.com', plural })),
    }),
    (system, it) => {
      it('writes nothing but what differs, and works on', async () => {
        const { consumer, provider } = system();
        const before = await provider.client.list(databases);
        expect(before.items).toHaveLength(4);
        const since = await mark(system());
        await system().startKonnector({ name: 'konnector-0' });
        const copies = copyNamespace(recording);
        // The label of `one` was changed while nobody synced labels; `leftover` has a field that its consumer object has not.
        const expected = ['one', 'leftover'].map((name) => `provider: patch databases ${copies}/${name} 200`).sort();
        // Once: which clusters they are bound to.
        const pinned = ['databases', 'zones'].map((name) => `consumer: patch apiservicebindings ${name} 200`);
        // Once: that the consumer serves these schemas, which the Go konnector does not say.
        const applied = ['databases', 'zones'].map(
          (name) => `provider: patch boundschemas/status ${CLUSTER_NAMESPACE}/${name}.example.com 200`,
        );
        await eventually(async () => {
          expect((await konnectorWrites(system(), since)).length).toBeGreaterThanOrEqual(expected.length);
        }, LONG);
        for (const name of ['databases', 'zones']) await ready(system(), name);
        // Under Namespaced a cluster-scoped resource of the provider has no place, and that is told; the Go konnector could not place it either.
        const isUnplaceable = recording.isolation === 'Namespaced';
        if (isUnplaceable)
          await eventually(async () => {
            expect(conditionsOf(await binding(system(), 'zones'))['ObjectsInSync']).toMatchObject({
              status: 'False',
              reason: 'NoPlaceForCopies',
            });
          }, LONG);
        const isReport = (write: string): boolean =>
          isUnplaceable &&
          /(?:events default\/zones\.\S+|apiservicebindings\/status zones|apiserviceexports\/status \S+\/zones) \d+$/u.test(
            write,
          );
        expect((await settledWrites(system(), since)).filter((write) => !isReport(write)).sort()).toEqual(
          [...pinned, ...applied, ...expected].sort(),
        );

        const after = new Map(
          (await provider.client.list<ServiceObject>(databases)).items.map((copy) => [copy.metadata.name, copy]),
        );
        expect(after.get('one')?.metadata.labels).toEqual({ tier: 'silver' });
        expect(after.get('leftover')?.spec).not.toHaveProperty('secretRef');
        expect(after.get('defaulted')?.spec).toHaveProperty('secretRef', { name: 'extra' });
        for (const { metadata } of before.items) {
          const now = after.get(metadata.name)?.metadata;
          expect(now).toMatchObject({ uid: metadata.uid, annotations: metadata.annotations ?? {} });
          expect(now?.ownerReferences).toEqual(metadata.ownerReferences);
        }
        // 2^53 + 1, read by a parser that keeps digits.
        expect(await provider.kubectl(['get', 'databases', 'big', '-n', copies, '-o', 'jsonpath={.spec.big}'])).toBe(
          '9007199254740993',
        );

        // Claimed Secrets are in step as they are, and are followed.
        const claimed = {
          namespace: recording.isolation === 'None' ? 'team-a' : `${CLUSTER_NAMESPACE}-team-a`,
          name: 'from-consumer',
        };
        const secret = await provider.client.get(resources.secrets, claimed);
        await consumer.client.patch(
          resources.secrets,
          { namespace: 'team-a', name: 'from-consumer' },
          { type: 'merge', patch: { data: { k: 'bmV3' } } },
        );
        await eventually(async () => {
          expect(await provider.client.get(resources.secrets, claimed)).toMatchObject({
            data: { k: 'bmV3' },
            metadata: { uid: secret.metadata.uid },
          });
        }, LONG);

        const key = { ...(recording.isolation === 'Namespaced' ? {} : { namespace: 'team-a' }), name: 'big' };
        await consumer.client.patch(databases, key, { type: 'merge', patch: { spec: { size: 'medium' } } });
        await eventually(async () => {
          expect(
            (await provider.client.get<ServiceObject>(databases, { namespace: copies, name: 'big' })).spec?.['size'],
          ).toBe('medium');
        }, LONG);
        const owned: KubeObject = await provider.client.get(databases, { namespace: copies, name: 'big' });
        expect(owned.metadata.annotations).toMatchObject(
          before.items.find(({ metadata }) => metadata.name === 'big')?.metadata.annotations ?? {},
        );
      });
    },
  );
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
