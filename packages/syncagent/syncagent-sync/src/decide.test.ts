import { describe, expect, it } from '@jest/globals';

import type { UnstructuredObject } from '@hawser/client';

import { agreementOf } from './agreement.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import type { Observed, PairMemory, PairSettings } from './observed.js';
import { copyObject, identity, marks, observed, copyKey, settings, sourceObject } from './testing/pairs.js';

const types = ({ actions }: Decision): readonly string[] => actions.map(({ type }) => type);
const verdict = ({ verdict: found }: Decision): string =>
  found.kind === 'held'
    ? `held:${found.reason}`
    : found.kind === 'progressing'
      ? `progressing:${found.waitingFor}`
      : found.kind;
function action<T extends Action['type']>({ actions }: Decision, type: T): Extract<Action, { type: T }> {
  const found = actions.find((candidate) => candidate.type === type);
  if (found === undefined) throw new Error(`no ${type} in ${actions.map((candidate) => candidate.type).join(', ')}`);
  return found as Extract<Action, { type: T }>;
}
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('a service cluster that has an older state again', () => {
  const source = sourceObject({ spec: { size: 'small' } });
  /** What was pushed last, as the state Secrets have it again. */
  const doubted = (destination: UnstructuredObject, last: UnstructuredObject): Observed => {
    const seen = observed(source, destination, last);
    return seen.last.kind === 'known' ? { ...seen, last: { ...seen.last, doubted: true } } : seen;
  };

  it('gets what it lost, and keeps what only the copy has', () => {
    const copy = copyObject({ spec: { size: 'tiny', tier: 'set by the service' } });
    expect(types(decide(observed(source, copy, source), settings))).toEqual([]);
    const { patch } = action(decide(doubted(copy, source), settings), 'patch');
    expect(patch['spec']).toEqual({ size: 'small' });
  });

  it('gets it even if a cache that is newer shows that it has it', () => {
    const decision = decide(doubted(copyObject({}), sourceObject({ spec: { size: 'tiny' } })), settings);
    expect(types(decision)).toEqual(['patch', 'storeSnapshot']);
  });

  it('costs nothing where all say the same', () => {
    expect(types(decide(doubted(copyObject({}), source), settings))).toEqual([]);
  });
});

describe('an object of a workspace', () => {
  it('costs nothing when everything is in step', () => {
    const decision = decide(
      observed(sourceObject({ status: { phase: 'Ready' } }), copyObject({ status: { phase: 'Ready' } })),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('inStep');
  });

  it('gets its finalizer before its copy, and what was pushed is remembered after it', () => {
    const decision = decide(observed(sourceObject({ metadata: { finalizers: undefined } }), undefined, null), settings);
    expect(types(decision)).toEqual(['addFinalizer', 'create', 'storeSnapshot']);
  });

  it('is copied with marks, and without what belongs to its own side', () => {
    const source = sourceObject({
      metadata: {
        generation: 3,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' }],
        labels: { tier: 'gold', 'syncagent.kcp.io/agent-name': 'spoofed', 'claimed.internal.apis.kcp.io/x': 'y' },
        annotations: {
          note: 'hello',
          'kcp.io/cluster': 'ws1',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'related-resources.syncagent.kcp.io/a.0': '{}',
        },
      },
      status: { phase: 'Ready' },
    });
    const { object } = action(decide(observed(source, undefined, null), settings), 'create');
    expect(object).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Database',
      spec: { size: 'small' },
      metadata: {
        ...copyKey,
        labels: { tier: 'gold', ...marks.labels },
        annotations: { note: 'hello', ...marks.annotations, 'hawser.dev/place': 'ws1/copy-of-one' },
      },
    });
  });

  it('that cannot be named is held without a finalizer', () => {
    const decision = decide(
      observed(sourceObject({ metadata: { finalizers: undefined } }), undefined, null, {
        placement: () => ({ kind: 'impossible', message: 'too long' }),
      }),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('held:NamingFailed');
  });

  it('is named by what the mutation made of it', () => {
    const mutations = {
      spec: (self: ReturnType<typeof sourceObject>) => ({ ...self, spec: { size: 'LARGE' } }),
      status: (self: ReturnType<typeof sourceObject>) => self,
    };
    const named: unknown[] = [];
    const decision = decide(
      observed(sourceObject(), undefined, null, {
        placement: ({ spec }) => {
          named.push(spec);
          return { kind: 'placed', key: copyKey };
        },
      }),
      { ...settings, mutations },
    );
    expect(named.at(-1)).toEqual({ size: 'LARGE' });
    expect(action(decision, 'create').object['spec']).toEqual({ size: 'LARGE' });
    expect(action(decision, 'storeSnapshot').snapshot['spec']).toEqual({ size: 'LARGE' });
  });

  it('whose mutation fails is held, copy or not', () => {
    const mutations = {
      spec: () => {
        throw new Error('no such path');
      },
      status: (self: ReturnType<typeof sourceObject>) => self,
    };
    for (const copy of [undefined, copyObject()])
      expect(verdict(decide(observed(sourceObject(), copy), { ...settings, mutations }))).toBe('held:MutationFailed');
  });
});

describe('the copy of another agent', () => {
  const foreign = copyObject({ metadata: { labels: { 'syncagent.kcp.io/agent-name': 'agent-2' } } });

  it('is not an orphan of ours, whatever has become of an object of its name', () => {
    const decision = decide(observed(undefined, foreign, null), settings);
    expect([types(decision), verdict(decision)]).toEqual([[], 'absent']);
  });

  it('is not deleted with an object of its name', () => {
    const decision = decide(observed(undefined, foreign, sourceObject(), { memory: { deletionSeen: true } }), settings);
    expect([types(decision), verdict(decision)]).toEqual([['forget'], 'absent']);
  });
});

describe('a change', () => {
  it('of the source is patched, and remembered', () => {
    const decision = decide(
      observed(sourceObject({ spec: { size: 'large' } }), copyObject(), sourceObject()),
      settings,
    );
    expect(types(decision)).toEqual(['patch', 'storeSnapshot']);
    expect(action(decision, 'patch').patch).toEqual({ spec: { size: 'large' } });
    expect(action(decision, 'storeSnapshot').snapshot['spec']).toEqual({ size: 'large' });
  });

  it('of the source leaves alone what only the copy has', () => {
    const decision = decide(
      observed(
        sourceObject({ spec: { size: 'large' } }),
        copyObject({ spec: { size: 'small', address: 'by default' } }),
        sourceObject(),
      ),
      settings,
    );
    expect(action(decision, 'patch').patch).toEqual({ spec: { size: 'large' } });
    expect(action(decision, 'storeSnapshot').snapshot['spec']).toEqual({ size: 'large' });
  });

  it('of the copy stays until the source changes the same field', () => {
    expect(types(decide(observed(sourceObject(), copyObject({ spec: { size: 'edited here' } })), settings))).toEqual(
      [],
    );
    const later = decide(
      observed(
        sourceObject({ spec: { size: 'large' } }),
        copyObject({ spec: { size: 'edited here' } }),
        sourceObject(),
      ),
      settings,
    );
    expect(action(later, 'patch').patch).toEqual({ spec: { size: 'large' } });
  });

  it('that takes a field, a label and an annotation away does so on the copy', () => {
    const before = sourceObject({
      spec: { size: 'small', gone: 1 },
      metadata: { labels: { a: '1', b: '2' }, annotations: { c: '3' } },
    });
    const decision = decide(
      observed(
        sourceObject({ metadata: { labels: { a: '1' } } }),
        copyObject({
          spec: { size: 'small', gone: 1 },
          metadata: { labels: { a: '1', b: '2' }, annotations: { c: '3' } },
        }),
        before,
      ),
      settings,
    );
    expect(action(decision, 'patch').patch).toEqual({
      spec: { gone: null },
      metadata: { labels: { b: null }, annotations: { c: null } },
    });
  });

  it('that the copy has already is only remembered', () => {
    expect(
      types(
        decide(
          observed(sourceObject({ spec: { size: 'large' } }), copyObject({ spec: { size: 'large' } }), sourceObject()),
          settings,
        ),
      ),
    ).toEqual(['storeSnapshot']);
  });

  it.each([
    [
      'a label',
      { labels: { 'syncagent.kcp.io/remote-object-name-hash': 'wrong' } },
      { labels: { 'syncagent.kcp.io/remote-object-name-hash': 'fe05bcdcdc4928012781a5f1a2a77cbb5398e106' } },
    ],
    [
      'an annotation',
      { annotations: { 'syncagent.kcp.io/remote-object-name': 'wrong' } },
      { annotations: { 'syncagent.kcp.io/remote-object-name': 'one' } },
    ],
    [
      'the agent label',
      { labels: { 'syncagent.kcp.io/agent-name': undefined } },
      { labels: { 'syncagent.kcp.io/agent-name': 'agent-1' } },
    ],
  ])('of our marks is put back: %s', (_what, metadata, expected) => {
    const decision = decide(observed(sourceObject(), copyObject({ metadata })), settings);
    expect(types(decision)).toEqual(['patch']);
    expect(action(decision, 'patch')).toMatchObject({ patch: { metadata: expected }, correction: true });
  });

  it('of our marks is not fought over', () => {
    const now = 1_000_000;
    const corrections = [1, 2, 3, 4, 5].map((second) => now - 6_000 + second * 1_000);
    const decision = decide(
      observed(
        sourceObject(),
        copyObject({ metadata: { labels: { 'syncagent.kcp.io/agent-name': undefined } } }),
        sourceObject(),
        { memory: { corrections }, now },
      ),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('held:Contested');
    expect(decision.requeueAfterMs).toBeGreaterThan(0);
  });

  it('of the status is not fought over, and a new one is passed on', () => {
    const now = 1_000_000;
    const again = [1, 2, 3, 4, 5].map((second) => now - 6_000 + second * 1_000);
    const [source, copy] = [sourceObject({ status: { phase: 'Theirs' } }), copyObject({ status: { phase: 'Ours' } })];
    const decided = (statusWritten: PairMemory['statusWritten'], at = now): Decision =>
      decide(observed(source, copy, undefined, { memory: { statusWritten }, now: at }), settings);
    expect([types(decided({ of: 'copy-uid/20', again })), verdict(decided({ of: 'copy-uid/20', again }))]).toEqual([
      [],
      'held:StatusContested',
    ]);
    expect(decided({ of: 'copy-uid/20', again }).requeueAfterMs).toBeGreaterThan(0);
    for (const statusWritten of [undefined, { of: 'copy-uid/20', again: again.slice(1) }, { of: 'copy-uid/19', again }])
      expect(types(decided(statusWritten))).toEqual(['writeStatusBack']);
    expect(types(decided({ of: 'copy-uid/20', again }, now + 300_000))).toEqual(['writeStatusBack']);
    // What goes down goes down.
    const changed = decide(
      observed({ ...source, spec: { size: 'large' } }, copy, sourceObject(), {
        memory: { statusWritten: { of: 'copy-uid/20', again } },
      }),
      settings,
    );
    expect(types(changed)).toEqual(['patch', 'storeSnapshot']);
  });

  it('waits while the copy is being deleted', () => {
    const decision = decide(
      observed(sourceObject({ spec: { size: 'large' } }), copyObject({ metadata: deleting }), sourceObject()),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('progressing:copyToGo');
  });
});

describe('without a memory of what was pushed', () => {
  it('a copy that agrees is only remembered', () => {
    expect(types(decide(observed(sourceObject(), copyObject({ spec: { size: 'small' } }), null), settings))).toEqual([
      'storeSnapshot',
    ]);
  });

  it('what cannot be read is repaired: fields of the source replace those of the copy', () => {
    const decision = decide(
      observed(
        sourceObject({ spec: { size: 'large' }, metadata: { labels: { a: '1' } } }),
        copyObject({ spec: { size: 'small', local: 1 } }),
        null,
        { last: { kind: 'broken' }, remembered: true },
      ),
      settings,
    );
    expect(types(decision)).toEqual(['patch', 'storeSnapshot']);
    expect(action(decision, 'patch').patch).toEqual({
      spec: { size: 'large', local: null },
      metadata: { labels: { a: '1' } },
    });
  });
});

describe('the status', () => {
  it('goes back to the workspace', () => {
    const decision = decide(observed(sourceObject(), copyObject({ status: { phase: 'Ready' } })), settings);
    expect(types(decision)).toEqual(['writeStatusBack']);
    expect(action(decision, 'writeStatusBack').status).toEqual({ phase: 'Ready' });
  });

  it('is taken away where the copy has none', () => {
    expect(
      action(decide(observed(sourceObject({ status: { phase: 'Old' } }), copyObject()), settings), 'writeStatusBack')
        .status,
    ).toBeUndefined();
  });

  it('is not written where a type has no such subresource', () => {
    expect(
      types(
        decide(observed(sourceObject(), copyObject({ status: { phase: 'Ready' } })), { ...settings, status: 'none' }),
      ),
    ).toEqual([]);
  });

  it('that was not stored as sent is not sent again', () => {
    expect(
      types(
        decide(
          observed(sourceObject(), copyObject({ status: { phase: 'Ready' } }), sourceObject(), {
            memory: { statusRefused: 'copy-uid/20' },
          }),
          settings,
        ),
      ),
    ).toEqual([]);
  });

  it('is compared as numbers are meant', () => {
    expect(
      types(decide(observed(sourceObject({ status: { count: 5n } }), copyObject({ status: { count: 5 } })), settings)),
    ).toEqual([]);
  });

  it('of a related object goes the way of its content, even with a change of that', () => {
    const related: PairSettings = { ...settings, marks: undefined, status: 'forward' };
    const decision = decide(
      observed(
        sourceObject({ spec: { size: 'large' }, status: { phase: 'New' } }),
        copyObject({ status: { phase: 'Old' } }),
        sourceObject(),
        { made: 'copy-uid' },
      ),
      related,
    );
    expect(types(decision)).toEqual(['patch', 'storeSnapshot', 'writeStatusForward']);
    expect(action(decision, 'writeStatusForward').status).toEqual({ phase: 'New' });
  });
});

describe('a deletion', () => {
  it('is passed on, and the finalizer stays meanwhile', () => {
    const decision = decide(
      observed(
        sourceObject({ metadata: deleting }),
        copyObject({ metadata: { finalizers: ['operator.example.com/x'] } }),
        sourceObject(),
        { memory: { deletionStands: 'copy-uid' } },
      ),
      settings,
    );
    expect(types(decision)).toEqual(['delete']);
    expect(verdict(decision)).toBe('progressing:copyToGo');
  });

  it('waits for a copy that is going', () => {
    expect(
      types(decide(observed(sourceObject({ metadata: deleting }), copyObject({ metadata: deleting })), settings)),
    ).toEqual([]);
  });

  it('is proven before the finalizer goes', () => {
    const decision = decide(observed(sourceObject({ metadata: deleting }), undefined), settings);
    expect(types(decision)).toEqual(['confirmGone']);
  });

  it('ends with what is remembered, and then the finalizer', () => {
    const source = sourceObject({
      metadata: { ...deleting, finalizers: ['other.example.com/x', 'syncagent.kcp.io/cleanup'] },
    });
    expect(types(decide(observed(source, undefined, source, { memory: { gone: 'copy-uid' } }), settings))).toEqual([
      'forget',
      'releaseFinalizer',
    ]);
    expect(types(decide(observed(source, undefined, null, { memory: { gone: 'copy-uid' } }), settings))).toEqual([
      'releaseFinalizer',
    ]);
  });

  it('takes with it a copy whose object has lost our finalizer', () => {
    expect(
      types(
        decide(
          observed(sourceObject({ metadata: { ...deleting, finalizers: ['other.example.com/x'] } }), copyObject()),
          settings,
        ),
      ),
    ).toEqual(['confirmDeletion']);
  });

  it('has nothing to do where there never was a copy', () => {
    expect(
      types(
        decide(
          observed(sourceObject({ metadata: { ...deleting, finalizers: ['other.example.com/x'] } }), undefined, null),
          settings,
        ),
      ),
    ).toEqual([]);
  });

  it('lets go without the copy where somebody says so', () => {
    const decision = decide(
      observed(
        sourceObject({ metadata: { ...deleting, annotations: { 'hawser.dev/release': 'the cluster is gone' } } }),
        copyObject(),
        null,
      ),
      settings,
    );
    expect(types(decision)).toEqual(['releaseFinalizer']);
  });

  it('finishes for an object that the filter leaves out', () => {
    expect(
      types(
        decide(
          observed(sourceObject({ metadata: deleting }), copyObject(), sourceObject(), { selected: false }),
          settings,
        ),
      ),
    ).toEqual(['confirmDeletion']);
  });

  it('spares a copy that was adopted and never agreed', () => {
    const pending = copyObject({ metadata: { annotations: { 'hawser.dev/adopted': 'pending' } } });
    expect(types(decide(observed(sourceObject({ metadata: deleting }), pending, null), settings))).toEqual([
      'releaseFinalizer',
    ]);
  });
});

describe('an object that is missing', () => {
  it('proves nothing: its copy is an orphan', () => {
    const decision = decide(observed(undefined, copyObject()), settings);
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('orphan');
  });

  it('that was seen being deleted takes its copy with it', () => {
    expect(
      types(decide(observed(undefined, copyObject(), sourceObject(), { memory: { deletionSeen: true } }), settings)),
    ).toEqual(['confirmDeletion']);
    expect(
      types(decide(observed(undefined, undefined, sourceObject(), { memory: { deletionSeen: true } }), settings)),
    ).toEqual(['forget']);
  });
});

describe('the filter', () => {
  it('lets an object alone that it never selected', () => {
    const decision = decide(
      observed(sourceObject({ metadata: { finalizers: undefined } }), undefined, null, { selected: false }),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('notSelected');
  });

  it('keeps the copy of an object that it selects no more, and tells', () => {
    const decision = decide(
      observed(sourceObject({ spec: { size: 'large' } }), copyObject(), sourceObject(), { selected: false }),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('held:NotSelected');
  });

  it('leaves no finalizer on an object without a copy', () => {
    expect(types(decide(observed(sourceObject(), undefined, null, { selected: false }), settings))).toEqual([
      'confirmGone',
    ]);
    expect(
      types(decide(observed(sourceObject(), undefined, null, { selected: false, memory: { gone: 'none' } }), settings)),
    ).toEqual(['releaseFinalizer']);
  });
});

describe('an object that stands where the copy belongs', () => {
  const stranger = copyObject({ spec: { size: 'other' } });
  const occupant = { ...stranger, metadata: { ...copyKey, uid: 'stranger-uid', resourceVersion: '5' } };
  const agreeing = { ...occupant, spec: { size: 'small', extra: 1 } };

  it('is adopted, content untouched, and marked until both agree', () => {
    const decision = decide(observed(sourceObject(), undefined, null, { memory: { occupant } }), settings);
    expect(types(decision)).toEqual(['adopt']);
    expect(action(decision, 'adopt').marks).toEqual({
      labels: marks.labels,
      annotations: { ...marks.annotations, 'hawser.dev/place': 'ws1/copy-of-one', 'hawser.dev/adopted': 'pending' },
    });
  });

  it('that says the same is simply ours', () => {
    const same = { ...occupant, spec: { size: 'small' } };
    expect(
      action(decide(observed(sourceObject(), undefined, null, { memory: { occupant: same } }), settings), 'adopt').marks
        .annotations,
    ).toEqual({ ...marks.annotations, 'hawser.dev/place': 'ws1/copy-of-one' });
  });

  it('that says more is asked about, with no finalizer, and is ours only if the server makes no difference of it', () => {
    const source = sourceObject({ metadata: { finalizers: undefined } });
    const asking = decide(observed(source, undefined, null, { memory: { occupant: agreeing } }), settings);
    expect([types(asking), verdict(asking)]).toEqual([['confirmAgreement'], 'progressing:proof']);
    const { destination, wanted, subresources } = action(asking, 'confirmAgreement');
    const after = (answer: UnstructuredObject): Decision =>
      decide(
        observed(source, undefined, null, {
          memory: { occupant: agreeing, agreement: agreementOf(destination, answer, wanted, subresources) },
        }),
        settings,
      );
    expect(action(after(agreeing), 'adopt').marks.annotations).not.toHaveProperty('hawser.dev/adopted');
    expect(action(after({ ...agreeing, spec: { size: 'small' } }), 'adopt').marks.annotations).toMatchObject({
      'hawser.dev/adopted': 'pending',
    });
    const other = { ...agreeing, spec: { ...agreeing.spec, extra: 2 } };
    expect(
      types(
        decide(
          observed(source, undefined, null, {
            memory: { occupant: other, agreement: agreementOf(destination, agreeing, wanted, subresources) },
          }),
          settings,
        ),
      ),
    ).toEqual(['confirmAgreement']);
  });

  it.each([
    [
      'another source',
      { labels: { ...marks.labels, 'syncagent.kcp.io/remote-object-cluster': 'ws2' } },
      'held:NameTaken',
    ],
    ['another agent', { labels: { 'syncagent.kcp.io/agent-name': 'agent-2' } }, 'held:OtherAgent'],
  ])('and belongs to %s is left alone', (_whose, metadata, expected) => {
    const decision = decide(
      observed(sourceObject({ metadata: { finalizers: undefined } }), undefined, null, {
        memory: { occupant: { ...occupant, metadata: { ...occupant.metadata, ...metadata } } },
      }),
      settings,
    );
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe(expected);
  });

  it.each(['adopt', 'overwrite'] as const)('is waited for while it is being deleted, under %s, too', (adoption) => {
    const going = {
      ...occupant,
      metadata: { ...occupant.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/x'] },
    };
    const decision = decide(observed(sourceObject(), undefined, null, { memory: { occupant: going } }), {
      ...settings,
      adoption,
    });
    expect([types(decision), verdict(decision), decision.requeueAfterMs]).toEqual([[], 'progressing:copyToGo', 60_000]);
  });

  it('is left alone where adoption is refused', () => {
    expect(
      verdict(
        decide(observed(sourceObject(), undefined, null, { memory: { occupant: agreeing } }), {
          ...settings,
          adoption: 'refuse',
        }),
      ),
    ).toBe('held:Occupied');
  });

  describe('once adopted', () => {
    const adopted = copyObject({
      spec: { size: 'other' },
      metadata: { annotations: { 'hawser.dev/adopted': 'pending' } },
      status: { phase: 'Ready' },
    });

    it('keeps its content, tells where it differs, and gives its status', () => {
      const decision = decide(observed(sourceObject(), adopted, null), settings);
      expect(types(decision)).toEqual(['writeStatusBack']);
      expect(verdict(decision)).toBe('held:AdoptedDiffers');
      expect(decision.verdict).toMatchObject({ message: expect.stringContaining('spec.size') });
    });

    it('is synced from the moment at which both agree', () => {
      const decision = decide(observed(sourceObject({ spec: { size: 'other' } }), adopted, null), {
        ...settings,
        status: 'none',
      });
      expect(types(decision)).toEqual(['patch', 'storeSnapshot']);
      expect(action(decision, 'patch').patch).toEqual({ metadata: { annotations: { 'hawser.dev/adopted': null } } });
    });

    it('is overwritten where the PublishedResource says so', () => {
      expect(
        action(decide(observed(sourceObject(), adopted, null), { ...settings, adoption: 'overwrite' }), 'patch').patch,
      ).toMatchObject({ spec: { size: 'small' } });
    });
  });
});

describe('a copy of another agent', () => {
  const theirs = copyObject({ metadata: { labels: { 'syncagent.kcp.io/agent-name': 'agent-2' } } });

  it('is neither written nor deleted', () => {
    for (const source of [sourceObject({ spec: { size: 'large' } }), sourceObject({ metadata: deleting })]) {
      const decision = decide(observed(source, theirs, sourceObject()), settings);
      expect(types(decision)).toEqual([]);
      expect(verdict(decision)).toBe('held:OtherAgent');
    }
  });

  it('stays that, whatever label a user puts on the object', () => {
    const spoofed = sourceObject({ metadata: { labels: { 'syncagent.kcp.io/agent-name': 'agent-2' } } });
    const decision = decide(observed(spoofed, theirs), settings);
    expect([types(decision), verdict(decision)]).toEqual([[], 'held:OtherAgent']);
  });
});

describe('a related object', () => {
  const related: PairSettings = { ...settings, marks: undefined, subresources: [], status: 'none' };

  it('bears no marks', () => {
    const { object } = action(
      decide(observed(sourceObject({ metadata: { labels: { a: '1' } } }), undefined, null), related),
      'create',
    );
    expect(object.metadata).toEqual({ ...copyKey, labels: { a: '1' } });
  });

  it('does not overwrite, finalise or delete what was there before it', () => {
    const before = copyObject({ spec: { size: 'other' } });
    const decision = decide(observed(sourceObject({ metadata: { finalizers: undefined } }), before, null), related);
    expect(types(decision)).toEqual([]);
    expect(verdict(decision)).toBe('held:Occupied');
    expect(types(decide(observed(sourceObject({ metadata: deleting }), before, null), related))).toEqual([
      'releaseFinalizer',
    ]);
  });

  it('of the service cluster has no finalizer, and stays when its source goes', () => {
    const fromService: PairSettings = { ...related, origin: 'service', finalizer: false };
    expect(
      types(decide(observed(sourceObject({ metadata: { finalizers: undefined } }), undefined, null), fromService)),
    ).toEqual(['create', 'storeSnapshot']);
    expect(
      types(
        decide(observed(sourceObject({ metadata: { ...deleting, finalizers: ['x'] } }), copyObject()), fromService),
      ),
    ).toEqual([]);
  });

  it('goes with its primary, its source stays', () => {
    const forced: PairSettings = { ...related, forcedDeletion: true };
    expect(types(decide(observed(sourceObject(), copyObject(), sourceObject(), { made: 'copy-uid' }), forced))).toEqual(
      ['delete'],
    );
    expect(
      types(decide(observed(sourceObject(), undefined, sourceObject(), { memory: { gone: 'copy-uid' } }), forced)),
    ).toEqual(['forget', 'releaseFinalizer']);
    expect(
      types(
        decide(
          observed(sourceObject({ metadata: { finalizers: undefined } }), undefined, null, {
            memory: { gone: 'copy-uid' },
          }),
          forced,
        ),
      ),
    ).toEqual([]);
  });

  it('that a Go agent has written down is deleted only where it shows that an agent wrote it', () => {
    const forced: PairSettings = { ...related, forcedDeletion: true };
    const by = (...managers: readonly string[]): object => ({
      managedFields: managers.map((manager) => ({ manager, operation: 'Update', fieldsV1: { 'f:data': {} } })),
    });
    const decided = (metadata: object, more: Partial<Observed> = {}): readonly string[] =>
      types(decide(observed(sourceObject(), copyObject({ metadata: { ...metadata } }), sourceObject(), more), forced));
    expect(decided({})).toEqual(['confirmWritten']);
    expect(decided({}, { memory: { written: { uid: 'copy-uid', byAgent: true } } })).toEqual(['delete']);
    expect(decided({}, { memory: { written: { uid: 'copy-uid', byAgent: false } } })).toEqual([
      'forget',
      'releaseFinalizer',
    ]);
    expect(decided(by('kubectl', 'api-syncagent'))).toEqual(['delete']);
    expect(decided(by('kubectl'))).toEqual(['forget', 'releaseFinalizer']);
    // It only put its marks on what was there.
    expect(
      decided({ managedFields: [{ manager: 'api-syncagent', operation: 'Update', fieldsV1: { 'f:metadata': {} } }] }),
    ).toEqual(['forget', 'releaseFinalizer']);
    expect(
      decided({
        ...by('api-syncagent'),
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y', controller: true }],
      }),
    ).toEqual(['forget', 'releaseFinalizer']);
    expect(decided(by('api-syncagent'), { made: 'another-uid' })).toEqual(['forget', 'releaseFinalizer']);
  });

  it('keeps its finalizer while another primary needs it', () => {
    const shared: PairSettings = { ...related, forcedDeletion: true };
    expect(
      types(
        decide(
          observed(sourceObject(), undefined, sourceObject(), {
            memory: { gone: 'copy-uid' },
            isNeededByOthers: () => true,
          }),
          shared,
        ),
      ),
    ).toEqual(['forget']);
  });
});

it('the same identity for the tests and the code', () => {
  expect(marks.annotations).toEqual({
    'syncagent.kcp.io/remote-object-namespace': identity.namespace,
    'syncagent.kcp.io/remote-object-name': identity.name,
  });
});
