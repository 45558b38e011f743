import { describe, expect, it } from '@jest/globals';

import { type BindingPolicy, defaultPolicy, readBindingPolicy } from './binding-policy.js';
import { copyPatch } from './copy-patch.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { DeletionProof, Observed, PairMemory } from './observed.js';
import { consumerObject, copyObject, observed, ownMarks, settings, terminating } from './testing/snapshots.js';

const under = (policy: Partial<BindingPolicy>, pair: Observed, more = {}): Decision =>
  decide(pair, { ...settings, policy: { ...defaultPolicy, ...policy }, ...more });
const types = (decision: Decision): readonly string[] => decision.actions.map(({ type }) => type);
const withheld = ({ withheld: actions = [] }: Decision): readonly string[] => actions.map(({ type }) => type);
const reason = ({ verdict }: Decision): string => (verdict.kind === 'held' ? verdict.reason : verdict.kind);
const patchOf = (decision: Decision): unknown => {
  const action = decision.actions.find(({ type }) => type === 'patchCopy');
  if (action?.type !== 'patchCopy') throw new Error(`no patch: ${JSON.stringify(decision)}`);
  const patch = copyPatch(action);
  return patch.type === 'merge' ? (patch.patch as { spec?: unknown }).spec : patch;
};

describe('the policy of a binding', () => {
  it('is the default without annotations', () => {
    expect(readBindingPolicy({ binding: {} })).toEqual({ policy: defaultPolicy, problems: [] });
  });

  it('is what its annotations say', () => {
    const annotations = {
      'hawser.dev/conflict-policy': 'Adopt',
      'hawser.dev/drift-policy': ' Report ',
      'hawser.dev/paused': 'moving',
      'hawser.dev/drift-ignore': '/spec/replicas, /metadata/labels/example.com~1team\n/data/a~0b',
    };
    expect(readBindingPolicy({ binding: { annotations }, orphans: 'Delete' })).toEqual({
      policy: {
        orphans: 'Delete',
        conflicts: 'Adopt',
        drift: 'Report',
        ignored: [
          ['spec', 'replicas'],
          ['metadata', 'labels', 'example.com/team'],
          ['data', 'a~b'],
        ],
        pause: { of: 'binding', reason: 'moving' },
      },
      problems: [],
    });
  });

  it.each([
    ['hawser.dev/conflict-policy', 'adopt', 'counts as Fail'],
    ['hawser.dev/drift-policy', 'Never', 'counts as Correct'],
    ['hawser.dev/drift-ignore', 'spec.replicas', 'JSON pointers'],
    ['hawser.dev/drift-ignore', '/status/phase', 'JSON pointers'],
    ['hawser.dev/drift-ignore', '/metadata/finalizers', 'JSON pointers'],
    ['hawser.dev/drift-ignore', '/', 'JSON pointers'],
  ])('is the safe default, and says so, where %s says %s', (annotation, value, words) => {
    const { policy, problems } = readBindingPolicy({ binding: { annotations: { [annotation]: value } } });
    expect(policy).toEqual(defaultPolicy);
    expect(problems).toEqual([
      {
        reason: 'UnknownPolicyValue',
        actor: 'operator',
        message: expect.stringMatching(new RegExp(`${annotation}.*"${value}".*${words}`, 'u')),
      },
    ]);
  });

  it('pauses for any value, also an empty one, on the binding or a Secret of the connection', () => {
    expect(readBindingPolicy({ binding: { annotations: { 'hawser.dev/paused': '' } } }).policy.pause).toEqual({
      of: 'binding',
      reason: '',
    });
    expect(
      readBindingPolicy({ binding: {}, secrets: [{}, { annotations: { 'hawser.dev/paused': 'x' } }] }).policy.pause,
    ).toEqual({ of: 'connection', reason: 'x' });
  });
});

describe('a pause', () => {
  const changed = observed(consumerObject({ size: 'large' }), copyObject());

  it.each(['binding', 'connection'] as const)('of the %s holds everything back, and shows what', (of) => {
    const decision = under({ pause: { of, reason: 'maintenance' } }, changed);
    expect([types(decision), withheld(decision), reason(decision)]).toEqual([[], ['patchCopy'], 'Paused']);
    expect(decision.verdict).toMatchObject({ message: expect.stringContaining('maintenance'), actor: 'operator' });
  });

  it('of an object holds that one back', () => {
    const decision = under(
      {},
      observed(consumerObject({ size: 'large' }, { annotations: { 'hawser.dev/paused': 'by me' } }), copyObject()),
    );
    expect([types(decision), withheld(decision), decision.verdict]).toEqual([
      [],
      ['patchCopy'],
      expect.objectContaining({ reason: 'Paused', actor: 'consumer' }),
    ]);
  });

  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['its proof', {}, ['proveDeletion']],
    ['the deletion of the copy', { deletionProof: { kind: 'byUser' } }, ['deleteCopy']],
    [
      'the release of the finalizer',
      { deletionProof: { kind: 'byUser' }, memory: { copyGone: 'copy-uid' } },
      ['removeFinalizer'],
    ],
  ])('lets a deletion wait with %s', (_, more, expected) => {
    const decision = under(
      { pause: { of: 'binding', reason: 'x' } },
      observed(consumerObject({}, terminating), copyObject({}), more),
    );
    expect([types(decision), withheld(decision)]).toEqual([[], expected]);
    expect(decision.verdict).toMatchObject({ message: expect.stringContaining('deletion') });
  });

  it('holds back the deletion of orphans, and nothing where there is none', () => {
    const orphan = observed(undefined, copyObject(), {
      now: 99_999,
      memory: { orphanedSince: 0 },
      orphanDeletion: 'allowed',
    });
    expect(withheld(under({ orphans: 'Delete', pause: { of: 'binding', reason: 'x' } }, orphan))).toEqual([
      'proveGone',
    ]);
    expect(reason(under({ pause: { of: 'binding', reason: 'x' } }, orphan))).toBe('orphan');
  });
});

describe('the conflict policy', () => {
  const unowned = copyObject({ size: 'theirs' }, { annotations: {} });

  it.each([
    ['Fail', [], 'ForeignCopy', 'consumer'],
    ['Skip', [], 'ConflictSkipped', 'nobody'],
  ] as const)('%s does %j', (conflicts, actions, expected, actor) => {
    const decision = under({ conflicts }, observed(consumerObject(), unowned));
    expect([types(decision), decision.verdict]).toEqual([
      actions,
      expect.objectContaining({ reason: expected, actor }),
    ]);
  });

  it("Adopt makes a copy of an object that is nobody's, with the finalizer first", () => {
    const decision = under(
      { conflicts: 'Adopt' },
      observed(consumerObject({ size: 'small' }, { finalizers: undefined }), unowned),
    );
    expect(types(decision)).toEqual(['addFinalizer', 'patchCopy']);
    const patch = decision.actions[1];
    expect(patch?.type === 'patchCopy' && patch.annotations).toMatchObject(ownMarks);
  });

  it('names the policy Adopt where it would help, and only there', () => {
    const message = (metadata: Record<string, unknown>): unknown => {
      const { verdict } = under(
        { conflicts: 'Fail' },
        observed(consumerObject(), copyObject({ size: 'theirs' }, metadata)),
      );
      return 'message' in verdict ? verdict.message : undefined;
    };
    expect(message({ annotations: {} })).toContain('hawser.dev/conflict-policy=Adopt');
    expect(message({ annotations: { 'kube-bind.io/consumer-uid': 'somebody' } })).not.toContain('Adopt');
    expect(
      message({
        annotations: {},
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'y', controller: true }],
      }),
    ).not.toContain('Adopt');
  });

  it.each<[string, Record<string, unknown>]>([
    ['of another consumer', { annotations: { ...ownMarks, 'kube-bind.io/cluster-namespace': 'kube-bind-other' } }],
    ['of another object of ours', { annotations: { ...ownMarks, 'kube-bind.io/consumer-namespace': 'team-b' } }],
    ['that has lost a mark', { annotations: { 'kube-bind.io/consumer-uid': 'somebody' } }],
    ['with an empty mark', { annotations: { 'kube-bind.io/cluster-namespace': '' } }],
    ['of another cluster', { annotations: { 'hawser.dev/consumer-identity': 'cluster-2' } }],
    [
      'of a controller',
      { annotations: {}, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'y', controller: true }] },
    ],
  ])('Adopt takes none %s', (_, metadata) => {
    const decision = under(
      { conflicts: 'Adopt' },
      observed(consumerObject(), copyObject({ size: 'theirs' }, metadata)),
    );
    expect([types(decision), reason(decision)]).toEqual([[], 'ForeignCopy']);
  });

  it('Adopt deletes nothing that was not adopted before', () => {
    const decision = under(
      { conflicts: 'Adopt' },
      observed(consumerObject({}, terminating), unowned, { deletionProof: { kind: 'byUser' } }),
    );
    expect(types(decision)).toEqual(['removeFinalizer']);
  });
});

describe('the drift policy', () => {
  const before = consumerObject({ size: 'small', replicas: 1 });
  const drifted = copyObject({ size: 'small', replicas: 9 }, {}, before);

  it('Correct puts a field back, Report says so, Ignore leaves it', () => {
    expect(patchOf(under({ drift: 'Correct' }, observed(before, drifted)))).toEqual({ replicas: 1 });
    const report = under({ drift: 'Report' }, observed(before, drifted));
    expect([types(report), withheld(report), report.verdict]).toEqual([
      [],
      ['patchCopy'],
      expect.objectContaining({ reason: 'Drifted', message: expect.stringContaining('spec.replicas') }),
    ]);
    expect(under({ drift: 'Ignore' }, observed(before, drifted))).toEqual({ actions: [], verdict: { kind: 'inStep' } });
  });

  it.each(['Report', 'Ignore'] as const)('%s carries what the consumer changes, and that alone', (drift) => {
    const pair = observed(consumerObject({ size: 'large', replicas: 1 }), drifted, { memory: { previous: before } });
    expect(patchOf(under({ drift }, pair))).toEqual({ size: 'large' });
    const both = observed(consumerObject({ size: 'small', replicas: 2 }), drifted, { memory: { previous: before } });
    expect(patchOf(under({ drift }, both))).toEqual({ replicas: 2 });
  });

  it('Report does not take what it left alone for a rewriting by the provider', () => {
    const now = consumerObject({ size: 'large', replicas: 1 });
    const copy = copyObject({ size: 'large', replicas: 9 }, { resourceVersion: '21' }, now);
    const lastWrite = {
      wantedHash: copy.metadata.annotations?.['hawser.dev/wanted-hash'] ?? '',
      resourceVersion: '21',
    };
    expect(
      reason(
        under({ drift: 'Report' }, observed(now, copy, { memory: { lastWrite: { ...lastWrite, partly: true } } })),
      ),
    ).toBe('Drifted');
    expect(types(under({ drift: 'Report' }, observed(now, copy, { memory: { lastWrite } })))).toEqual([
      'recordRewritten',
    ]);
  });
});

describe('ignored fields', () => {
  const ignored = [
    ['spec', 'replicas'],
    ['metadata', 'labels', 'team'],
  ];

  it('are sent with a new copy', () => {
    const decision = under({ ignored }, observed(consumerObject({ size: 'small', replicas: 1 }), undefined));
    expect(decision.actions[0]).toMatchObject({ type: 'createCopy', object: { spec: { size: 'small', replicas: 1 } } });
  });

  it.each<[string, unknown, unknown, Record<string, unknown>]>([
    ['changed by the provider', { size: 'small', replicas: 1 }, { size: 'small', replicas: 9 }, {}],
    ['removed by the provider', { size: 'small', replicas: 1 }, { size: 'small' }, {}],
    ['removed by the consumer', { size: 'small' }, { size: 'small', replicas: 9 }, {}],
    ['added by the provider', { size: 'small' }, { size: 'small' }, { labels: { team: 'b' } }],
  ])('are left alone when %s', (_, wanted, actual, metadata) => {
    const written = copyObject(actual, metadata, consumerObject({ size: 'small' }));
    expect(under({ ignored }, observed(consumerObject(wanted), written))).toEqual({
      actions: [],
      verdict: { kind: 'inStep' },
    });
  });

  it('stay as they are when others are written', () => {
    const written = copyObject({ size: 'small', replicas: 9 }, {}, consumerObject({ size: 'small' }));
    expect(patchOf(under({ ignored }, observed(consumerObject({ size: 'large', replicas: 1 }), written)))).toEqual({
      size: 'large',
    });
  });

  it('inside lists, or below what is not an object, do not count', () => {
    const wanted = consumerObject({ list: [{ a: 1 }], text: 'x' });
    const actual = copyObject({ list: [{ a: 2 }], text: 'y' }, {}, wanted);
    expect(
      patchOf(
        under(
          {
            ignored: [
              ['spec', 'list', '0', 'a'],
              ['spec', 'text', 'deeper'],
            ],
          },
          observed(wanted, actual),
        ),
      ),
    ).toEqual({ list: [{ a: 1 }], text: 'x' });
  });
});

describe('two writers that fight over a field', () => {
  const wanted = consumerObject({ size: 'small', other: 1 });
  const copy = copyObject({ size: 'theirs', other: 1 }, {}, wanted);
  const at = (...times: readonly number[]): PairMemory['corrected'] =>
    times.map((time) => ({ at: time, paths: [['spec', 'size']] }));

  it('are detected by how often it was put back within a minute', () => {
    expect(
      types(
        under(
          {},
          observed(wanted, copy, { now: 61_000, memory: { corrected: at(0, 20_000, 30_000, 40_000, 50_000) } }),
        ),
      ),
    ).toEqual(['patchCopy']);
    const found = under(
      {},
      observed(wanted, copy, { now: 59_000, memory: { corrected: at(0, 20_000, 30_000, 40_000, 50_000) } }),
    );
    expect(found.actions).toEqual([
      expect.objectContaining({
        type: 'nameWriters',
        contest: expect.objectContaining({ paths: [['spec', 'size']], until: 359_000 }),
      }),
    ]);
  });

  it('are not, where other fields were put back', () => {
    const otherFieldReset = copyObject({ size: 'small', other: 2 }, {}, wanted);
    expect(
      types(under({}, observed(wanted, otherFieldReset, { now: 59_000, memory: { corrected: at(1, 2, 3, 4, 5) } }))),
    ).toEqual(['patchCopy']);
  });

  it('are named, and the copy is left alone for a while, unless the consumer changes it', () => {
    const wantedHash = copy.metadata.annotations?.['hawser.dev/wanted-hash'] ?? '';
    const contest = { wantedHash, paths: [['spec', 'size']], writers: ['autoscaler'], until: 360_000, forMs: 300_000 };
    const parked = under({}, observed(wanted, copy, { now: 60_000, memory: { contest } }));
    expect([types(parked), withheld(parked), parked.requeueAfterMs]).toEqual([[], ['patchCopy'], 300_000]);
    expect(parked.verdict).toMatchObject({
      reason: 'FieldContested',
      actor: 'provider',
      message: expect.stringMatching(/"autoscaler" writes spec\.size .*5 min/u),
    });
    expect(types(under({}, observed(wanted, copy, { now: 360_000, memory: { contest } })))).toEqual(['patchCopy']);
    expect(
      types(
        under(
          {},
          observed(consumerObject({ size: 'large', other: 1 }), copy, {
            now: 60_000,
            memory: { contest, previous: wanted },
          }),
        ),
      ),
    ).toEqual(['patchCopy']);
  });
});

describe('the orphan policy', () => {
  const proven: DeletionProof = { kind: 'byUser', objectGone: true };
  const orphan = (more: Partial<Observed> = {}, copy = copyObject()): Observed =>
    observed(undefined, copy, { now: 60_000, memory: { orphanedSince: 0 }, orphanDeletion: 'allowed', ...more });
  const decided = (pair: Observed, more = {}): Decision => under({ orphans: 'Delete' }, pair, more);

  it('Keep keeps, whatever is proven', () => {
    expect(under({}, orphan({ deletionProof: proven }))).toMatchObject({ actions: [], verdict: { kind: 'orphan' } });
  });

  it('Delete waits a minute, then proves, then deletes', () => {
    expect(decided(orphan({ now: 20_000 }))).toMatchObject({
      actions: [],
      verdict: { kind: 'orphan', mayGo: true },
      requeueAfterMs: 40_000,
    });
    expect(decided(orphan({ memory: {} }))).toMatchObject({ actions: [], requeueAfterMs: 60_000 });
    expect(types(decided(orphan()))).toEqual(['proveGone']);
    expect(types(decided(orphan({ deletionProof: proven })))).toEqual(['deleteCopy']);
  });

  it('Delete asks again where only the binding was proven to stand', () => {
    expect(types(decided(orphan({ deletionProof: { kind: 'byUser' } })))).toEqual(['proveGone']);
  });

  it.each(['unbinding', 'crdTerminating', 'crdForeign'] as const)('Delete keeps what is proven %s', (kind) => {
    expect(decided(orphan({ deletionProof: { kind } }))).toMatchObject({ actions: [], verdict: { kind: 'orphan' } });
  });

  it('Delete asks for the budget first, and keeps what that holds', () => {
    expect(decided(orphan({ orphanDeletion: undefined, deletionProof: proven }))).toMatchObject({
      actions: [],
      verdict: { mayGo: true },
      requeueAfterMs: 0,
    });
    expect(decided(orphan({ orphanDeletion: 'held', deletionProof: proven }))).toMatchObject({
      actions: [],
      verdict: { mayGo: true, message: expect.stringContaining('DeletionsHeld') },
    });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    [
      'does not say whose cluster it is of',
      { annotations: { ...ownMarks, 'hawser.dev/consumer-identity': undefined } },
      {},
      'does not say which consumer cluster it belongs to',
    ],
    [
      'says so with nothing',
      { annotations: { ...ownMarks, 'hawser.dev/consumer-identity': '' } },
      {},
      'does not say which consumer cluster it belongs to',
    ],
    [
      'is of the cluster in whose place this one is',
      { annotations: { ...ownMarks, 'hawser.dev/consumer-identity': 'former' } },
      { policy: { ...defaultPolicy, orphans: 'Delete', formerClusters: ['former'] } },
      'names another consumer cluster',
    ],
    ['is older than the binding', {}, { boundSince: Date.parse('2026-01-01T00:00:01Z') }, 'older than the binding'],
    ['does not say how old it is', { creationTimestamp: undefined }, {}, 'older than the binding'],
  ])('Delete never takes a copy that %s', (_, metadata, more, why) => {
    const decision = decided(orphan({ deletionProof: proven }, copyObject({}, metadata)), more);
    expect(decision).toMatchObject({ actions: [], verdict: { kind: 'orphan', message: expect.stringContaining(why) } });
    expect(decision.verdict).not.toHaveProperty('mayGo');
  });

  it('Delete takes a copy that was made in the very second of the binding', () => {
    expect(
      types(decided(orphan({ deletionProof: proven }), { boundSince: Date.parse('2026-01-01T00:00:00Z') })),
    ).toEqual(['deleteCopy']);
  });

  it('Delete waits for a copy that is going already, and asks for nothing more', () => {
    expect(decided(orphan({ deletionProof: proven }, copyObject({}, terminating)))).toMatchObject({
      actions: [],
      verdict: { kind: 'progressing', waitingFor: 'copyToGo' },
    });
    expect(decided(orphan({}, copyObject({}, terminating))).actions).toEqual([]);
  });

  it('Delete leaves copies of others alone', () => {
    const theirs = copyObject({}, { annotations: { ...ownMarks, 'kube-bind.io/cluster-namespace': 'kube-bind-y' } });
    expect(decided(orphan({ deletionProof: proven }, theirs))).toEqual({ actions: [], verdict: { kind: 'absent' } });
  });
});
