import { keyOf } from '@hawser/client';
import { annotations, finalizers, resources } from '@hawser/kube-bind';
import { type Check, expectThat } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { World } from '../world.js';

const needs = ['object-copied'];

/** Checks on an object and its copy. */
export const objectChecks: readonly Check<World>[] = [
  {
    id: 'object-copied',
    part: 'konnector',
    level: 'must',
    title: 'An object of the consumer gets a copy on the provider, with its marks',
    source: 'spec/konnector.md §9.1, §9.3',
    needs: ['crd-installed'],
    async run(world) {
      const { object, copy } = await world.synced('first', { size: 3, note: 'as written' });
      expectThat(copy.spec.size === 3 && copy.spec.note === 'as written', `its spec is ${JSON.stringify(copy.spec)}`);
      const marks = copy.metadata.annotations ?? {};
      expectThat(
        marks[annotations.clusterNamespace] === world.clusterNamespace,
        `annotation ${annotations.clusterNamespace} is ${marks[annotations.clusterNamespace] ?? 'missing'}`,
      );
      expectThat(
        marks[annotations.consumerUID] === object.metadata.uid,
        `annotation ${annotations.consumerUID} is not the uid of the object`,
      );
      return undefined;
    },
  },
  {
    id: 'finalizer',
    part: 'konnector',
    level: 'must',
    title: 'The object has the finalizer that protects against a leftover copy',
    source: 'spec/konnector.md §9.1',
    needs,
    async run(world) {
      const object = await world.object('first');
      expectThat(
        object?.metadata.finalizers?.includes(finalizers.syncer) === true,
        `finalizer ${finalizers.syncer} is missing`,
      );
      return undefined;
    },
  },
  {
    id: 'spec-follows',
    part: 'konnector',
    level: 'must',
    title: 'A changed spec reaches the copy',
    source: 'spec/konnector.md §9.1',
    needs,
    async run(world) {
      await world.make('first', { size: 4, note: 'changed' });
      await world.until('the copy has it', async () => {
        const copy = await world.copy('first');
        return copy?.spec.size === 4 && copy.spec.note === 'changed' ? true : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'removed-field-follows',
    part: 'konnector',
    level: 'should',
    title: 'A field removed from the spec is removed from the copy',
    source: 'spec/konnector.md §9.1 (R25)',
    needs,
    async run(world) {
      await world.synced('loses-a-field', { note: 'goes' });
      await world.make('loses-a-field');
      await world.until('spec.note is gone from the copy', async () =>
        (await world.copy('loses-a-field'))?.spec.note === undefined ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'status-returns',
    part: 'konnector',
    level: 'must',
    title: 'A status that the provider writes comes back to the object',
    source: 'spec/konnector.md §9.2',
    needs,
    async run(world) {
      const { copy } = await world.synced('reports');
      await world.provider.patch(
        world.probes,
        keyOf(copy),
        { type: 'merge', patch: { status: { phase: 'Ready', seen: 5 } } },
        { subresource: 'status' },
      );
      await world.until('the object has it', async () => {
        const status = (await world.object('reports'))?.status;
        return status?.phase === 'Ready' && status.seen === 5 ? true : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'object-names-its-copy',
    part: 'konnector',
    level: 'must',
    title: 'Annotations of the object name its copy',
    source: 'spec/konnector.md §9.2',
    needs: ['status-returns'],
    async run(world) {
      const copy = await world.copy('reports');
      await world.until('both annotations are right', async () => {
        const marks = (await world.object('reports'))?.metadata.annotations ?? {};
        return marks[annotations.providerUID] === copy?.metadata.uid &&
          marks[annotations.providerNamespace] === copy?.metadata.namespace
          ? true
          : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'drift-is-corrected',
    part: 'konnector',
    level: 'must',
    title: 'A spec changed on the provider is restored',
    source: 'spec/konnector.md §9.1',
    needs,
    async run(world) {
      const { copy } = await world.synced('drifts', { size: 2 });
      await world.provider.patch(world.probes, keyOf(copy), { type: 'merge', patch: { spec: { size: 9 } } });
      await world.until('spec.size of the copy is 2 again', async () =>
        (await world.copy('drifts'))?.spec.size === 2 ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'owners-and-finalizers-stay-at-home',
    part: 'konnector',
    level: 'must',
    title: 'Owners and finalizers of the object are not copied',
    source: 'spec/konnector.md §9.3',
    needs,
    async run(world) {
      const owner = (await world.object('first'))?.metadata;
      await world.make(
        'owned',
        {},
        {
          finalizers: ['conformance.hawser.dev/held'],
          ownerReferences: [
            {
              apiVersion: `${world.api.group}/v1`,
              kind: world.api.kind,
              name: owner?.name ?? '',
              uid: owner?.uid ?? '',
            },
          ],
        },
      );
      const copy = await world.until('the object has a copy', () => world.copy('owned'));
      const { ownerReferences = [], finalizers: held = [] } = copy.metadata;
      expectThat(!ownerReferences.some(({ kind }) => kind === world.api.kind), 'the copy has the owner of the object');
      expectThat(held.length === 0, `the copy has finalizers: ${held.join(', ')}`);
      await world.make('owned', {}, { finalizers: [] });
      return undefined;
    },
  },
  {
    id: 'lost-copy-is-made-again',
    part: 'konnector',
    level: 'must',
    title: 'A copy deleted on the provider is created again',
    source: 'spec/konnector.md §15',
    needs,
    async run(world) {
      const { copy } = await world.synced('comes-back');
      await world.provider.delete(world.probes, keyOf(copy));
      await world.until('there is another copy', async () => {
        const again = await world.copy('comes-back');
        return again !== undefined && again.metadata.uid !== copy.metadata.uid ? true : undefined;
      });
      expectThat(
        (await world.object('comes-back'))?.metadata.deletionTimestamp === undefined,
        'the object was deleted',
      );
      return undefined;
    },
  },
  {
    id: 'foreign-object-is-not-overwritten',
    part: 'konnector',
    level: 'should',
    title: 'An object of the provider with the name of a copy is neither overwritten nor deleted',
    source: 'data of the provider is not the consumer’s to lose (spec/konnector.md §9.1, R24)',
    needs,
    async run(world) {
      const { copy } = await world.synced('shows-the-place');
      const namespace = copy.metadata.namespace ?? '';
      const name = copy.metadata.name.replace('shows-the-place', 'taken');
      const foreign = `${world.suffix}-of-the-provider`;
      await world.apply<Probe>(
        world.provider,
        world.probes,
        { metadata: { name, namespace }, spec: { token: foreign, size: 1 } },
        `${world.api.group}/v1`,
        world.api.kind,
      );
      const stays = async (): Promise<string | undefined> => {
        const found = await world.read<Probe>(world.provider, world.probes, { namespace, name });
        if (found === undefined) return 'it was deleted';
        return found.spec.token === foreign ? undefined : 'its spec was overwritten';
      };
      // Also while the consumer has no object of that name: the foreign object is no orphaned copy.
      await world.never(2_000, stays);
      await world.make('taken');
      await world.never(5_000, stays);
      await world.consumer.delete(world.probes, { namespace: world.namespace, name: 'taken' });
      await world.gone(world.consumer, world.probes, { namespace: world.namespace, name: 'taken' });
      await world.never(2_000, stays);
      return undefined;
    },
  },
  {
    id: 'deletion',
    part: 'konnector',
    level: 'must',
    title: 'A deleted object goes, and its copy with it',
    source: 'spec/konnector.md §9.1',
    needs,
    async run(world) {
      await world.synced('goes');
      await world.consumer.delete(world.probes, { namespace: world.namespace, name: 'goes' });
      await world.gone(world.consumer, world.probes, { namespace: world.namespace, name: 'goes' });
      await world.until('the copy is gone', async () => ((await world.copy('goes')) === undefined ? true : undefined));
      return undefined;
    },
  },
  {
    id: 'deletion-waits-for-the-copy',
    part: 'konnector',
    level: 'should',
    title: 'An object stays until its copy is gone: a running service must not look deleted',
    source: 'spec/konnector.md §9.1: "may vanish while the provider object is still terminating"',
    needs,
    async run(world) {
      const { copy } = await world.synced('goes-slowly');
      const key = keyOf(copy);
      const hold = (finalizer: readonly string[] | null) =>
        world.provider.patch(world.probes, key, { type: 'merge', patch: { metadata: { finalizers: finalizer } } });
      await hold(['conformance.hawser.dev/held']);
      try {
        await world.consumer.delete(world.probes, { namespace: world.namespace, name: 'goes-slowly' });
        await world.until('the copy is being deleted', async () =>
          (await world.copy('goes-slowly'))?.metadata.deletionTimestamp === undefined ? undefined : true,
        );
        await world.never(2_000, async () =>
          (await world.object('goes-slowly')) === undefined ? 'the object is gone while its copy is there' : undefined,
        );
      } finally {
        await hold(null);
      }
      await world.gone(world.consumer, world.probes, { namespace: world.namespace, name: 'goes-slowly' });
      return undefined;
    },
  },
  {
    id: 'namespace-deletion',
    part: 'konnector',
    level: 'must',
    title: 'A deleted namespace of the consumer goes, with the copies of its objects',
    source: 'spec/konnector.md §15',
    needs,
    async run(world) {
      const namespace = `${world.namespace}-ends`;
      await world.makeNamespace(namespace);
      await world.make('inside', { token: world.tokenOf('inside') }, { namespace });
      await world.until('the object has a copy', () => world.copy('inside'));
      await world.consumer.delete(resources.namespaces, { name: namespace });
      await world.until('the copy is gone', async () =>
        (await world.copy('inside')) === undefined ? true : undefined,
      );
      // The deletion of the Namespace itself depends on a controller manager.
      await world.gone(world.consumer, world.probes, { namespace, name: 'inside' });
      return undefined;
    },
  },
  {
    id: 'no-writes-when-in-step',
    part: 'konnector',
    level: 'should',
    title: 'Objects in step are not written',
    source: 'a write for each object and interval is what a busy API server does not need',
    needs,
    async run(world) {
      const names = Array.from({ length: 20 }, (_, index) => `rests-${index}`);
      await Promise.all(names.map((name) => world.make(name)));
      const versions = async (): Promise<string> => {
        const objects = await Promise.all(names.map((name) => world.object(name)));
        const copies = await world.copies();
        const own = names.map((name) => copies.find(({ spec }) => spec.token === world.tokenOf(name)));
        if (own.includes(undefined)) return '';
        return [...objects, ...own].map((each) => each?.metadata.resourceVersion ?? '').join();
      };
      await world.rests(8_000, versions, 'one of 20 was written');
      return undefined;
    },
  },
];
