import { resources as kcp } from '@hawser/kcp-api';
import { keyOf } from '@hawser/client';
import { type Check, expectThat } from '../../check.js';
import { type AgentWorld, NAMESPACE } from '../agent-world.js';

const needs = ['workspaces-are-apart'];

/** The last checks: after them, nothing is published. */
export const agentEndingChecks: readonly Check<AgentWorld>[] = [
  {
    id: 'lost-workspace-is-apart',
    part: 'agent',
    level: 'must',
    title: 'A workspace that unbinds ends its own objects, with their copies, and disturbs no other workspace',
    source: 'kcp deletes what a binding has brought (spec/api-syncagent.md §17, RE-17)',
    needs,
    async run(world) {
      const [a, b] = [await world.consumer('a'), await world.consumer('b')];
      const { copy } = await world.synced(a, 'stays');
      await world.make(b, 'ends', { token: world.tokenOf('ends') });
      await world.until('it has a copy', () => world.copy('ends'));
      await b.client.delete(kcp.apiBindings, { name: world.name });
      await world.gone(b.client, kcp.apiBindings, { name: world.name });
      await world.until('the copy is gone, too', async () =>
        (await world.copy('ends')) === undefined ? true : undefined,
      );
      await world.synced(a, 'after-it');
      expectThat(
        (await world.read(world.service, world.probes, keyOf(copy)))?.metadata.uid === copy.metadata.uid,
        'the copy of an object of the other workspace is not what it was',
      );
      return undefined;
    },
  },
  {
    id: 'withdrawn-schema-stays-exported',
    part: 'agent',
    level: 'must',
    title: 'A deleted PublishedResource leaves the API in the workspaces',
    source: 'spec/api-syncagent.md §10.2 (TestSchemaIsKeptWhenDeletingPublishedResource)',
    needs: ['object-copied', 'projection'],
    async run(world) {
      await world.publication.withdraw(world.publication.filteredName);
      await world.never(4_000, async () =>
        (await world.publication.exported(world.publication.projectedApi)) === undefined
          ? 'the export does not list it any more'
          : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'withdrawn-objects-can-go',
    part: 'agent',
    level: 'should',
    title: 'Objects of a deleted PublishedResource stay, with their copies, and can be deleted',
    source: 'spec/api-syncagent.md §17, RE-39',
    needs: ['object-copied'],
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'outlives');
      await world.publication.withdraw(world.name);
      await world.never(4_000, async () => {
        if ((await world.read(world.service, world.probes, keyOf(copy))) === undefined) return 'its copy was deleted';
        return (await world.object(a, 'outlives')) === undefined ? 'the object was deleted' : undefined;
      });
      const object = await world.object(a, 'outlives');
      expectThat(object?.metadata.deletionTimestamp === undefined, 'the object is being deleted');
      await a.client.delete(world.probes, { namespace: NAMESPACE, name: 'outlives' });
      await world.gone(a.client, world.probes, { namespace: NAMESPACE, name: 'outlives' });
      return undefined;
    },
  },
];
