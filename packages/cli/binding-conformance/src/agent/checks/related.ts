import { annotations as kubeAnnotations } from '@hawser/kcp-api';
import { cleanupFinalizer, relatedAnnotation, resources } from '@hawser/syncagent-api';
import { type Check, expectThat } from '../../check.js';
import { type AgentWorld, NAMESPACE } from '../agent-world.js';
import { ofLabel } from '../publication.js';

const inWorkspace = (name: string) => ({ namespace: NAMESPACE, name });

/** Secrets that belong to objects, in both directions. */
export const relatedChecks: readonly Check<AgentWorld>[] = [
  {
    id: 'related-from-kcp',
    part: 'agent',
    level: 'must',
    title: 'A Secret of the workspace that an object names is copied to the service cluster, and follows changes',
    source: 'spec/api-syncagent.md §12.1, §12.5, §12.8',
    needs: ['object-copied'],
    async run(world) {
      const a = await world.consumer('a');
      await world.putSecret(a.client, inWorkspace('password'), 'one');
      const { copy } = await world.synced(a, 'has-a-secret', { secret: 'password' });
      const there = { namespace: copy.metadata.namespace ?? '', name: 'password' };
      await world.until('the Secret has a copy', async () =>
        (await world.secret(world.service, there)) === 'one' ? true : undefined,
      );
      await world.putSecret(a.client, inWorkspace('password'), 'two');
      await world.until('the copy has the new value', async () =>
        (await world.secret(world.service, there)) === 'two' ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'other-secrets-stay-at-home',
    part: 'agent',
    level: 'must',
    title: 'A Secret of the workspace that belongs to no object is not copied',
    source: 'spec/api-syncagent.md §12.4',
    needs: ['related-from-kcp'],
    async run(world) {
      const a = await world.consumer('a');
      await world.putSecret(a.client, inWorkspace('private'), 'mine');
      await world.putSecret(a.client, inWorkspace('later'), 'one');
      const { copy } = await world.synced(a, 'names-another', { secret: 'later' });
      const namespace = copy.metadata.namespace ?? '';
      // An agent that copies this one has seen the other, too.
      await world.until('a Secret that was made after it has a copy', () =>
        world.secret(world.service, { namespace, name: 'later' }),
      );
      await world.never(2_000, async () =>
        (await world.secret(world.service, { namespace, name: 'private' })) === undefined
          ? undefined
          : 'a Secret that nothing names was copied',
      );
      return undefined;
    },
  },
  {
    id: 'selected-for-each-object',
    part: 'agent',
    level: 'should',
    title: 'A selector that names the object is evaluated for each object, in each workspace',
    source: 'spec/api-syncagent.md §12.4, §17, RE-3',
    needs: ['related-from-kcp'],
    async run(world) {
      const [a, b] = [await world.consumer('a'), await world.consumer('b')];
      for (const [consumer, name] of [
        [a, 'chooses-one'],
        [a, 'chooses-two'],
        [b, 'chooses-three'],
      ] as const)
        await world.putSecret(consumer.client, inWorkspace(`of-${name}`), name, { [ofLabel]: name });
      for (const [consumer, name] of [
        [a, 'chooses-one'],
        [a, 'chooses-two'],
        [b, 'chooses-three'],
      ] as const) {
        const { copy } = await world.synced(consumer, name);
        const there = { namespace: copy.metadata.namespace ?? '', name: `${copy.metadata.name}-of-${name}` };
        await world.until(`${name} has its own Secret on the ${world.service.name}`, async () =>
          (await world.secret(world.service, there)) === name ? true : undefined,
        );
      }
      return undefined;
    },
  },
  {
    id: 'related-from-service',
    part: 'agent',
    level: 'must',
    title: 'A Secret of the service that belongs to a copy is copied to the workspace, and the object names it',
    source: 'spec/api-syncagent.md §12.1, §12.7',
    needs: ['object-copied'],
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'gets-credentials');
      const { namespace = '', name } = copy.metadata;
      await world.putSecret(world.service, { namespace, name: `${name}-credentials` }, 'for you');
      const here = inWorkspace('gets-credentials-credentials');
      await world.until('the Secret is in the workspace', async () =>
        (await world.secret(a.client, here)) === 'for you' ? true : undefined,
      );
      const key = relatedAnnotation('credentials', 0);
      const annotation = await world.until(`annotation ${key} is on the object`, async () =>
        Promise.resolve((await world.object(a, 'gets-credentials'))?.metadata.annotations?.[key]),
      );
      const expected = { namespace: here.namespace, name: here.name, apiVersion: 'v1', kind: 'Secret' };
      expectThat(annotation === JSON.stringify(expected), `it says ${annotation}`);
      const marks = Object.keys((await a.client.get(resources.secrets, here)).metadata.annotations ?? {});
      expectThat(
        marks.every((mark) => mark === kubeAnnotations.cluster || !mark.includes('syncagent.kcp.io')),
        `the Secret in the workspace has ${marks.join(', ')}`,
      );
      return undefined;
    },
  },
  {
    id: 'foreign-secret-is-not-overwritten',
    part: 'agent',
    level: 'should',
    title: 'A Secret of the consumer with the name of a Secret from the service is not overwritten',
    source: 'data of the consumer is not the service’s to lose (spec/api-syncagent.md §17, RE-6)',
    needs: ['related-from-service'],
    async run(world) {
      const a = await world.consumer('a');
      const here = inWorkspace('has-its-own-credentials');
      await world.putSecret(a.client, here, 'mine');
      const { copy } = await world.synced(a, 'has-its-own');
      const { namespace = '', name } = copy.metadata;
      const stays = async (): Promise<string | undefined> =>
        (await world.secret(a.client, here)) === 'mine' ? undefined : 'it was overwritten';
      await world.putSecret(world.service, { namespace, name: `${name}-credentials` }, 'one');
      await world.never(4_000, stays);
      await world.putSecret(world.service, { namespace, name: `${name}-credentials` }, 'two');
      await world.never(4_000, stays);
      return undefined;
    },
  },
  {
    id: 'foreign-secret-of-the-service-is-not-overwritten',
    part: 'agent',
    level: 'should',
    title: 'A Secret of the service with the name of a copy is neither overwritten nor deleted',
    source: 'a consumer chooses the name (spec/api-syncagent.md §17, RE-6)',
    needs: ['related-from-kcp'],
    async run(world) {
      const a = await world.consumer('a');
      const there = { namespace: a.cluster, name: 'of-the-service' };
      await world.putSecret(world.service, there, 'ours');
      const stays = async (): Promise<string | undefined> => {
        const value = await world.secret(world.service, there);
        return value === 'ours' ? undefined : `it was ${value === undefined ? 'deleted' : 'overwritten'}`;
      };
      await world.putSecret(a.client, inWorkspace('of-the-service'), 'theirs');
      await world.synced(a, 'names-it', { secret: 'of-the-service' });
      await world.never(4_000, stays);
      await world.putSecret(a.client, inWorkspace('of-the-service'), 'theirs again');
      await world.never(4_000, stays);
      await a.client.delete(world.probes, inWorkspace('names-it'));
      await world.gone(a.client, world.probes, inWorkspace('names-it'));
      await world.never(2_000, stays);
      return undefined;
    },
  },
  {
    id: 'related-goes-with-the-object',
    part: 'agent',
    level: 'must',
    title:
      "The copies of an object's Secrets on the service cluster go with the object; its Secrets stay, and can be deleted",
    source: 'spec/api-syncagent.md §12.6 (TestDeletePrimaryWithRelatedKcpResource)',
    needs: ['related-from-kcp'],
    async run(world) {
      const a = await world.consumer('a');
      await world.putSecret(a.client, inWorkspace('goes-along'), 'one');
      const { copy } = await world.synced(a, 'has-one-that-goes', { secret: 'goes-along' });
      const there = { namespace: copy.metadata.namespace ?? '', name: 'goes-along' };
      await world.until('the Secret has a copy', () => world.secret(world.service, there));
      await a.client.delete(world.probes, inWorkspace('has-one-that-goes'));
      await world.gone(a.client, world.probes, inWorkspace('has-one-that-goes'));
      await world.gone(world.service, resources.secrets, there);
      const secret = await world.until('the Secret in the workspace has no finalizer', async () => {
        const found = await a.client.get(resources.secrets, inWorkspace('goes-along'));
        return found.metadata.finalizers?.includes(cleanupFinalizer) === true ? undefined : found;
      });
      expectThat(secret.metadata.deletionTimestamp === undefined, 'the Secret in the workspace was deleted');
      return undefined;
    },
  },
  {
    id: 'credentials-outlive-the-object',
    part: 'agent',
    level: 'must',
    title: 'A Secret from the service stays when its object goes, unless the rules say otherwise',
    source: 'spec/api-syncagent.md §12.6 (TestRelatedResourceCleanupDisabled)',
    needs: ['related-from-service'],
    async run(world) {
      const a = await world.consumer('a');
      const { copy } = await world.synced(a, 'leaves-credentials');
      const { namespace = '', name } = copy.metadata;
      const there = { namespace, name: `${name}-credentials` };
      const here = inWorkspace('leaves-credentials-credentials');
      await world.putSecret(world.service, there, 'for you');
      await world.until('the Secret is in the workspace', () => world.secret(a.client, here));
      await a.client.delete(world.probes, inWorkspace('leaves-credentials'));
      await world.gone(a.client, world.probes, inWorkspace('leaves-credentials'));
      await world.never(2_000, async () => {
        if ((await world.secret(world.service, there)) === undefined) return 'it is gone from the service cluster';
        return (await world.secret(a.client, here)) === undefined ? 'it is gone from the workspace' : undefined;
      });
      return undefined;
    },
  },
];
