import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { describeWithControlPlane, eventually, sharedControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createNamedWatches, readNamed } from './index.js';

describeWithControlPlane('named watches', () => {
  let closers: (() => Promise<void>)[];
  beforeEach(() => {
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  async function open(as: 'admin' | 'nobody'): Promise<{
    informers: SharedInformers;
    create: (name: string) => Promise<unknown>;
    namespace: string;
    changed: string[];
    watches: ReturnType<typeof createNamedWatches>;
  }> {
    const plane = await sharedControlPlane('consumer');
    const admin = createClient({ name: 'consumer', connection: plane.connection });
    const client =
      as === 'admin'
        ? admin
        : createClient({ name: 'consumer', connection: (await plane.userAccess('nobody')).connection });
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    closers.push(
      () => admin.close(),
      () => client.close(),
      () => informers.close(),
    );
    const namespace = uniqueNamespace('named');
    await admin.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const changed: string[] = [];
    const watches = createNamedWatches(informers, resources.secrets, ({ name }) => {
      changed.push(name);
    });
    const create = (name: string): Promise<unknown> =>
      admin.create(resources.secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name } });
    return { informers, create, namespace, changed, watches };
  }

  it('watch what is wanted, tell of changes, and close what is not wanted any more', async () => {
    const { informers, create, namespace, changed, watches } = await open('admin');
    await create('a');
    watches.want([
      { namespace, name: 'a' },
      { namespace, name: 'b' },
    ]);
    await watches.settled(new AbortController().signal);
    expect(watches.read({ namespace, name: 'a' })).toMatchObject({
      kind: 'found',
      object: { metadata: { name: 'a' } },
    });
    expect(watches.read({ namespace, name: 'b' })).toEqual({ kind: 'missing' });
    expect(watches.read({ namespace, name: 'c' })).toEqual({ kind: 'unknown' });
    changed.length = 0;
    await create('b');
    // The end of the first list is a change, too.
    await eventually(() => {
      expect(changed).toContain('b');
      expect(watches.read({ namespace, name: 'b' })).toMatchObject({ kind: 'found' });
    });
    watches.want([{ namespace, name: 'b' }]);
    expect(informers.active.map(({ spec }) => spec.fieldSelector)).toEqual(['metadata.name=b']);
    watches.close();
    expect(informers.active).toEqual([]);
  });

  it('say that they are denied', async () => {
    const { namespace, watches } = await open('nobody');
    watches.want([{ namespace, name: 'a' }]);
    await watches.settled(new AbortController().signal);
    expect(watches.read({ namespace, name: 'a' })).toMatchObject({ kind: 'denied', error: { code: 'Forbidden' } });
    watches.close();
  });

  it('one of them is read live by one who may list and watch it, but not get it', async () => {
    const { create, namespace, watches } = await open('admin');
    await create('a');
    const plane = await sharedControlPlane('consumer');
    await plane.kubectl(['create', 'role', 'watcher', '-n', namespace, '--verb=list,watch', '--resource=secrets']);
    const user = `watcher-of-${namespace}`;
    await plane.kubectl(['create', 'rolebinding', 'watcher', '-n', namespace, '--role=watcher', `--user=${user}`]);
    const client = createClient({ name: 'consumer', connection: (await plane.userAccess(user)).connection });
    closers.push(() => client.close());
    const read = (name: string): Promise<unknown> =>
      readNamed(client, resources.secrets, { namespace, name }, new AbortController().signal);
    await eventually(async () => {
      expect(await read('a')).toMatchObject({ metadata: { name: 'a' } });
    });
    expect(await read('b')).toBeUndefined();
    expect(await read('a,metadata.namespace!=x')).toBeUndefined();
    watches.close();
  });

  it.each(['', 'a,metadata.namespace!=x', 'A', '../secrets', 'a'.repeat(254)])(
    'ask no server for what cannot exist: %j',
    async (name) => {
      const { informers, namespace, watches } = await open('admin');
      watches.want([
        { namespace, name },
        { namespace: 'no/such', name: 'a' },
      ]);
      expect(informers.active).toEqual([]);
      expect(watches.read({ namespace, name })).toEqual({ kind: 'missing' });
    },
  );
});
