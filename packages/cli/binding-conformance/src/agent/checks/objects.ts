import { keyOf } from '@hawser/client';
import { annotations, cleanupFinalizer, labels, resources, sha1Hex } from '@hawser/syncagent-api';
import { type Check, expectThat } from '../../check.js';
import type { Probe } from '../../probe.js';
import { type AgentWorld, NAMESPACE, stateSelector } from '../agent-world.js';
import { wantedLabel } from '../publication.js';

const needs = ['object-copied'];

/** Checks on an object in a workspace and its copy. */
export const agentObjectChecks: readonly Check<AgentWorld>[] = [
  {
    id: 'object-copied',
    part: 'agent',
    level: 'must',
    title: 'An object in a workspace gets a copy on the service cluster, with its marks, in the default place',
    source: 'spec/api-syncagent.md §2.11, §11.1, §11.3',
    needs: ['export-lists-schema'],
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'first', { size: 3, note: 'as written' });
      expectThat(copy.spec.size === 3 && copy.spec.note === 'as written', `its spec is ${JSON.stringify(copy.spec)}`);
      const marks = copy.metadata.labels ?? {};
      expectThat(marks[labels.remoteCluster] === a.cluster, `label ${labels.remoteCluster} is not ${a.cluster}`);
      expectThat(
        marks[labels.remoteNamespaceHash] === sha1Hex(NAMESPACE) && marks[labels.remoteNameHash] === sha1Hex('first'),
        'the labels with the hashes of namespace and name are not those of the object',
      );
      expectThat(marks[labels.agentName] !== undefined, `label ${labels.agentName} is missing`);
      const noted = copy.metadata.annotations ?? {};
      expectThat(
        noted[annotations.remoteNamespace] === NAMESPACE && noted[annotations.remoteName] === 'first',
        'the annotations with namespace and name are not those of the object',
      );
      const copyKey = world.defaultCopyKey(a, 'first');
      expectThat(
        copy.metadata.namespace === copyKey.namespace && copy.metadata.name === copyKey.name,
        `it is ${copy.metadata.namespace ?? ''}/${copy.metadata.name} instead of ${copyKey.namespace}/${copyKey.name}`,
      );
      return undefined;
    },
  },
  {
    id: 'finalizer',
    part: 'agent',
    level: 'must',
    title: 'The object has the finalizer that protects against a leftover copy',
    source: 'spec/api-syncagent.md §11.6',
    needs,
    async run(world) {
      const object = await world.object(await world.consumer('a'), 'first');
      expectThat(
        object?.metadata.finalizers?.includes(cleanupFinalizer) === true,
        `finalizer ${cleanupFinalizer} is missing`,
      );
      return undefined;
    },
  },
  {
    id: 'spec-follows',
    part: 'agent',
    level: 'must',
    title: 'A changed spec and label reach the copy; removed fields go from the copy',
    source: 'spec/api-syncagent.md §11.7',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      await world.make(a, 'first', { size: 4 }, { labels: { 'conformance.hawser.dev/team': 'red' } });
      await world.until('the copy has it', async () => {
        const copy = await world.copy('first');
        return copy?.spec.size === 4 &&
          copy.spec.note === undefined &&
          copy.metadata.labels?.['conformance.hawser.dev/team'] === 'red'
          ? true
          : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'status-returns',
    part: 'agent',
    level: 'must',
    title: 'A status that the service writes comes back to the object',
    source: 'spec/api-syncagent.md §11.10',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'reports');
      await world.service.patch(
        world.probes,
        keyOf(copy),
        { type: 'merge', patch: { status: { phase: 'Ready', seen: 5 } } },
        { subresource: 'status' },
      );
      await world.until('the object has it', async () => {
        const status = (await world.object(a, 'reports'))?.status;
        return status?.phase === 'Ready' && status.seen === 5 ? true : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'edits-of-the-service-stay',
    part: 'agent',
    level: 'must',
    title: 'Fields that the service sets on a copy stay until they change in the workspace',
    source: 'spec/api-syncagent.md §11.7 (TestLocalChangesAreKept)',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'is-edited', { size: 1, note: 'of the consumer' });
      await world.service.patch(world.probes, keyOf(copy), { type: 'merge', patch: { spec: { size: 9 } } });
      await world.make(a, 'is-edited', { size: 1, note: 'changed' });
      const now = await world.until('the copy has the other change', async () => {
        const found = await world.copy('is-edited');
        return found?.spec.note === 'changed' ? found : undefined;
      });
      expectThat(now.spec.size === 9, `spec.size, which the service has set to 9, is ${String(now.spec.size)}`);
      await world.make(a, 'is-edited', { size: 2, note: 'changed' });
      await world.until('spec.size of the copy is 2', async () =>
        (await world.copy('is-edited'))?.spec.size === 2 ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'lost-copy-is-made-again',
    part: 'agent',
    level: 'must',
    title: 'A copy deleted on the service cluster is created again',
    source: 'spec/api-syncagent.md §11.6',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'comes-back');
      await world.service.delete(world.probes, keyOf(copy));
      await world.until('there is another copy', async () => {
        const again = await world.copy('comes-back');
        return again !== undefined && again.metadata.uid !== copy.metadata.uid ? true : undefined;
      });
      expectThat(
        (await world.object(a, 'comes-back'))?.metadata.deletionTimestamp === undefined,
        'the object was deleted',
      );
      return undefined;
    },
  },
  {
    id: 'long-names',
    part: 'agent',
    level: 'must',
    title: 'An object with the longest possible name gets a copy',
    source: 'spec/api-syncagent.md §2.11 (TestSyncingOverlyLongNames)',
    needs,
    async run(world) {
      await world.synced(await world.consumer('a'), `long-${'x'.repeat(245)}`);
      return undefined;
    },
  },
  {
    id: 'owners-and-finalizers-stay-at-home',
    part: 'agent',
    level: 'must',
    title: 'Owners and finalizers of the object are not copied',
    source: 'spec/api-syncagent.md §11.4',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const owner = (await world.object(a, 'first'))?.metadata;
      const { copy } = await world.synced(
        a,
        'owned',
        {},
        {
          finalizers: ['conformance.hawser.dev/held'],
          ownerReferences: [
            {
              ...world.kindOfProbes,
              name: owner?.name ?? '',
              uid: owner?.uid ?? '',
            },
          ],
        },
      );
      const { ownerReferences = [], finalizers: held = [] } = copy.metadata;
      expectThat(ownerReferences.length === 0, 'the copy has the owner of the object');
      expectThat(held.length === 0, `the copy has finalizers: ${held.join(', ')}`);
      await world.make(a, 'owned', {}, { finalizers: [] });
      return undefined;
    },
  },
  {
    id: 'marks-cannot-be-written-by-consumers',
    part: 'agent',
    level: 'should',
    title: 'A consumer cannot change the owner of a copy by writing marks on an object',
    source: 'spec/api-syncagent.md §17, RE-29',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'pretends');
      const before = copy.metadata.labels?.[labels.agentName];
      await world.make(
        a,
        'pretends',
        { note: 'seen' },
        { labels: { [labels.agentName]: 'another', [labels.remoteCluster]: 'another' } },
      );
      const now = await world.until('the copy has the change that was made with it', async () => {
        const found = await world.copy('pretends');
        return found?.spec.note === 'seen' ? found : undefined;
      });
      const marks = now.metadata.labels ?? {};
      expectThat(
        marks[labels.agentName] === before,
        `label ${labels.agentName} is ${marks[labels.agentName] ?? 'gone'}`,
      );
      expectThat(marks[labels.remoteCluster] === a.cluster, `label ${labels.remoteCluster} was changed`);
      return undefined;
    },
  },
  {
    id: 'workspaces-are-apart',
    part: 'agent',
    level: 'must',
    title: 'Objects of the same name in two workspaces have separate copies, and neither gets data of the other',
    source: 'spec/api-syncagent.md §11.3 (TestSyncWithDefaultNamingRules)',
    needs: ['status-returns'],
    async run(world) {
      const [a, b] = [await world.consumer('a'), await world.consumer('b')];
      await world.make(a, 'shared', { note: 'of a' });
      await world.make(b, 'shared', { token: world.tokenOf('shared-b'), note: 'of b' });
      const ofA = await world.until('the first has a copy', () => world.copy('shared'));
      const ofB = await world.until('the second has a copy', () => world.copy('shared-b'));
      expectThat(ofA.metadata.uid !== ofB.metadata.uid, 'both have one copy');
      await world.service.patch(
        world.probes,
        keyOf(ofA),
        { type: 'merge', patch: { status: { phase: 'OfA' } } },
        { subresource: 'status' },
      );
      await world.until('the first has the status of its copy', async () =>
        (await world.object(a, 'shared'))?.status?.phase === 'OfA' ? true : undefined,
      );
      await world.never(2_000, async () =>
        (await world.object(b, 'shared'))?.status?.phase === 'OfA'
          ? 'the second has the status of the first'
          : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'foreign-object-is-not-overwritten',
    part: 'agent',
    level: 'should',
    title: 'An object of the service with the name of a copy is neither overwritten nor deleted',
    source: 'data of the service is not the consumer’s to lose (spec/api-syncagent.md §17, RE-6)',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const copyKey = world.defaultCopyKey(a, 'taken');
      const foreign: Probe = {
        ...world.kindOfProbes,
        metadata: copyKey,
        spec: { token: `${world.suffix}-of-the-service`, size: 1 },
      };
      const { metadata } = await world.applyObject<Probe>(world.service, world.probes, foreign);
      const stays = async (): Promise<string | undefined> => {
        const found = await world.read<Probe>(world.service, world.probes, copyKey);
        if (found === undefined || found.metadata.deletionTimestamp !== undefined) return 'it was deleted';
        if (found.metadata.uid !== metadata.uid) return 'it was replaced';
        return found.spec.token === foreign.spec.token && found.spec.size === 1
          ? undefined
          : 'its spec was overwritten';
      };
      await world.make(a, 'taken', { size: 7 });
      await world.never(4_000, stays);
      await world.make(a, 'taken', { size: 8 });
      await world.never(4_000, stays);
      await a.client.delete(world.probes, { namespace: NAMESPACE, name: 'taken' });
      await world.never(4_000, stays);
      await world.gone(a.client, world.probes, { namespace: NAMESPACE, name: 'taken' });
      return undefined;
    },
  },
  {
    id: 'filter',
    part: 'agent',
    level: 'must',
    title: 'Only objects that the filter selects get copies, named by the naming rules',
    source: 'spec/api-syncagent.md §2.4, §2.5 (TestResourceFilter)',
    needs: ['object-copied', 'projection'],
    async run(world) {
      const a = await world.consumer('a');
      await world.makeFiltered(a, 'unwanted', {});
      await world.makeFiltered(a, 'wanted', wantedLabel);
      const copy = await world.until('the selected object has a copy', () =>
        world.copy('wanted', world.publication.guests),
      );
      const namespace = world.filteredNamespace(a);
      expectThat(
        copy.metadata.name === 'wanted' && copy.metadata.namespace === namespace,
        `it is ${copy.metadata.namespace ?? ''}/${copy.metadata.name} instead of ${namespace}/wanted`,
      );
      await world.never(3_000, async () =>
        (await world.copy('unwanted', world.publication.guests)) === undefined
          ? undefined
          : 'the other has a copy, too',
      );
      return undefined;
    },
  },
  {
    id: 'unselected-object-can-go',
    part: 'agent',
    level: 'should',
    title: 'An object that the filter no longer selects can be deleted, and leaves no copy',
    source: 'spec/api-syncagent.md §17, RE-7',
    needs: ['filter'],
    async run(world) {
      const a = await world.consumer('a');
      await world.makeFiltered(a, 'loses-it', wantedLabel);
      await world.until('it has a copy', () => world.copy('loses-it', world.publication.guests));
      await world.makeFiltered(a, 'loses-it', {});
      await a.client.delete(world.publication.visitors, { namespace: NAMESPACE, name: 'loses-it' });
      await world.gone(a.client, world.publication.visitors, { namespace: NAMESPACE, name: 'loses-it' });
      await world.until('its copy is gone', async () =>
        (await world.copy('loses-it', world.publication.guests)) === undefined ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'deletion-waits-for-the-copy',
    part: 'agent',
    level: 'must',
    title: 'A deleted object goes with its copy, and not before it',
    source: 'spec/api-syncagent.md §11.9',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'goes-slowly');
      const hold = (finalizers: readonly string[] | null) =>
        world.service.patch(world.probes, keyOf(copy), { type: 'merge', patch: { metadata: { finalizers } } });
      await hold(['conformance.hawser.dev/held']);
      try {
        await a.client.delete(world.probes, { namespace: NAMESPACE, name: 'goes-slowly' });
        await world.until('the copy is being deleted', async () =>
          (await world.copy('goes-slowly'))?.metadata.deletionTimestamp === undefined ? undefined : true,
        );
        await world.never(2_000, async () =>
          (await world.object(a, 'goes-slowly')) === undefined
            ? 'the object is gone while its copy is there'
            : undefined,
        );
      } finally {
        await hold(null);
      }
      await world.gone(a.client, world.probes, { namespace: NAMESPACE, name: 'goes-slowly' });
      return undefined;
    },
  },
  {
    id: 'no-writes-when-in-step',
    part: 'agent',
    level: 'should',
    title: 'Objects in step are not written',
    source: 'a write for each object and interval is what a busy API server does not need',
    needs,
    async run(world) {
      const a = await world.consumer('a');
      const names = Array.from({ length: 20 }, (_, index) => `rests-${index}`);
      await Promise.all(names.map((name) => world.make(a, name)));
      const versions = async (): Promise<string> => {
        const objects = await Promise.all(names.map((name) => world.object(a, name)));
        const all = await world.copies();
        const copies = names.map((name) => all.find(({ spec }) => spec.token === world.tokenOf(name)));
        if (copies.includes(undefined)) return '';
        const state = await world.service.list(resources.secrets, { labelSelector: stateSelector(a) });
        return [...objects, ...copies, ...state.items].map((each) => each?.metadata.resourceVersion ?? '').join();
      };
      await world.rests(8_000, versions, 'one of 20 was written');
      return undefined;
    },
  },
];
