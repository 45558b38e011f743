import { afterEach, expect, it } from '@jest/globals';

import type { Resource, UnstructuredObject } from '@hawser/client';
import { describeWithControlPlane, eventually, itFromKubernetes } from '@hawser/testenv';

import { type PairOfClusters, type PairOptions, informersOf, openPair } from './testing/pair-of-clusters.js';

const FINALIZER = 'kubebind.io/syncer';

describeWithControlPlane('a sync between two API servers', () => {
  let pair: PairOfClusters;

  const open = async (options: PairOptions = {}): Promise<PairOfClusters> => {
    pair = await openPair(options);
    return pair;
  };

  afterEach(async () => {
    await pair.close();
  });

  const created = async (name: string, spec: unknown, metadata: Record<string, unknown> = {}): Promise<void> => {
    await pair.consumer.create(pair.resource, pair.object(name, spec, metadata));
    await eventually(async () => {
      expect(await pair.onProvider(name)).toBeDefined();
      const consumer = await pair.onConsumer(name);
      expect(consumer?.metadata.annotations?.['kube-bind.io/provider-uid']).toBeDefined();
    });
  };

  it('copies an object with its ownership marks, and tells the consumer where', async () => {
    await open();
    await pair.startSync();
    await created(
      'one',
      { size: 'small', big: 9007199254740993n },
      {
        labels: { tier: 'gold' },
        annotations: { note: 'hello', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
    );
    const consumer = await pair.onConsumer('one');
    const copy = await pair.onProvider('one');
    expect(copy).toMatchObject({
      spec: { size: 'small', big: 9007199254740993n },
      metadata: { labels: { tier: 'gold' } },
    });
    expect(copy?.metadata.annotations).toEqual({
      note: 'hello',
      'kube-bind.io/cluster-namespace': pair.settings.clusterNamespace,
      'kube-bind.io/consumer-namespace': pair.namespace,
      'kube-bind.io/consumer-uid': consumer?.metadata.uid,
      'hawser.dev/consumer-identity': 'test-cluster',
      'hawser.dev/consumer-object': `Database.${pair.resource.group}/${pair.namespace}/one`,
      'hawser.dev/wanted-hash': expect.any(String),
    });
    expect(consumer?.metadata.finalizers).toEqual([FINALIZER]);
    expect(consumer?.metadata.annotations).toMatchObject({
      note: 'hello',
      'kube-bind.io/provider-namespace': pair.providerNamespace,
      'kube-bind.io/provider-uid': copy?.metadata.uid,
    });
  });

  it('starts on caches that others have filled, which tell at once of what they hold', async () => {
    await open();
    await pair.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
    const informers = informersOf(pair.consumer);
    const filled = informers.acquire({ resource: pair.resource });
    try {
      await filled.synced();
      await pair.startSync(
        {},
        {
          consumer: {
            client: pair.consumer,
            informers,
            events: { record: () => undefined, flush: () => Promise.resolve() },
          },
        },
      );
      await eventually(async () => {
        expect(await pair.onProvider('one')).toBeDefined();
      });
    } finally {
      filled.release();
      await informers.close();
    }
  });

  it('holds once what both sides have in common', async () => {
    await open();
    const [ofConsumer, ofProvider] = [informersOf(pair.consumer), informersOf(pair.provider)];
    const [consumers, copies] = [
      ofConsumer.acquire<UnstructuredObject>({ resource: pair.resource }),
      ofProvider.acquire<UnstructuredObject>({ resource: pair.resource, namespace: pair.providerNamespace }),
    ];
    try {
      const events = { record: () => undefined, flush: () => Promise.resolve() };
      await pair.startSync(
        {},
        {
          consumer: { client: pair.consumer, informers: ofConsumer, events },
          provider: { client: pair.provider, informers: ofProvider },
        },
      );
      await created('one', { size: 'small' });
      await pair.provider.patch(
        pair.resource,
        { namespace: pair.providerNamespace, name: 'one' },
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      const [object, copy] = await eventually(() => {
        const found = [
          consumers.get({ namespace: pair.namespace, name: 'one' }),
          copies.get({ namespace: pair.providerNamespace, name: 'one' }),
        ] as const;
        expect(found[0]?.['status']).toEqual({ phase: 'Ready' });
        expect(found[1]?.['status']).toBe(found[0]?.['status']);
        return found;
      });
      expect(copy?.['spec']).toEqual({ size: 'small' });
      expect(copy?.['spec']).toBe(object?.['spec']);
    } finally {
      consumers.release();
      copies.release();
      await Promise.all([ofConsumer.close(), ofProvider.close()]);
    }
  });

  it('needs four writes for an object and its first status, and none for an object in step', async () => {
    await open();
    const sync = await pair.startSync();
    const mark = await pair.mark();
    await created('one', { size: 'small' });
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { status: { phase: 'Ready' } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toMatchObject({ status: { phase: 'Ready' } });
    });
    const ours = (await pair.writesSince(mark)).filter(({ userAgent }) => userAgent.startsWith('hawser'));
    // Two of them, the create and the status, are the test's own.
    expect(ours).toHaveLength(4 + 2);
    const settled = await pair.mark();
    await sync.stop();
    const restarted = await pair.startSync();
    await eventually(() => {
      expect(restarted.why(`${pair.namespace}/one`).verdict).toEqual({ kind: 'inStep' });
    });
    restarted.recheck();
    expect(await pair.writesSince(settled)).toEqual([]);
  });

  it('carries changes of spec, labels and annotations, and removals of fields', async () => {
    await open();
    await pair.startSync();
    await created(
      'one',
      { size: 'small', leftover: { deep: 1 }, kept: true },
      { labels: { tier: 'gold', drop: 'me' }, annotations: { note: 'hello', gone: 'soon' } },
    );
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { metadata: { labels: { operator: 'was-here' } }, spec: { byProvider: 'x' } } },
      { fieldManager: 'operator' },
    );
    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      {
        type: 'merge',
        patch: {
          metadata: { labels: { tier: 'silver', drop: null }, annotations: { note: 'bye', gone: null } },
          spec: { size: 'large', leftover: null },
        },
      },
    );
    await eventually(async () => {
      const copy = await pair.onProvider('one');
      expect(copy?.['spec']).toEqual({ size: 'large', kept: true, byProvider: 'x' });
      expect(copy?.metadata.labels).toEqual({ tier: 'silver', operator: 'was-here' });
      expect(copy?.metadata.annotations).toMatchObject({ note: 'bye' });
      expect(copy?.metadata.annotations?.['gone']).toBeUndefined();
    });
  });

  it('carries explicit nulls and strange keys', async () => {
    await open();
    await pair.startSync();
    const strange: Record<string, unknown> = Object.fromEntries<unknown>([
      ['__proto__', { polluted: true }],
      ['constructor', 'x'],
      ['nothing', 1],
    ]);
    await created('one', strange);
    expect(JSON.stringify((await pair.onProvider('one'))?.['spec'])).toBe(
      '{"__proto__":{"polluted":true},"constructor":"x","nothing":1}',
    );
    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      {
        type: 'json',
        operations: [
          { op: 'add', path: '/spec/nothing', value: null },
          { op: 'add', path: '/extra', value: { a: 1 } },
        ],
      },
    );
    await eventually(async () => {
      const copy = await pair.onProvider('one');
      expect(copy?.['extra']).toEqual({ a: 1 });
      expect((copy?.['spec'] as Record<string, unknown>)['nothing']).toBeNull();
    });
  });

  it('corrects a drift on the provider, and does not fight over defaults', async () => {
    await open({ providerSpec: { tier: { type: 'string', default: 'standard' } } });
    await pair.startSync();
    await created('one', { size: 'small' });
    expect((await pair.onProvider('one'))?.['spec']).toEqual({ size: 'small', tier: 'standard' });
    const mark = await pair.mark();
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { spec: { size: 'changed' } } },
      { fieldManager: 'somebody' },
    );
    await eventually(async () => {
      expect((await pair.onProvider('one'))?.['spec']).toEqual({ size: 'small', tier: 'standard' });
    });
    expect(await pair.writesSince(mark)).toHaveLength(2);
  });

  itFromKubernetes(
    '1.36',
    'keeps what the provider sets at creation only, whatever the consumer changes, and removes what the consumer removes',
    async () => {
      await open();
      const { group } = pair.resource;
      const admission = (resource: string): Resource => ({
        group: 'admissionregistration.k8s.io',
        version: 'v1',
        resource,
      });
      const name = `assign.${group}`;
      await pair.provider.create(admission('mutatingadmissionpolicies'), {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicy',
        metadata: { name },
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources: ['databases'] },
            ],
          },
          // The list is the consumer's, and so are all its elements to managedFields.
          mutations: [
            {
              patchType: 'JSONPatch',
              jsonPatch: {
                expression:
                  '[JSONPatch{op: "add", path: "/spec/assigned", value: "10.0.0.1"}, JSONPatch{op: "add", path: "/spec/list/0/port", value: 5432}]',
              },
            },
          ],
          reinvocationPolicy: 'Never',
        },
      } as UnstructuredObject);
      await pair.provider.create(admission('mutatingadmissionpolicybindings'), {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name },
      } as UnstructuredObject);
      // The policy counts only after a moment.
      await eventually(
        async () => {
          const probe = await pair.provider.create(
            pair.resource,
            {
              ...pair.object('probe', { list: [{ a: 1 }] }),
              metadata: { name: 'probe', namespace: pair.providerNamespace },
            },
            { dryRun: true },
          );
          expect(probe['spec']).toMatchObject({ assigned: '10.0.0.1' });
        },
        { timeoutMs: 20_000 },
      );
      await pair.startSync();
      await created('one', { size: 'small', dropped: { deep: 1 }, kept: true, list: [{ a: 1 }] });
      const provided = { assigned: '10.0.0.1', list: [{ a: 1, port: 5432 }] };
      const specOf = async (): Promise<unknown> => (await pair.onProvider('one'))?.['spec'];
      expect(await specOf()).toMatchObject({ size: 'small', dropped: { deep: 1 }, ...provided });
      const change = (spec: Record<string, unknown>): Promise<unknown> =>
        pair.consumer.patch(
          pair.resource,
          { namespace: pair.namespace, name: 'one' },
          { type: 'merge', patch: { spec } },
        );
      await change({ size: 'large', dropped: null });
      await eventually(async () => {
        expect(await specOf()).toEqual(expect.not.objectContaining({ dropped: expect.anything() }));
      });
      expect(await specOf()).toMatchObject({ size: 'large', kept: true, ...provided });
      // A removal alone, without anything else to write.
      await change({ kept: null });
      await eventually(async () => {
        expect(await specOf()).toEqual(expect.not.objectContaining({ kept: true }));
      });
      expect(await specOf()).toMatchObject({ size: 'large', ...provided });
      await pair.provider.delete(admission('mutatingadmissionpolicybindings'), { name });
      await pair.provider.delete(admission('mutatingadmissionpolicies'), { name });
    },
  );

  it('deletes the copy first and the consumer object after it', async () => {
    await open();
    await pair.startSync();
    await created('one', { size: 'small' });
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { metadata: { finalizers: ['example.com/operator'] } } },
    );
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    await eventually(async () => {
      expect((await pair.onProvider('one'))?.metadata.deletionTimestamp).toBeDefined();
    });
    expect((await pair.onConsumer('one'))?.metadata.finalizers).toContain(FINALIZER);
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    );
    await eventually(async () => {
      expect(await pair.onProvider('one')).toBeUndefined();
      expect(await pair.onConsumer('one')).toBeUndefined();
    });
  });

  it.each([
    ['unbinding', true],
    ['crdTerminating', false],
  ] as const)('does not pass on a deletion that is proven to be %s', async (kind, released) => {
    await open();
    const sync = await pair.startSync();
    await created('one', { size: 'small' });
    pair.proof = { kind };
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    if (released)
      await eventually(async () => {
        expect(await pair.onConsumer('one')).toBeUndefined();
      });
    else {
      await eventually(() => {
        expect(sync.problems()).toEqual([
          expect.objectContaining({ object: `${pair.namespace}/one`, reason: 'CustomResourceDefinitionTerminating' }),
        ]);
      });
      expect((await pair.onConsumer('one'))?.metadata.finalizers).toEqual([FINALIZER]);
    }
    expect((await pair.onProvider('one'))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('takes an object that goes while it is written to for gone, not for a problem', async () => {
    await open();
    const sync = await pair.startSync();
    const names = Array.from({ length: 20 }, (_, index) => `short-${index}`);
    await Promise.all(
      names.map(async (name) => {
        await pair.consumer.create(pair.resource, pair.object(name, {}));
        await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name });
      }),
    );
    await eventually(async () => {
      for (const name of names) expect(await pair.onConsumer(name)).toBeUndefined();
    });
    // An API server may delete an object although a finalizer reached it in the same instant; the copy made for that one is an orphan, and kept.
    expect(sync.problems().filter(({ reason }) => reason !== 'Orphaned')).toEqual([]);
    expect(pair.events).toEqual([]);
  });

  it('keeps a copy whose consumer object vanished, reports it, and gives it to a new object of that name', async () => {
    await open();
    const first = await pair.startSync();
    await created('one', { size: 'small' });
    await first.stop();
    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'one' },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    );
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    const before = await pair.onProvider('one');
    const sync = await pair.startSync();
    await eventually(() => {
      expect(sync.problems()).toEqual([expect.objectContaining({ reason: 'Orphaned' })]);
    });
    await created('one', { size: 'large' });
    await eventually(async () => {
      expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'large' } });
    });
    expect((await pair.onProvider('one'))?.metadata.uid).toBe(before?.metadata.uid);
    expect(sync.problems()).toEqual([]);
  });

  it('deletes the copy of an object that the API server deleted in spite of its finalizer, if the deletion is proven', async () => {
    await open();
    const sync = await pair.startSync();
    for (const name of ['one', 'two']) await created(name, { size: 'small' });
    await pair.slipsAway('one');
    await eventually(async () => {
      expect(await pair.onProvider('one')).toBeUndefined();
    });
    pair.proof = { kind: 'crdTerminating' };
    await pair.slipsAway('two');
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({ object: `${pair.namespace}/two`, reason: 'Orphaned' }),
      ]);
    });
    expect(await pair.onProvider('two')).toBeDefined();
  });

  it('keeps the copy of an object that vanished while nobody watched, finalizer or not', async () => {
    await open();
    const first = await pair.startSync();
    await created('one', { size: 'small' });
    await first.stop();
    await pair.slipsAway('one');
    const sync = await pair.startSync();
    await eventually(() => {
      expect(sync.problems()).toEqual([expect.objectContaining({ reason: 'Orphaned' })]);
    });
    expect(await pair.onProvider('one')).toBeDefined();
  });

  it('neither overwrites nor deletes an object of somebody else', async () => {
    await open();
    const sync = await pair.startSync();
    const foreign = {
      ...pair.object('one', { size: 'theirs' }),
      metadata: { name: 'one', namespace: pair.providerNamespace },
    };
    await pair.provider.create(pair.resource, foreign);
    await pair.consumer.create(pair.resource, pair.object('one', { size: 'ours' }));
    await eventually(() => {
      expect(sync.problems()).toEqual([expect.objectContaining({ reason: 'ForeignCopy', actor: 'consumer' })]);
    });
    await eventually(() => {
      expect(pair.events).toEqual([
        expect.objectContaining({ event: expect.objectContaining({ type: 'Warning', reason: 'ForeignCopy' }) }),
      ]);
    });
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toBeUndefined();
    });
    expect(await pair.onProvider('one')).toMatchObject({ spec: { size: 'theirs' } });
  });

  it('follows the status of a copy that is being deleted on the provider, and makes another one when it is gone', async () => {
    pair = await openPair();
    await pair.startSync();
    await pair.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
    const before = await eventually(async () => {
      const copy = await pair.onProvider('one');
      expect(copy).toBeDefined();
      return copy;
    });
    const at = { namespace: pair.providerNamespace, name: 'one' };
    const phase = (value: string): Promise<unknown> =>
      pair.provider.patch(
        pair.resource,
        at,
        { type: 'merge', patch: { status: { phase: value } } },
        { subresource: 'status' },
      );
    const arrives = (value: string): Promise<unknown> =>
      eventually(async () => {
        expect(await pair.onConsumer('one')).toMatchObject({ status: { phase: value } });
      });
    // As the garbage collector does with an object whose owner it does not find.
    await pair.provider.patch(pair.resource, at, {
      type: 'merge',
      patch: {
        metadata: {
          finalizers: ['example.com/nobody'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'bogus', uid: 'bogus' }],
        },
      },
    });
    await pair.provider.delete(pair.resource, at, { propagationPolicy: 'Background' });
    await phase('Draining');
    await arrives('Draining');
    await pair.provider.patch(pair.resource, at, { type: 'merge', patch: { metadata: { finalizers: null } } });
    const after = await eventually(async () => {
      const copy = await pair.onProvider('one');
      expect(copy?.metadata.uid).not.toBe(before?.metadata.uid);
      expect(copy).toBeDefined();
      return copy;
    });
    expect([after?.metadata.finalizers, after?.metadata.ownerReferences]).toEqual([undefined, undefined]);
    await phase('Ready');
    await arrives('Ready');
  });

  it('tells once whose finalizer keeps a copy from going, and no longer when it is gone', async () => {
    await open();
    const sync = await pair.startSync({ terminationGraceMs: 100 });
    await created('one', { size: 'small' });
    const at = { namespace: pair.providerNamespace, name: 'one' };
    await pair.provider.patch(pair.resource, at, {
      type: 'merge',
      patch: { metadata: { finalizers: ['example.com/volume'] } },
    });
    await pair.consumer.delete(pair.resource, { namespace: pair.namespace, name: 'one' });
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({
          reason: 'CopyTerminating',
          actor: 'provider',
          message: expect.stringContaining('held by finalizer "example.com/volume"'),
        }),
      ]);
    });
    await pair.provider.patch(pair.resource, at, { type: 'merge', patch: { metadata: { labels: { seen: 'yes' } } } });
    expect((await pair.onProvider('one'))?.metadata.finalizers).toEqual(['example.com/volume']);
    expect(pair.events.map(({ event }) => event.reason)).toEqual(['CopyTerminating']);
    await pair.provider.patch(pair.resource, at, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toBeUndefined();
      expect(sync.problems()).toEqual([]);
    });
    expect(pair.events).toHaveLength(1);
  });

  it('recreates a copy that was deleted on the provider', async () => {
    await open();
    await pair.startSync();
    await created('one', { size: 'small' });
    const before = await pair.onProvider('one');
    await pair.provider.delete(pair.resource, { namespace: pair.providerNamespace, name: 'one' });
    await eventually(async () => {
      const copy = await pair.onProvider('one');
      expect(copy?.metadata.uid).toEqual(expect.any(String));
      expect(copy?.metadata.uid).not.toBe(before?.metadata.uid);
      expect((await pair.onConsumer('one'))?.metadata.annotations?.['kube-bind.io/provider-uid']).toBe(
        copy?.metadata.uid,
      );
    });
  });

  it("tells about a rejected object in the server's words, leaves its neighbours alone, and goes on once it is mended", async () => {
    await open({ providerSpec: { replicas: { type: 'integer', maximum: 3 } } });
    const sync = await pair.startSync();
    await pair.consumer.create(pair.resource, pair.object('bad', { replicas: 5 }));
    await created('good', { replicas: 1 });
    await eventually(() => {
      expect(sync.problems()).toEqual([
        expect.objectContaining({
          object: `${pair.namespace}/bad`,
          reason: 'RejectedByProvider',
          actor: 'consumer',
          message: expect.stringContaining('spec.replicas'),
        }),
      ]);
    });
    await pair.consumer.patch(
      pair.resource,
      { namespace: pair.namespace, name: 'bad' },
      { type: 'merge', patch: { spec: { replicas: 2 } } },
    );
    await eventually(async () => {
      expect(await pair.onProvider('bad')).toMatchObject({ spec: { replicas: 2 } });
    });
    await eventually(() => {
      expect(sync.problems()).toEqual([]);
    });
  });

  it('brings a status down where there is no status subresource', async () => {
    await open({ statusSubresource: false });
    await pair.startSync();
    await created('one', { size: 'small' });
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { status: { phase: 'Ready' } } },
    );
    await eventually(async () => {
      expect(await pair.onConsumer('one')).toMatchObject({ status: { phase: 'Ready' } });
    });
    await pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name: 'one' },
      { type: 'merge', patch: { status: null } },
    );
    await eventually(async () => {
      expect((await pair.onConsumer('one'))?.['status']).toBeUndefined();
    });
  });

  it('prefixes cluster-scoped objects and gives them to the cluster namespace', async () => {
    await open({ scope: 'Cluster' });
    const sync = await pair.startSync();
    await created('eu', { size: 'small' });
    const copy = await pair.onProvider('eu');
    expect(copy?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        name: pair.settings.clusterNamespace,
        uid: pair.settings.clusterNamespaceUid,
      },
    ]);
    expect(copy?.metadata.annotations?.['kube-bind.io/consumer-namespace']).toBe('');
    const long = `long-${'x'.repeat(245)}`;
    await pair.consumer.create(pair.resource, pair.object(long, {}));
    await eventually(() => {
      expect(sync.problems()).toEqual([expect.objectContaining({ object: long, reason: 'NameTooLong' })]);
    });
  });

  it('takes a large object exactly as it is', async () => {
    await open();
    await pair.startSync();
    const payload = 'ä'.repeat(400_000);
    await created('large', { payload, max: 9223372036854775807n });
    const copy = await pair.onProvider('large');
    expect((copy?.['spec'] as { payload: string }).payload === payload).toBe(true);
    expect((copy?.['spec'] as { max: bigint }).max).toBe(9223372036854775807n);
  });

  it('tells of an object that is nested too deeply, on the object, and syncs its neighbours', async () => {
    await open();
    const recorded: (readonly [name: string, reason: string])[] = [];
    const informers = informersOf(pair.consumer);
    const nested = (leaf: number): object =>
      Array.from({ length: 4_000 }).reduce<object>((inner) => ({ a: inner }), { leaf });
    try {
      const events = {
        record: ({ name }: { readonly name: string }, { reason }: { readonly reason: string }) => {
          recorded.push([name, reason]);
        },
        flush: () => Promise.resolve(),
      };
      const sync = await pair.startSync({}, { consumer: { client: pair.consumer, informers, events } });
      await created('before', { size: 'small' });
      await pair.consumer.create(pair.resource, pair.object('deep', nested(1)));
      await eventually(() => {
        expect(sync.problems()).toEqual([
          expect.objectContaining({ object: `${pair.namespace}/deep`, reason: 'TooDeep', actor: 'consumer' }),
        ]);
      });
      expect(recorded).toContainEqual(['deep', 'TooDeep']);
      // Another version of it, which a cache compares with the one before.
      await pair.consumer.patch(
        pair.resource,
        { namespace: pair.namespace, name: 'deep' },
        { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
        { representation: 'metadata' },
      );
      await created('after', { size: 'small' });
      sync.relist();
      await created('later', { size: 'small' });
      expect(await pair.onProvider('deep')).toBeUndefined();
      expect(sync.why(`${pair.namespace}/deep`).problem).toMatchObject({ reason: 'TooDeep' });
      // It can be deleted, and mended.
      await pair.consumer.patch(
        pair.resource,
        { namespace: pair.namespace, name: 'deep' },
        { type: 'merge', patch: { spec: { a: null, size: 'small' } } },
      );
      await eventually(async () => {
        expect((await pair.onProvider('deep'))?.['spec']).toEqual({ size: 'small' });
      });
      await eventually(() => {
        expect(sync.problems()).toEqual([]);
      });
    } finally {
      await informers.close();
    }
  });

  it('tells of a status that is nested too deeply, on the object, and syncs its neighbours', async () => {
    await open();
    const recorded: (readonly [name: string, reason: string])[] = [];
    const informers = informersOf(pair.consumer);
    const nested = Array.from({ length: 4_000 }).reduce<object>((inner) => ({ a: inner }), { leaf: 1 });
    try {
      const events = {
        record: ({ name }: { readonly name: string }, { reason }: { readonly reason: string }) => {
          recorded.push([name, reason]);
        },
        flush: () => Promise.resolve(),
      };
      const sync = await pair.startSync({}, { consumer: { client: pair.consumer, informers, events } });
      await created('deep', { size: 'small' });
      const copy = await pair.onProvider('deep');
      await pair.provider.patch(
        pair.resource,
        { namespace: copy?.metadata.namespace, name: 'deep' },
        { type: 'merge', patch: { status: nested } },
        { subresource: 'status', representation: 'metadata' },
      );
      await eventually(() => {
        expect(sync.problems()).toEqual([
          expect.objectContaining({ object: `${pair.namespace}/deep`, reason: 'TooDeep', actor: 'consumer' }),
        ]);
      });
      await eventually(() => {
        expect(recorded).toContainEqual(['deep', 'TooDeep']);
      });
      await created('after', { size: 'small' });
    } finally {
      await informers.close();
    }
  });
});
