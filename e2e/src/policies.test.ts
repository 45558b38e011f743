import { beforeAll, expect } from '@jest/globals';
import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import { databases } from '@hawser/installation';
import type { Condition } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import {
  LONG,
  type ServiceObject,
  binding,
  copyKey,
  createNamespace,
  gone,
  objectOf,
  resourceOf,
  synced,
} from './copies.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';

const resource = resourceOf(databases);

describeSystem(
  'the operator decides how objects are treated',
  () => ({ name: 'policies' }),
  (system, it) => {
    let bound: BoundApi;

    beforeAll(async () => {
      await system().startKonnector({
        config: { orphans: { policy: 'Delete', deletionsPerMinute: 2, graceSeconds: 1 } },
      });
      await createNamespace(system(), 'team-a');
      bound = await system().bind({ name: 'databases', apis: [databases] });
      await ready(system(), 'databases');
    }, 240_000);

    const keyOf = (name: string): ObjectKey => ({ namespace: 'team-a', name });
    const create = async (name: string): Promise<ServiceObject> => {
      await system().consumer.apply(objectOf(databases, keyOf(name)));
      return (await synced(system(), bound, databases, keyOf(name))).copy;
    };
    const copyOf = (name: string): Promise<UnstructuredObject | undefined> =>
      system().provider.find(resource, copyKey(bound, keyOf(name)));
    const annotate = (...words: readonly string[]): Promise<string> =>
      system().consumer.kubectl(['annotate', '--overwrite', 'apiservicebinding', 'databases', ...words]);
    const conditionIs = (type: string, expected: Partial<Condition>): Promise<Condition> =>
      eventually(async () => {
        const condition = conditionsOf(await binding(system(), 'databases'))[type];
        expect(condition).toMatchObject(expected);
        return condition!;
      }, LONG);
    const conditionGoes = (type: string): Promise<void> =>
      eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))[type]).toBeUndefined();
      }, LONG);

    it('a paused binding writes nothing, lets deletions wait, and goes on afterwards', async () => {
      await create('paused');
      await annotate('hawser.dev/paused=maintenance of the provider', 'hawser.dev/drift-policy=Now and then');
      await conditionIs('Paused', {
        status: 'True',
        message: expect.stringContaining('maintenance of the provider') as unknown as string,
      });
      await conditionIs('PoliciesValid', {
        status: 'False',
        reason: 'UnknownPolicyValue',
        message: expect.stringContaining('Now and then') as unknown as string,
      });
      await system().consumer.kubectl(['delete', 'databases.example.com', 'paused', '-n', 'team-a', '--wait=false']);
      await system().consumer.apply(objectOf(databases, keyOf('later')));
      await conditionIs('ObjectsInSync', {
        status: 'False',
        reason: 'Paused',
        message: expect.stringContaining('2 objects') as unknown as string,
      });
      expect(await copyOf('later')).toBeUndefined();
      expect((await copyOf('paused'))?.metadata.deletionTimestamp).toBeUndefined();
      expect((await conditionIs('Ready', {})).status).toBe('True');
      await annotate('hawser.dev/paused-', 'hawser.dev/drift-policy-');
      await gone(() => system().consumer.find(resource, keyOf('paused')));
      await synced(system(), bound, databases, keyOf('later'));
      await conditionGoes('Paused');
      await conditionGoes('PoliciesValid');
    });

    it('orphans are deleted on proof, and held where there are too many, until that is approved', async () => {
      const names = ['o-1', 'o-2', 'o-3', 'o-4'];
      for (const name of names) await create(name);
      // By force, and while the konnector does not put its finalizer back.
      const tearOut = async (torn: readonly string[]): Promise<void> => {
        await annotate('hawser.dev/paused=objects are lost');
        await conditionIs('Paused', { status: 'True' });
        for (const name of torn) {
          await system().consumer.client.patch(resource, keyOf(name), {
            type: 'merge',
            patch: { metadata: { finalizers: null } },
          });
          await system().consumer.client.delete(resource, keyOf(name));
        }
        await annotate('hawser.dev/paused-');
      };
      await tearOut(['o-1']);
      await gone(() => copyOf('o-1'));
      await tearOut(['o-2', 'o-3', 'o-4']);
      const { message = '' } = await conditionIs('DeletionsHeld', {
        status: 'True',
        reason: 'TooManyOrphans',
        message: expect.stringContaining('3 copies') as unknown as string,
      });
      for (const name of ['o-2', 'o-3', 'o-4', 'later'])
        expect((await copyOf(name))?.metadata.deletionTimestamp).toBeUndefined();
      await annotate(/"(hawser\.dev\/approve-deletions): ([^"]+)"/u.exec(message)?.slice(1).join('=') ?? '');
      for (const name of ['o-2', 'o-3', 'o-4']) await gone(() => copyOf(name));
      await conditionGoes('DeletionsHeld');
      expect(await copyOf('later')).toBeDefined();
    });
  },
);
