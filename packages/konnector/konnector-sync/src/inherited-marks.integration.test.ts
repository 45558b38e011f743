import type { UnstructuredObject } from '@hawser/client';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { defaultPolicy } from './binding-policy.js';
import { type PairOfClusters, openPair } from './testing/pair-of-clusters.js';

describeWithControlPlane('objects with the marks of copies', () => {
  let pair: PairOfClusters;

  beforeEach(async () => {
    pair = await openPair();
  });
  afterEach(async () => {
    await pair.close();
  });

  const key = (name: string): string => `${pair.namespace}/${name}`;
  const create = async (name: string, spec: unknown = { size: 'small' }): Promise<UnstructuredObject> =>
    pair.consumer.create(pair.resource, pair.object(name, spec));
  const remove = async (name: string): Promise<void> => {
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name });
    await eventually(async () => {
      expect(await pair.onConsumer(name)).toBeUndefined();
    });
  };
  const marksOfGo = (uid = ''): Record<string, string> => ({
    'kube-bind.io/cluster-namespace': pair.settings.clusterNamespace,
    'kube-bind.io/consumer-namespace': pair.namespace,
    'kube-bind.io/consumer-uid': uid,
  });
  /** As an operator on the provider makes a child with the annotations of its parent, or the Go konnector a copy. */
  const make = (
    name: string,
    annotations: Record<string, string>,
    fieldManager: string,
    metadata: Record<string, unknown> = {},
  ): Promise<UnstructuredObject> =>
    pair.provider.create(
      pair.resource,
      {
        ...pair.object(name, { size: 'of the child' }),
        metadata: { name, namespace: pair.providerNamespace, annotations, ...metadata },
      },
      { fieldManager },
    );

  it('children that operators make of copies are neither reported, nor overwritten, nor deleted', async () => {
    const sync = await pair.startSync({ policy: { ...defaultPolicy, orphans: 'Delete' }, orphanGraceMs: 100 });
    await create('parent');
    const parent = await eventually(async () => {
      const copy = await pair.onProvider('parent');
      expect(copy).toBeDefined();
      return copy;
    });
    const inherited = parent?.metadata.annotations ?? {};
    const owner = { apiVersion: parent?.apiVersion, kind: 'Database', name: 'parent', uid: parent?.metadata.uid };
    const unnamed = Object.fromEntries(
      Object.entries(inherited).filter(([name]) => name !== 'hawser.dev/consumer-object'),
    );
    const children = {
      named: await make('named', inherited, 'operator', { ownerReferences: [owner] }),
      controlled: await make('controlled', unnamed, 'operator', { ownerReferences: [{ ...owner, controller: true }] }),
      'by-uid': await make('by-uid', unnamed, 'operator'),
    };
    for (const name of Object.keys(children)) await create(name);
    await eventually(() => {
      expect(
        sync
          .problems()
          .map(({ object, reason }) => [object, reason])
          .sort(),
      ).toEqual(
        Object.keys(children)
          .map((name) => [key(name), 'ForeignCopy'])
          .sort(),
      );
    });
    for (const name of Object.keys(children)) await remove(name);
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
    for (const [name, child] of Object.entries(children)) expect(await pair.onProvider(name)).toEqual(child);
  });

  it('copies of Go are taken over by their place, and go with their object if a konnector has made them', async () => {
    const sync = await pair.startSync();
    const [ours, theirs] = [
      await create('ours', { size: 'of the child' }),
      await create('theirs', { size: 'of the child' }),
    ];
    await sync.stop();
    for (const {
      metadata: { name },
    } of [ours, theirs]) {
      await pair.provider.delete(pair.resource, { namespace: pair.providerNamespace, name }).catch(() => undefined);
    }
    await make('ours', marksOfGo(ours.metadata.uid), 'konnector');
    const child = await make('theirs', marksOfGo(theirs.metadata.uid), 'operator');
    const again = await pair.startSync();
    for (const name of ['ours', 'theirs'])
      await eventually(() => {
        expect(again.why(key(name)).verdict.kind).toBe('inStep');
      });
    await remove('ours');
    await remove('theirs');
    expect(await pair.onProvider('ours')).toBeUndefined();
    expect(await pair.onProvider('theirs')).toEqual(child);
    await eventually(() => {
      expect(again.problems()).toEqual([expect.objectContaining({ object: key('theirs'), reason: 'Orphaned' })]);
    });
  });

  it('two clusters with one kubeconfig: the second neither takes over nor deletes the copies of the first, until a person says that it has taken its place', async () => {
    const first = await pair.startSync({ consumerCluster: 'first' });
    await create('one');
    const copy = await eventually(async () => {
      const found = await pair.onProvider('one');
      expect(found).toBeDefined();
      return found;
    });
    await first.stop();
    // Another cluster with an object of that name.
    await pair.tearOut('one');
    const second = await pair.startSync({ consumerCluster: 'second' });
    await create('one', { size: 'large' });
    await eventually(() => {
      expect(second.problems()).toEqual([
        expect.objectContaining({
          object: key('one'),
          reason: 'CopyOfAnotherCluster',
          actor: 'operator',
          message: expect.stringContaining('former-consumer-identity=first'),
        }),
      ]);
    });
    await remove('one');
    expect(await pair.onProvider('one')).toEqual(copy);
    await create('one', { size: 'large' });
    second.use({ ...defaultPolicy, formerClusters: ['first'] });
    await eventually(async () => {
      expect(await pair.onProvider('one')).toMatchObject({
        spec: { size: 'large' },
        metadata: { uid: copy?.metadata.uid, annotations: { 'hawser.dev/consumer-identity': 'second' } },
      });
    });
    await remove('one');
    expect(await pair.onProvider('one')).toBeUndefined();
  });
});
