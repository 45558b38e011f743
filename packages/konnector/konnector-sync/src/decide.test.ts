import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';

import type { UnstructuredObject } from '@hawser/client';

import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { DeletionProof, Observed, PairMemory, PairSettings } from './observed.js';
import { wantedHash, wantedOf } from './wanted.js';

const settings: PairSettings = {
  dialect: kubeBindDialect,
  isolation: 'ServiceNamespace',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'ns-uid',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};

interface Edit {
  readonly metadata?: Record<string, unknown>;
  readonly spec?: unknown;
  readonly status?: unknown;
}

function consumerObject(edit: Edit = {}): UnstructuredObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: {
      name: 'one',
      namespace: 'team-a',
      uid: 'consumer-uid',
      resourceVersion: '10',
      finalizers: ['kubebind.io/syncer'],
      annotations: copyRecord,
      ...edit.metadata,
    },
    spec: edit.spec ?? { size: 'small' },
    ...('status' in edit ? { status: edit.status } : {}),
  };
}

const copyRecord = { 'kube-bind.io/provider-namespace': 'kube-bind-x-team-a', 'kube-bind.io/provider-uid': 'copy-uid' };
const named = {
  'hawser.dev/consumer-identity': 'cluster-1',
  'hawser.dev/consumer-object': 'Database.example.com/team-a/one',
};
const marks = {
  'kube-bind.io/cluster-namespace': 'kube-bind-x',
  'kube-bind.io/consumer-namespace': 'team-a',
  'kube-bind.io/consumer-uid': 'consumer-uid',
  ...named,
};

function copyObject(edit: Edit = {}): UnstructuredObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: {
      name: 'one',
      namespace: 'kube-bind-x-team-a',
      uid: 'copy-uid',
      resourceVersion: '20',
      annotations: marks,
      ...edit.metadata,
    },
    spec: edit.spec ?? { size: 'small' },
    ...('status' in edit ? { status: edit.status } : {}),
  };
}

function observed(
  consumer: UnstructuredObject | undefined,
  copy: UnstructuredObject | undefined,
  more: Partial<Observed> = {},
): Observed {
  return {
    consumerKey: { namespace: 'team-a', name: 'one' },
    consumer,
    placement: { kind: 'placed', key: { namespace: 'kube-bind-x-team-a', name: 'one' } },
    copy,
    copyCacheReady: true,
    deletionProof: undefined,
    memory: {},
    now: 0,
    ...more,
  };
}

const types = (decision: Decision): readonly string[] => decision.actions.map(({ type }) => type);
const verdict = (decision: Decision): string =>
  decision.verdict.kind === 'held' ? `held:${decision.verdict.reason}` : decision.verdict.kind;
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('a live consumer object', () => {
  it('gets its finalizer before its copy', () => {
    const decision = decide(
      observed(consumerObject({ metadata: { finalizers: undefined, annotations: undefined } }), undefined),
      settings,
    );
    expect(types(decision)).toEqual(['addFinalizer', 'createCopy']);
  });

  it('is copied without what belongs to its cluster', () => {
    const decision = decide(
      observed(
        consumerObject({
          metadata: {
            labels: { tier: 'gold' },
            annotations: {
              note: 'hello',
              'kubectl.kubernetes.io/last-applied-configuration': '{}',
              'kube-bind.io/provider-uid': 'old',
              'a.kube-bind.io/x': 'y',
              'hawser.dev/release': '',
            },
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' }],
            generation: 4,
          },
          status: { phase: 'Ready' },
        }),
        undefined,
      ),
      settings,
    );
    const created = decision.actions.find((action) => action.type === 'createCopy');
    expect(created?.type === 'createCopy' && created.object).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: {
        name: 'one',
        namespace: 'kube-bind-x-team-a',
        labels: { tier: 'gold' },
        annotations: { note: 'hello', ...marks, 'hawser.dev/wanted-hash': expect.stringMatching(/^[0-9a-f]{32}$/) },
      },
      spec: { size: 'small' },
    });
  });

  it.each(['None', 'Prefixed'] as const)(
    'under isolation %s has a copy that goes with the cluster namespace',
    (isolation) => {
      const decision = decide(
        observed(consumerObject(), undefined, { placement: { kind: 'placed', key: { name: 'one' } } }),
        { ...settings, isolation },
      );
      const created = decision.actions.find((action) => action.type === 'createCopy');
      expect(created?.type === 'createCopy' && created.object.metadata.ownerReferences).toEqual([
        { apiVersion: 'v1', kind: 'Namespace', name: 'kube-bind-x', uid: 'ns-uid' },
      ]);
    },
  );

  it('in step gives no action', () => {
    const decision = decide(
      observed(consumerObject({ status: { phase: 'Ready' } }), copyObject({ status: { phase: 'Ready' } })),
      settings,
    );
    expect([types(decision), verdict(decision)]).toEqual([[], 'inStep']);
  });

  it('waits for the provider to assign a namespace', () => {
    expect(
      types(
        decide(
          observed(consumerObject(), undefined, { placement: { kind: 'unassigned', consumerNamespace: 'team-a' } }),
          settings,
        ),
      ),
    ).toEqual(['requestNamespace']);
  });

  it('is not copied before it is known whether there is a copy', () => {
    expect(types(decide(observed(consumerObject(), undefined, { copyCacheReady: false }), settings))).toEqual([]);
  });

  it('hears of its copy also while that is terminating, which a finalizer may hold', () => {
    const going = copyObject({
      metadata: { ...deleting, finalizers: ['example.com/nobody'] },
      spec: { size: 'large' },
      status: { phase: 'Draining' },
    });
    const decision = decide(observed(consumerObject(), going), settings);
    expect([types(decision), decision.verdict]).toEqual([
      ['writeStatus'],
      { kind: 'progressing', waitingFor: 'copyToGo' },
    ]);
    // Not of one that belongs to the object before it.
    expect(types(decide(observed(consumerObject({ metadata: { uid: 'another' } }), going), settings))).toEqual([]);
  });

  it('whose copy is terminating waits for it to go', () => {
    expect(
      types(
        decide(observed(consumerObject({ spec: { size: 'large' } }), copyObject({ metadata: deleting })), settings),
      ),
    ).toEqual([]);
  });

  it('is told the status of its copy', () => {
    expect(types(decide(observed(consumerObject(), copyObject({ status: { phase: 'Ready' } })), settings))).toEqual([
      'writeStatus',
    ]);
  });

  it('loses a status that its copy does not have', () => {
    expect(types(decide(observed(consumerObject({ status: { phase: 'Ready' } }), copyObject()), settings))).toEqual([
      'writeStatus',
    ]);
  });

  it('is told where its copy is, after everything else', () => {
    expect(
      types(
        decide(
          observed(consumerObject({ metadata: { annotations: {} } }), copyObject({ status: { phase: 'Ready' } })),
          settings,
        ),
      ),
    ).toEqual(['writeStatus', 'recordCopy']);
  });
});

describe('the content of a copy', () => {
  it.each<[string, Edit, Edit]>([
    ['another value', { spec: { size: 'large' } }, {}],
    ['a missing field', { spec: { size: 'small', big: 9007199254740993n } }, {}],
    ['another label', { metadata: { labels: { tier: 'gold' } } }, { metadata: { labels: { tier: 'silver' } } }],
    ['a missing annotation', { metadata: { annotations: { ...copyRecord, note: 'hello' } } }, {}],
    ['a shorter list', { spec: { size: 'small', hosts: ['a', 'b'] } }, { spec: { size: 'small', hosts: ['a'] } }],
  ])('with %s is written', (_, consumer, copy) => {
    expect(types(decide(observed(consumerObject(consumer), copyObject(copy)), settings))).toEqual(['patchCopy']);
  });

  it.each<[string, Edit]>([
    ['a label', { metadata: { labels: { operator: 'x' } } }],
    ['a field', { spec: { size: 'small', defaulted: true } }],
    ['a field in a list', { spec: { size: 'small', ports: [{ port: 1, protocol: 'TCP' }] } }],
  ])('to which the provider added %s is in step when the wanted content is what was last written', (_, edit) => {
    const consumer = consumerObject({
      spec:
        (edit.spec as { ports?: unknown } | undefined)?.ports === undefined
          ? { size: 'small' }
          : { size: 'small', ports: [{ port: 1 }] },
    });
    const copy = copyObject({
      ...edit,
      metadata: {
        ...edit.metadata,
        annotations: { ...marks, 'hawser.dev/wanted-hash': wantedHash(wantedOf(consumer)) },
      },
    });
    expect(types(decide(observed(consumer, copy), settings))).toEqual([]);
  });

  it('with an extra field of unknown origin is inspected first', () => {
    const copy = copyObject({ spec: { size: 'small', leftover: true } });
    expect(types(decide(observed(consumerObject(), copy), settings))).toEqual(['inspectCopy']);
  });

  it('loses a field that only we had written, and keeps the others', () => {
    const consumer = consumerObject();
    const copy = copyObject({ spec: { size: 'small', leftover: true, defaulted: 1 } });
    const inspect = decide(observed(consumer, copy), settings).actions[0];
    if (inspect?.type !== 'inspectCopy') throw new Error('expected an inspection');
    const memory: PairMemory = {
      inspection: { wantedHash: inspect.wantedHash, extrasKey: inspect.extrasKey, leftover: [['spec', 'leftover']] },
    };
    const decision = decide(observed(consumer, copy, { memory }), settings);
    expect(decision.actions).toEqual([expect.objectContaining({ type: 'patchCopy', remove: [['spec', 'leftover']] })]);
    const kept: PairMemory = { inspection: { ...memory.inspection!, leftover: [] } };
    expect(types(decide(observed(consumer, copy, { memory: kept }), settings))).toEqual([]);
  });

  it('that the provider changes while it is written is noted, not written again', () => {
    const consumer = consumerObject({ spec: { size: 'large' } });
    const hash = wantedHash(wantedOf(consumer));
    const copy = copyObject({ metadata: { annotations: { ...marks, 'hawser.dev/wanted-hash': hash } } });
    const memory: PairMemory = { lastWrite: { wantedHash: hash, resourceVersion: '20' } };
    expect(types(decide(observed(consumer, copy, { memory }), settings))).toEqual(['recordRewritten']);
    const noted = copyObject({
      metadata: { annotations: { ...marks, 'hawser.dev/wanted-hash': hash, 'hawser.dev/rewritten-hash': hash } },
    });
    const decision = decide(observed(consumer, noted), settings);
    expect([types(decision), verdict(decision)]).toEqual([[], 'rewritten']);
  });

  it('that somebody keeps changing is put back less and less often', () => {
    const consumer = consumerObject({ spec: { size: 'large' } });
    const hash = wantedHash(wantedOf(consumer));
    const copy = copyObject({ metadata: { annotations: { ...marks, 'hawser.dev/wanted-hash': hash } } });
    const decision = decide(
      observed(consumer, copy, { now: 1_000, memory: { corrections: 3, correctNotBefore: 5_000 } }),
      settings,
    );
    expect([types(decision), verdict(decision), decision.requeueAfterMs]).toEqual([[], 'held:Drifting', 4_000]);
  });

  it.each([
    ['content', { ...marks, 'hawser.dev/wanted-hash': 'theirs' }],
    [
      'content and owner',
      { ...marks, 'kube-bind.io/consumer-uid': 'before-the-backup', 'hawser.dev/wanted-hash': 'theirs' },
    ],
  ])('whose %s another konnector keeps replacing is put back less and less often too', (_, annotations) => {
    const consumer = consumerObject({ spec: { size: 'large' } });
    const lastWrite = { wantedHash: wantedHash(wantedOf(consumer)), resourceVersion: '19' };
    const copy = copyObject({ metadata: { annotations } });
    expect(types(decide(observed(consumer, copy, { memory: { lastWrite } }), settings))).toEqual(['patchCopy']);
    const decision = decide(
      observed(consumer, copy, { now: 1_000, memory: { lastWrite, corrections: 1, correctNotBefore: 2_000 } }),
      settings,
    );
    expect([types(decision), verdict(decision), decision.requeueAfterMs]).toEqual([[], 'held:Drifting', 1_000]);
    const news = decide(
      observed(consumerObject({ spec: { size: 'huge' } }), copy, {
        now: 1_000,
        memory: { lastWrite, corrections: 1, correctNotBefore: 2_000 },
      }),
      settings,
    );
    expect(types(news)).toEqual(['patchCopy']);
  });
});

describe('a copy that is not ours', () => {
  it.each([
    ['of another consumer', { ...marks, 'kube-bind.io/cluster-namespace': 'kube-bind-other' }],
    ['of nobody', {}],
    ['of an object in another namespace', { ...marks, 'kube-bind.io/consumer-namespace': 'team-b' }],
  ])('%s is neither written nor deleted', (_, annotations) => {
    const copy = copyObject({ metadata: { annotations }, spec: { size: 'other' } });
    const live = decide(observed(consumerObject(), copy), settings);
    expect([types(live), verdict(live)]).toEqual([[], 'held:ForeignCopy']);
    const gone = decide(
      observed(consumerObject({ metadata: deleting }), copy, { deletionProof: { kind: 'byUser' } }),
      settings,
    );
    expect(types(gone)).toEqual(['removeFinalizer']);
    expect(types(decide(observed(undefined, copy), settings))).toEqual([]);
  });
});

describe('what the provider added to a copy', () => {
  const before = consumerObject({ spec: { size: 'small', dropped: 1, list: [{ a: 1 }] } });
  const now = consumerObject({ spec: { size: 'large', list: [{ a: 1 }] } });
  const copy = copyObject({
    metadata: {
      annotations: { ...marks, 'hawser.dev/wanted-hash': wantedHash(wantedOf(before)), assigned: 'by-webhook' },
    },
    spec: { size: 'small', dropped: 1, assigned: 'by-webhook', list: [{ a: 1, assigned: true }] },
  });

  it('is told from what the consumer has removed by what it wanted before', () => {
    const inspect = decide(observed(now, copy, { memory: { previous: before } }), settings).actions[0];
    expect(inspect).toMatchObject({ type: 'inspectCopy', extras: [['spec', 'dropped']] });
  });

  it('needs no look at managedFields where the consumer has removed nothing', () => {
    const changed = consumerObject({ spec: { size: 'large', dropped: 1, list: [{ a: 1 }] } });
    expect(decide(observed(changed, copy, { memory: { previous: before } }), settings).actions).toEqual([
      expect.objectContaining({ type: 'patchCopy', remove: [] }),
    ]);
  });

  it('inside a list goes when the consumer changes the list', () => {
    const emptied = consumerObject({ spec: { size: 'small', dropped: 1, list: [{}] } });
    expect(decide(observed(emptied, copy, { memory: { previous: before } }), settings).actions[0]).toMatchObject({
      type: 'inspectCopy',
      extras: [['spec', 'list']],
    });
  });

  it('is asked of managedFields where the copy was written from something else, as after a restart', () => {
    const all = [
      ['metadata', 'annotations', 'assigned'],
      ['spec', 'list'],
      ['spec', 'dropped'],
      ['spec', 'assigned'],
    ];
    for (const memory of [{}, { previous: now }]) {
      const inspect = decide(observed(now, copy, { memory }), settings).actions[0];
      expect(inspect?.type === 'inspectCopy' && [...inspect.extras].sort()).toEqual([...all].sort());
    }
  });
});

describe('the APIServiceNamespace that an object uses', () => {
  const on = (
    consumer: UnstructuredObject,
    copy: UnstructuredObject | undefined,
    namespaceUnshared: Observed['namespaceUnshared'],
  ): readonly string[] => types(decide(observed(consumer, copy, { namespaceUnshared }), settings));

  it('gets the export as an owner before the copy is made', () => {
    expect(on(consumerObject(), undefined, 'foreign')).toEqual(['shareNamespace', 'createCopy']);
    expect(on(consumerObject(), undefined, undefined)).toEqual(['createCopy']);
  });

  it('gets it for a copy that is there already too; if another konnector has made it, only beside a write', () => {
    expect(on(consumerObject(), copyObject(), 'ours')).toEqual(['shareNamespace']);
    expect(on(consumerObject(), copyObject(), 'foreign')).toEqual([]);
    expect(on(consumerObject({ spec: { size: 'large' } }), copyObject(), 'foreign')).toEqual([
      'shareNamespace',
      'patchCopy',
    ]);
  });
});

describe('an object without a namespace on the provider', () => {
  const consumer = consumerObject({ metadata: { finalizers: undefined } });
  const waiting = (since: number | undefined, now = 0): Decision =>
    decide(
      observed(consumer, undefined, { placement: { kind: 'unassigned', consumerNamespace: 'team-a', since }, now }),
      settings,
    );

  it('asks once, waits, and after a while says so, in words that stay the same', () => {
    expect(waiting(undefined)).toEqual({
      actions: [{ type: 'requestNamespace', consumerNamespace: 'team-a' }],
      verdict: { kind: 'progressing', waitingFor: 'namespace' },
    });
    expect(waiting(1_000, 11_000)).toEqual({
      actions: [],
      verdict: { kind: 'progressing', waitingFor: 'namespace' },
      requeueAfterMs: 20_000,
    });
    const overdue = waiting(1_000, 31_000);
    expect(overdue).toMatchObject({
      actions: [],
      verdict: {
        kind: 'progressing',
        overdue: {
          reason: 'NamespacePending',
          actor: 'provider',
          message: expect.stringContaining('kube-bind-x/team-a'),
        },
      },
    });
    expect(overdue.requeueAfterMs).toBeUndefined();
    expect(waiting(1_000, 99_000)).toEqual(overdue);
  });
});

describe('a copy whose consumer object is missing', () => {
  it('is kept and reported', () => {
    const decision = decide(observed(undefined, copyObject()), settings);
    expect([types(decision), verdict(decision)]).toEqual([[], 'orphan']);
  });

  it('is adopted by a new object of that name: first the uid, then the status', () => {
    const recreated = consumerObject({ metadata: { uid: 'new-uid', annotations: {} } });
    const copy = copyObject({ status: { phase: 'Ready' } });
    const decision = decide(observed(recreated, copy), settings);
    expect(decision.actions).toEqual([
      expect.objectContaining({
        type: 'patchCopy',
        annotations: expect.objectContaining({ 'kube-bind.io/consumer-uid': 'new-uid' }),
      }),
    ]);
  });
});

describe('a consumer object that went in spite of its finalizer', () => {
  const slipped = (change: Parameters<typeof observed>[2] = {}): Decision =>
    decide(observed(undefined, copyObject(), { memory: { slippedAway: 'consumer-uid' }, ...change }), settings);

  it('is proven to be gone before its copy goes', () => {
    expect(types(slipped())).toEqual(['proveGone']);
    expect(types(slipped({ deletionProof: { kind: 'byUser' } }))).toEqual(['proveGone']);
    expect(types(slipped({ deletionProof: { kind: 'byUser', objectGone: true } }))).toEqual(['deleteCopy']);
  });

  it.each(['unbinding', 'crdTerminating', 'crdForeign', 'bindingStands'] as const)(
    'leaves its copy as an orphan if its deletion is proven %s',
    (kind) => {
      expect(slipped({ deletionProof: { kind } })).toMatchObject({ actions: [], verdict: { kind: 'orphan' } });
    },
  );

  it('says nothing about the copy of another object of that name', () => {
    expect(slipped({ memory: { slippedAway: 'another-uid' } })).toMatchObject({
      actions: [],
      verdict: { kind: 'orphan' },
    });
  });
});

describe('a deletion on the consumer', () => {
  const consumer = consumerObject({ metadata: deleting });

  it('is proven before anything else happens', () => {
    expect(types(decide(observed(consumer, copyObject()), settings))).toEqual(['proveDeletion']);
  });

  it.each<[DeletionProof['kind'], readonly string[], string]>([
    ['byUser', ['deleteCopy'], 'progressing'],
    ['unbinding', ['removeFinalizer'], 'progressing'],
    ['crdTerminating', [], 'held:CustomResourceDefinitionTerminating'],
    ['crdForeign', ['removeFinalizer'], 'progressing'],
    ['bindingStands', [], 'progressing'],
  ])('proven %s leads to %j', (kind, actions, expected) => {
    const decision = decide(observed(consumer, copyObject(), { deletionProof: { kind } }), settings);
    expect([types(decision), verdict(decision)]).toEqual([actions, expected]);
  });

  it('is read live before a copy goes that names another object: that may be a later one', () => {
    const later = copyObject({ metadata: { annotations: { ...marks, 'kube-bind.io/consumer-uid': 'later-uid' } } });
    const of = (deletionStands?: PairMemory['deletionStands']): readonly string[] =>
      types(
        decide(observed(consumer, later, { deletionProof: { kind: 'byUser' }, memory: { deletionStands } }), settings),
      );
    expect([
      of(),
      of({ consumer: 'consumer-uid', copy: 'another-uid', at: 0 }),
      of({ consumer: 'another-uid', copy: 'copy-uid', at: 0 }),
      of({ consumer: 'consumer-uid', copy: 'copy-uid', at: 0 }),
    ]).toEqual([['confirmDeletion'], ['confirmDeletion'], ['confirmDeletion'], ['deleteCopy']]);
  });

  it('is read live, and not long ago, while the cache may have missed that a backup has undone it', () => {
    const of = (now: number, deletionStands?: PairMemory['deletionStands']): readonly string[] =>
      types(
        decide(
          observed(consumer, copyObject(), {
            deletionProof: { kind: 'byUser' },
            isConsumerDoubtful: true,
            memory: { deletionStands },
            now,
          }),
          settings,
        ),
      );
    const stands = { consumer: 'consumer-uid', copy: 'copy-uid', at: 0 };
    expect([of(0), of(5_000, stands), of(10_000, stands)]).toEqual([
      ['confirmDeletion'],
      ['deleteCopy'],
      ['confirmDeletion'],
    ]);
  });

  it('keeps the finalizer while the copy terminates', () => {
    expect(
      types(
        decide(observed(consumer, copyObject({ metadata: deleting }), { deletionProof: { kind: 'byUser' } }), settings),
      ),
    ).toEqual([]);
  });

  it('asks the server before it believes that the copy is gone', () => {
    const missing = observed(consumer, undefined, { deletionProof: { kind: 'byUser' } });
    expect(types(decide(missing, settings))).toEqual(['confirmGone']);
    expect(types(decide({ ...missing, memory: { copyGone: 'none' } }, settings))).toEqual(['removeFinalizer']);
  });

  it('does not believe an empty cache', () => {
    expect(
      types(
        decide(observed(consumer, undefined, { deletionProof: { kind: 'byUser' }, copyCacheReady: false }), settings),
      ),
    ).toEqual([]);
  });

  it('lets go once the deleted copy was the one known', () => {
    expect(
      types(
        decide(
          observed(consumer, copyObject(), { deletionProof: { kind: 'byUser' }, memory: { copyGone: 'copy-uid' } }),
          settings,
        ),
      ),
    ).toEqual(['removeFinalizer']);
  });

  describe('where the namespace is not assigned any more', () => {
    const at = (now: number, memory: PairMemory = {}, object = consumer): Decision =>
      decide(
        observed(object, undefined, {
          deletionProof: { kind: 'byUser' },
          placement: { kind: 'unassigned', consumerNamespace: 'team-a' },
          memory,
          now,
        }),
        settings,
      );
    const found = (metadata: Record<string, unknown> = {}, seen = 1_000): PairMemory => ({
      found: { copy: copyObject({ metadata }), at: seen },
    });

    it('reads the copy where it last was, once, and deletes it there', () => {
      expect(at(1_000).actions).toEqual([
        { type: 'confirmGone', key: { namespace: 'kube-bind-x-team-a', name: 'one' }, at: 1_000 },
      ]);
      expect(at(1_000, found()).actions).toEqual([expect.objectContaining({ type: 'deleteCopy', at: 1_000 })]);
      expect(types(at(1_000, { ...found(), copyGone: 'copy-uid' }))).toEqual(['removeFinalizer']);
    });

    it('looks again from time to time while the copy terminates', () => {
      const going = found(deleting);
      expect(at(2_000, going)).toMatchObject({
        actions: [],
        verdict: { kind: 'progressing', waitingFor: 'copyToGo' },
        requeueAfterMs: 14_000,
      });
      expect(types(at(16_000, going))).toEqual(['confirmGone']);
    });

    it('deletes nothing that does not name this very object', () => {
      expect(types(at(1_000, found({ annotations: { ...marks, 'kube-bind.io/consumer-uid': 'other' } })))).toEqual([
        'removeFinalizer',
      ]);
      expect(
        types(at(1_000, found({ annotations: { ...marks, 'kube-bind.io/consumer-namespace': 'team-b' } }))),
      ).toEqual(['removeFinalizer']);
    });

    it.each([
      ['nothing', {}],
      ['the empty name', { 'kube-bind.io/provider-namespace': '' }],
    ])('reads nothing where %s says where the copy was: it asks for the namespace', (_, annotations) => {
      const unknown = consumerObject({ metadata: { ...deleting, annotations } });
      expect(at(1_000, {}, unknown).actions).toEqual([{ type: 'requestNamespace', consumerNamespace: 'team-a' }]);
    });

    it('reads nothing in a namespace that an earlier isolation has left on the object', () => {
      const without = observed(consumer, undefined, {
        deletionProof: { kind: 'byUser' },
        placement: { kind: 'unassigned', consumerNamespace: 'team-a' },
        now: 1_000,
      });
      expect(decide(without, { ...settings, isolation: 'Namespaced' }).actions).toEqual([
        { type: 'requestNamespace', consumerNamespace: 'team-a' },
      ]);
    });

    it('tells where it does not know where the copy was and no answer comes', () => {
      const unknown = consumerObject({ metadata: { ...deleting, annotations: {} } });
      const asked = (now: number): Decision =>
        decide(
          observed(unknown, undefined, {
            deletionProof: { kind: 'byUser' },
            placement: { kind: 'unassigned', consumerNamespace: 'team-a', since: 1_000 },
            now,
          }),
          settings,
        );
      expect(asked(2_000)).toMatchObject({ actions: [], requeueAfterMs: 29_000 });
      expect(asked(31_000)).toMatchObject({
        actions: [],
        verdict: { overdue: { reason: 'CopyUnknown', actor: 'provider' } },
      });
    });
  });

  it('can be broken open by a person, without touching the copy', () => {
    const open = consumerObject({
      metadata: { ...deleting, annotations: { ...copyRecord, 'hawser.dev/release': 'provider is gone for good' } },
    });
    expect(
      types(decide(observed(open, copyObject(), { deletionProof: { kind: 'crdTerminating' } }), settings)),
    ).toEqual(['removeFinalizer']);
  });

  it('without our finalizer is none of our business', () => {
    expect(
      types(
        decide(observed(consumerObject({ metadata: { ...deleting, finalizers: ['other'] } }), copyObject()), settings),
      ),
    ).toEqual([]);
  });
});

it('is the same decision for the same snapshot', () => {
  const snapshot = observed(consumerObject({ spec: { size: 'large' } }), copyObject());
  expect(decide(snapshot, settings)).toEqual(decide(snapshot, settings));
});
