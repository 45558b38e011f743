import { afterEach, expect, it } from '@jest/globals';

import type { Resource, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createDeletionBudget } from '@hawser/controller';
import { describeWithControlPlane, eventually } from '@hawser/testenv';

import { type BindingPolicy, defaultPolicy } from './binding-policy.js';
import type { PairSettings } from './observed.js';
import type { Sync } from './sync.js';
import { type PairOfClusters, openPair } from './testing/pair-of-clusters.js';

const FINALIZER = 'kubebind.io/syncer';

describeWithControlPlane('the policies of a sync between two API servers', () => {
  let pair: PairOfClusters;

  afterEach(async () => {
    await pair.close();
  });

  const start = (
    policy: Partial<BindingPolicy>,
    settings: Partial<PairSettings> = {},
    options: Parameters<PairOfClusters['startSync']>[1] = {},
  ): Promise<Sync> => pair.startSync({ policy: { ...defaultPolicy, ...policy }, ...settings }, options);
  const open = async (): Promise<void> => {
    pair = await openPair();
  };
  const at = (name: string): { namespace: string; name: string } => ({ namespace: pair.providerNamespace, name });
  const created = async (name: string, spec: unknown): Promise<UnstructuredObject> => {
    await pair.consumer.create(pair.resource, pair.object(name, spec));
    return eventually(async () => {
      expect((await pair.onConsumer(name))?.metadata.annotations?.['kube-bind.io/provider-uid']).toBeDefined();
      return pair.provider.get(pair.resource, at(name));
    });
  };
  const change = (name: string, spec: Record<string, unknown>): Promise<unknown> =>
    pair.consumer.patch(pair.resource, { namespace: pair.namespace, name }, { type: 'merge', patch: { spec } });
  const drift = (name: string, spec: Record<string, unknown>, fieldManager = 'somebody'): Promise<unknown> =>
    pair.provider.patch(pair.resource, at(name), { type: 'merge', patch: { spec } }, { fieldManager });
  const key = (name: string): string => `${pair.namespace}/${name}`;
  const foreign = (name: string, annotations: Record<string, string> = {}): Promise<unknown> =>
    pair.provider.create(pair.resource, {
      ...pair.object(name, { size: 'theirs', extra: true }),
      metadata: { ...at(name), annotations },
    });

  it('pauses a binding or an object: nothing is written, deletions wait, and all of it goes on afterwards', async () => {
    await open();
    const sync = await start({});
    for (const name of ['one', 'two', 'three']) await created(name, { size: 'small' });
    const mark = await pair.mark();
    sync.use({ ...defaultPolicy, pause: { of: 'binding', reason: 'maintenance' } });
    await change('one', { size: 'large' });
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'two' });
    await pair.consumer.create(pair.resource, pair.object('four', {}));
    await eventually(() => {
      expect(
        sync
          .problems()
          .map(({ object, reason, actor }) => [object, reason, actor])
          .sort(),
      ).toEqual([key('four'), key('one'), key('two')].map((object) => [object, 'Paused', 'operator']));
    });
    expect(sync.plan(key('one'))).toMatchObject({
      actions: [],
      withheld: [expect.objectContaining({ type: 'patchCopy' })],
    });
    expect(sync.plan(key('two'))).toMatchObject({ actions: [], withheld: [{ type: 'proveDeletion' }] });
    // The three writes are the test's own.
    expect((await pair.writesSince(mark)).map(({ verb }) => verb).sort()).toEqual(['create', 'delete', 'patch']);
    expect((await pair.onConsumer('two'))?.metadata.finalizers).toEqual([FINALIZER]);
    expect(pair.events).toEqual([]);

    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/paused': 'by its owner' } } } },
    );
    await eventually(() => {
      expect(sync.why(key('one')).verdict).toMatchObject({ actor: 'consumer' });
    });
    sync.use(defaultPolicy);
    await eventually(async () => {
      expect(await pair.onConsumer('two')).toBeUndefined();
      expect(await pair.onProvider('two')).toBeUndefined();
      expect(await pair.onProvider('four')).toBeDefined();
      expect(sync.problems()).toEqual([
        expect.objectContaining({
          object: key('one'),
          reason: 'Paused',
          actor: 'consumer',
          message: expect.stringContaining('by its owner'),
        }),
      ]);
    });
    expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'small' } });
    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/paused': null } } } },
    );
    await eventually(async () => {
      expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'large' } });
    });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });

  it('goes on with what lost its consumer object during a pause, without any other event', async () => {
    await open();
    const sync = await start({ orphans: 'Delete' }, { orphanGraceMs: 0 });
    for (const name of ['slipped', 'torn']) await created(name, { size: 'small' });
    const pause = { of: 'binding', reason: 'maintenance' } as const;
    sync.use({ ...defaultPolicy, orphans: 'Delete', pause });
    await pair.slipsAway('slipped');
    await pair.tearOut('torn');
    await eventually(() => {
      expect(
        sync
          .problems()
          .map(({ object, reason }) => [object, reason])
          .sort(),
      ).toEqual([
        [key('slipped'), 'Paused'],
        [key('torn'), 'Paused'],
      ]);
    });
    // First of all without the policy that deletes orphans: what slipped away is the user's deletion under any.
    sync.use(defaultPolicy);
    await eventually(async () => {
      expect(await pair.onProvider('slipped')).toBeUndefined();
      expect(sync.problems()).toEqual([expect.objectContaining({ object: key('torn'), reason: 'Orphaned' })]);
    });
    expect(await pair.onProvider('torn')).toBeDefined();
    sync.use({ ...defaultPolicy, orphans: 'Delete', pause });
    await eventually(() => {
      expect(sync.problems()).toEqual([expect.objectContaining({ object: key('torn'), reason: 'Paused' })]);
    });
    sync.use({ ...defaultPolicy, orphans: 'Delete' });
    await eventually(async () => {
      expect(await pair.onProvider('torn')).toBeUndefined();
    });
  });

  it('deletes the copy of an object that was paused itself, and slipped away: its pause went with it', async () => {
    await open();
    await start({});
    await created('one', { size: 'small' });
    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/paused': 'by its owner' } } } },
    );
    await pair.slipsAway('one');
    await eventually(async () => {
      expect(await pair.onProvider('one')).toBeUndefined();
    });
  });

  it('clears a conflict by itself at once when the obstacle goes, under Fail and under Skip', async () => {
    await open();
    const sync = await start({});
    await foreign('one');
    await pair.consumer.create(pair.resource, pair.object('one', { size: 'ours' }));
    await eventually(() => {
      expect(sync.problems()).toEqual([expect.objectContaining({ reason: 'ForeignCopy' })]);
    });
    sync.use({ ...defaultPolicy, conflicts: 'Skip' });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
    expect(sync.why(key('one')).verdict).toMatchObject({ kind: 'held', reason: 'ConflictSkipped', actor: 'nobody' });
    await pair.provider.delete(pair.resource, at('one'));
    await eventually(
      async () => {
        expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'ours' } });
      },
      { timeoutMs: 3_000 },
    );
    await eventually(() => {
      expect(sync.why(key('one')).verdict.kind).toBe('inStep');
    });
  });

  it("adopts what is nobody's, with all that others wrote there, and nothing that is another consumer's", async () => {
    await open();
    const sync = await start({ conflicts: 'Adopt' });
    await foreign('mine', { note: 'theirs' });
    await foreign('yours', {
      'kube-bind.io/cluster-namespace': 'kube-bind-other',
      'kube-bind.io/consumer-namespace': pair.namespace,
    });
    const before = { mine: await pair.onProvider('mine'), yours: await pair.onProvider('yours') };
    await created('mine', { size: 'ours' });
    expect(await pair.onProvider('mine')).toMatchObject({
      spec: { size: 'ours', extra: true },
      metadata: {
        uid: before.mine?.metadata.uid,
        annotations: {
          note: 'theirs',
          'kube-bind.io/cluster-namespace': pair.settings.clusterNamespace,
          'hawser.dev/consumer-identity': 'test-cluster',
        },
      },
    });
    await pair.consumer.create(pair.resource, pair.object('yours', { size: 'ours' }));
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({
          object: key('yours'),
          reason: 'ForeignCopy',
          message: expect.stringContaining('kube-bind-other'),
        }),
      ]);
    });
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'yours' });
    await eventually(async () => {
      expect(await pair.onConsumer('yours')).toBeUndefined();
    });
    expect(await pair.onProvider('yours')).toEqual(before.yours);
  });

  it('reports or ignores a drift, and carries what the consumer changes nevertheless', async () => {
    await open();
    const sync = await start({ drift: 'Report', ignored: [['spec', 'replicas']] });
    await created('one', { size: 'small', replicas: 1, kept: 1 });
    await drift('one', { size: 'theirs', replicas: 5 });
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({ reason: 'Drifted', message: expect.stringContaining('spec.size.') }),
      ]);
    });
    await change('one', { kept: 2, replicas: 2 });
    await eventually(async () => {
      expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'theirs', replicas: 5, kept: 2 } });
    });
    expect(sync.problems()).toEqual([expect.objectContaining({ reason: 'Drifted' })]);
    sync.use({ ...defaultPolicy, drift: 'Ignore', ignored: [['spec', 'replicas']] });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
    const mark = await pair.mark();
    sync.use({ ...defaultPolicy, ignored: [['spec', 'replicas']] });
    await eventually(async () => {
      expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'small', replicas: 5, kept: 2 } });
    });
    expect(await pair.writesSince(mark)).toHaveLength(1);
  });

  it('names the field manager with which it fights over a field, and leaves the copy alone', async () => {
    await open();
    const sync = await start({}, { contestedAfter: 2 });
    await created('one', { size: 'small', other: 1 });
    const ended = new AbortController();
    // As an operator does that wants its own value.
    const fighting = (async () => {
      while (!ended.signal.aborted) {
        const copy = await pair.onProvider('one');
        if ((copy?.['spec'] as { size?: string } | undefined)?.size === 'small')
          await drift('one', { size: 'theirs' }, 'autoscaler');
        else await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    try {
      await eventually(
        () => {
          expect(sync.problems()).toEqual([
            expect.objectContaining({
              reason: 'FieldContested',
              actor: 'provider',
              message: expect.stringContaining('"autoscaler" writes spec.size'),
            }),
          ]);
        },
        { timeoutMs: 20_000 },
      );
    } finally {
      ended.abort();
      await fighting;
    }
    const mark = await pair.mark();
    sync.recheck();
    expect(await pair.writesSince(mark)).toEqual([]);
    await change('one', { size: 'theirs' });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });

  it('deletes an orphan if all is proven, and no copy that does not say whose it is', async () => {
    await open();
    const first = await start({});
    for (const name of ['one', 'two', 'three']) await created(name, {});
    await first.stop();
    for (const name of ['one', 'two']) await pair.tearOut(name);
    await pair.provider.patch(pair.resource, at('two'), {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/consumer-identity': null } } },
    });
    const sync = await start({ orphans: 'Delete' }, { orphanGraceMs: 100 });
    await eventually(async () => {
      expect(await pair.onProvider('one')).toBeUndefined();
    });
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({
          object: key('two'),
          reason: 'Orphaned',
          message: expect.stringContaining('which consumer cluster'),
        }),
      ]);
    });
    expect(await pair.onProvider('two')).toBeDefined();
    expect(await pair.onProvider('three')).toBeDefined();
  });

  it('keeps an orphan whose object is there when read live, whose binding goes, or whose API is missing', async () => {
    await open();
    const first = await start({});
    await created('one', {});
    await first.stop();
    await pair.tearOut('one');
    pair.proof = { kind: 'unbinding' };
    const sync = await start({ orphans: 'Delete' }, { orphanGraceMs: 0 });
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({ reason: 'Orphaned', message: expect.stringContaining('do not stand') }),
      ]);
    });
    await sync.stop();
    pair.proof = { kind: 'byUser' };
    const crds: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
    const gone = await start({ orphans: 'Delete' }, { orphanGraceMs: 2_000 });
    await eventually(() => {
      expect(gone.problems()).toHaveLength(1);
    });
    await pair.consumer.delete(crds, { name: `databases.${pair.resource.group}` });
    await eventually(
      () => {
        expect(
          gone.deadLetters().length + gone.problems().filter(({ reason }) => reason === 'FailedOnConsumer').length,
        ).toBeGreaterThan(0);
      },
      { timeoutMs: 15_000 },
    );
    expect(await pair.onProvider('one')).toBeDefined();
  });

  it('holds all deletions where there are more orphans than the budget allows, until they are approved', async () => {
    await open();
    const names = ['one', 'two', 'three'];
    const first = await start({});
    for (const name of names) await created(name, {});
    await first.stop();
    for (const name of names) await pair.tearOut(name);
    const deletions = createDeletionBudget({ clock: systemClock, perMinute: 2 });
    const sync = await start({ orphans: 'Delete' }, { orphanGraceMs: 500 }, { deletions });
    await eventually(() => {
      expect(deletions.held?.count).toBe(3);
      expect(sync.problems().map(({ message }) => message)).toEqual(
        names.map(() => expect.stringContaining('DeletionsHeld')),
      );
    });
    for (const name of names) expect(await pair.onProvider(name)).toBeDefined();
    deletions.approve('3-00000000');
    expect(deletions.held?.count).toBe(3);
    deletions.approve(deletions.held?.token ?? '');
    await eventually(async () => {
      for (const name of names) expect(await pair.onProvider(name)).toBeUndefined();
    });
    await eventually(() => {
      expect([sync.problems(), deletions.held]).toEqual([[], undefined]);
    });
  });

  it('parks an object that is refused again and again, whatever happens to it, and lists it', async () => {
    pair = await openPair({ providerSpec: { replicas: { type: 'integer', maximum: 3 } } });
    const sync = await start({});
    await pair.consumer.create(pair.resource, pair.object('bad', { replicas: 5 }));
    // Anything that touches the object would have it tried at once, were it not parked.
    await eventually(
      async () => {
        await pair.consumer.patch(
          pair.resource,
          { namespace: pair.namespace, name: 'bad' },
          {
            type: 'merge',
            patch: { metadata: { annotations: { 'kubectl.kubernetes.io/touched': String(Math.random()) } } },
          },
        );
        expect(sync.deadLetters()[0]?.attempts).toBeGreaterThanOrEqual(4);
      },
      { timeoutMs: 20_000 },
    );
    expect(sync.deadLetters()).toEqual([
      expect.objectContaining({
        object: key('bad'),
        reason: 'RejectedByProvider',
        actor: 'consumer',
        since: expect.any(Number),
        nextAttempt: expect.any(Number),
      }),
    ]);
    expect(sync.deadLetters()[0]?.attempts).toBeLessThan(9);
    await change('bad', { replicas: 2 });
    await eventually(
      async () => {
        expect(await pair.onProvider('bad')).toMatchObject({ spec: { replicas: 2 } });
      },
      { timeoutMs: 3_000 },
    );
    await eventually(() => {
      expect([sync.problems(), sync.deadLetters()]).toEqual([[], []]);
    });
  });
});
