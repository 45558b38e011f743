import { type KubeObject, type UnstructuredObject, versionOf } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import fc from 'fast-check';
import { decide } from './decide.js';
import { type ConflictPolicy, defaultPolicy } from '@hawser/konnector-sync';
import type { Decision } from './decision.js';
import type { Side } from './marks.js';
import { type Observed } from './observed.js';
import {
  type Fields,
  NOW,
  OWNER,
  observe,
  ofConsumer,
  ofProvider,
  ours,
  outcomeOf,
  secret,
  settings,
  writtenBy,
} from './testing/secret-pairs.js';

const unclaimed = { claimedBy: { consumer: [], provider: [] } };
/** The watch told that the originals were deleted. */
const watched = { memory: { deleted: { consumer: 'uc', provider: 'up' } } };

describe('where as many objects have come by the claims of a binding as may', () => {
  const full = { full: { binding: 'b', max: 2 }, ...watched };
  it.each<[string, UnstructuredObject | undefined, UnstructuredObject | undefined, string]>([
    ['another one is held, unread and unmarked', undefined, secret('provider'), 'TooManyClaimedObjects'],
    [
      'one that is marked already is held',
      undefined,
      secret('provider', { label: 'provider' }),
      'TooManyClaimedObjects',
    ],
    [
      'one that is there is kept in step',
      secret('consumer', { label: 'provider', annotations: ofProvider, data: {} }),
      secret('provider', { label: 'provider' }),
      'patchCopy consumer',
    ],
    ["the consumer's own are copied", secret('consumer', { label: 'consumer' }), undefined, 'createCopy provider'],
    [
      'a copy whose original is gone goes',
      secret('consumer', { label: 'provider', annotations: { ...ofProvider, ...ours.provider } }),
      undefined,
      'proveGone provider',
    ],
  ])('%s', (_, consumer, provider, expected) => {
    expect(outcomeOf(observe(consumer, provider, { ...full, contents: undefined }))).toBe(
      expected === 'TooManyClaimedObjects' || expected === 'proveGone provider' ? expected : 'read',
    );
    expect(outcomeOf(observe(consumer, provider, full))).toBe(expected);
  });
});

describe('a namespace in which the provider has no place', () => {
  it.each<[string, UnstructuredObject | undefined, UnstructuredObject | undefined, string]>([
    ['gets no object of the provider', undefined, secret('provider'), 'ClaimedNamespaceClosed'],
    [
      'gets none that is marked already',
      undefined,
      secret('provider', { label: 'provider' }),
      'ClaimedNamespaceClosed',
    ],
    [
      'keeps what has come in step',
      secret('consumer', { label: 'provider', annotations: ofProvider, data: {} }),
      secret('provider', { label: 'provider' }),
      'patchCopy consumer',
    ],
    ['gives what the consumer has there', secret('consumer', { label: 'consumer' }), undefined, 'createCopy provider'],
  ])('%s', (_, consumer, provider, expected) => {
    expect(outcomeOf(observe(consumer, provider, { landing: 'closed' }))).toBe(expected);
    expect(outcomeOf(observe(consumer, provider, { landing: 'unknown' }))).toBe(
      expected === 'ClaimedNamespaceClosed' ? 'waits for cache' : expected,
    );
  });
  it('lets nothing be taken over there', () => {
    const decision = decide(
      observe(secret('consumer', { data: { k: 'theirs' } }), secret('provider', { label: 'provider' }), {
        landing: 'closed',
      }),
      settings,
      new Map([['b', { ...defaultPolicy, conflicts: 'Adopt' }]]),
    );
    expect(decision).toMatchObject({ verdict: { kind: 'held', reason: 'ClaimedNamespaceClosed' } });
    expect(decision.actions).toEqual([]);
  });
});

describe('an object of somebody else where a copy would stand', () => {
  const under = (observed: Observed, ...policies: readonly ConflictPolicy[]): string => {
    const byBinding = new Map(
      policies.map((conflicts, at) => [at === 0 ? 'b' : `b${at}`, { ...defaultPolicy, conflicts }]),
    );
    const {
      actions: [action],
      verdict,
    } = decide(observed, settings, byBinding);
    return action === undefined
      ? verdict.kind === 'held'
        ? verdict.reason
        : verdict.kind
      : `${action.type}${'side' in action ? ` ${action.side}` : ''}`;
  };
  const theirs = (fields: Fields = {}, metadata: object = {}): UnstructuredObject => {
    const object = secret('consumer', { data: { k: 'theirs' }, ...fields });
    return { ...object, metadata: { ...object.metadata, ...metadata } };
  };
  const original = secret('provider', { label: 'provider' });

  it('is left alone and told, skipped, or taken over', () => {
    const observed = observe(theirs(), original);
    expect([under(observed), under(observed, 'Fail'), under(observed, 'Skip'), under(observed, 'Adopt')]).toEqual([
      'ClaimedObjectExists',
      'ClaimedObjectExists',
      'notSelected',
      'patchCopy consumer',
    ]);
    expect(
      decide(observed, settings, new Map([['b', { ...defaultPolicy, conflicts: 'Adopt' }]])).actions[0],
    ).toMatchObject({
      wanted: { fields: { data: { k: 'v' } }, labels: { [OWNER]: 'provider' } },
      annotations: { ...ofProvider, ...ours.provider },
    });
    expect(under(observe(secret('consumer', { label: 'consumer' }), secret('provider', { data: {} })), 'Adopt')).toBe(
      'patchCopy provider',
    );
  });

  it('is told with the policy that would take it over, where one would', () => {
    const message = (observed: Observed): string => {
      const { verdict } = decide(observed, settings);
      return verdict.kind === 'held' ? verdict.message : verdict.kind;
    };
    expect(message(observe(theirs(), original, { claimedBy: { consumer: [], provider: ['b', 'b1'] } }))).toMatch(
      /administrator of the consumer cluster sets the conflict policy Adopt: kubectl annotate apiservicebinding b b1 --overwrite hawser\.dev\/conflict-policy=Adopt\.$/u,
    );
    expect(message(observe(secret('consumer', { label: 'consumer' }), secret('provider', { data: {} })))).toContain(
      'Adopt',
    );
    for (const found of [
      theirs({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }] }),
      theirs({ going: true }),
    ])
      expect(message(observe(found, original))).toMatch(/^(?!.*Adopt).*Delete or rename one of the two\.$/u);
  });

  it('is taken over only where each binding that claims the original wants that', () => {
    const observed = observe(theirs(), original, { claimedBy: { consumer: [], provider: ['b', 'b1'] } });
    expect([
      under(observed, 'Adopt', 'Adopt'),
      under(observed, 'Adopt'),
      under(observed, 'Adopt', 'Skip'),
      under(observed, 'Skip', 'Skip'),
    ]).toEqual(['patchCopy consumer', 'ClaimedObjectExists', 'ClaimedObjectExists', 'notSelected']);
  });

  it.each<[string, UnstructuredObject]>([
    [
      'a controller owns',
      theirs({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }] }),
    ],
    ['is on its way out', theirs({ going: true })],
    ['would have to be deleted for it: another type', theirs({ type: 'kubernetes.io/service-account-token' })],
    ['would have to be deleted for it: immutable', theirs({ immutable: true })],
  ])('is never taken over if it %s', (_, found) => {
    expect(under(observe(found, original), 'Adopt')).toBe('ClaimedObjectExists');
  });

  it('is none that bears the marks of others', () => {
    expect(
      under(
        observe(theirs({ annotations: { ...ofProvider, 'hawser.dev/provider-identity': 'x' } }), original),
        'Adopt',
      ),
    ).toBe('ClaimedByAnotherProvider');
  });
});

describe('whose an object is (spec/konnector.md §10.2)', () => {
  it.each<[string, UnstructuredObject | undefined, UnstructuredObject | undefined, string]>([
    ['neither side has it', undefined, undefined, 'absent'],
    ['the consumer has it, unlabelled', secret('consumer'), undefined, 'markOriginal consumer'],
    ['the consumer has it', secret('consumer', { label: 'consumer' }), undefined, 'createCopy provider'],
    ['the provider has it, unlabelled', undefined, secret('provider'), 'markOriginal provider'],
    ['the provider has it', undefined, secret('provider', { label: 'provider' }), 'createCopy consumer'],
    [
      'both, in step',
      secret('consumer', { label: 'consumer' }),
      secret('provider', { label: 'consumer', annotations: ofConsumer }),
      'inStep',
    ],
    [
      'both, the other way, in step',
      secret('consumer', { label: 'provider', annotations: ofProvider }),
      secret('provider', { label: 'provider' }),
      'inStep',
    ],
    [
      'the copy has lost its label',
      secret('consumer', { label: 'consumer' }),
      secret('provider', { annotations: ofConsumer }),
      'patchCopy provider',
    ],
    [
      'the original has lost its label',
      secret('consumer'),
      secret('provider', { label: 'consumer', annotations: ofConsumer }),
      'markOriginal consumer',
    ],
    ['neither is marked', secret('consumer'), secret('provider'), 'ClaimedObjectUndecided'],
    [
      'both are originals by label',
      secret('consumer', { label: 'consumer' }),
      secret('provider', { label: 'provider' }),
      'ClaimedObjectUndecided',
    ],
    [
      'both are copies',
      secret('consumer', { label: 'provider', annotations: ofProvider }),
      secret('provider', { label: 'consumer', annotations: ofConsumer }),
      'ClaimedObjectUndecided',
    ],
    [
      'the consumer had it before',
      secret('consumer'),
      secret('provider', { label: 'provider' }),
      'ClaimedObjectExists',
    ],
    [
      'the provider had it before',
      secret('consumer', { label: 'consumer' }),
      secret('provider'),
      'ClaimedObjectExists',
    ],
    [
      'somebody has labelled it on the consumer',
      secret('consumer', { label: 'provider' }),
      undefined,
      'ClaimedObjectUndecided',
    ],
    [
      'somebody has labelled it on the provider',
      undefined,
      secret('provider', { label: 'consumer' }),
      'ClaimedObjectUndecided',
    ],
    [
      'the original was made anew',
      secret('consumer', { label: 'consumer', uid: 'new' }),
      secret('provider', { label: 'consumer', annotations: ofConsumer }),
      'patchCopy provider',
    ],
    [
      'the copy is of another consumer cluster',
      secret('consumer', { label: 'consumer', uid: 'new' }),
      secret('provider', { label: 'consumer', annotations: { ...ofConsumer, 'hawser.dev/consumer-identity': 'old' } }),
      'ClaimedByAnotherCluster',
    ],
    [
      'the copy is of another consumer cluster, whatever uid it notes',
      secret('consumer', { label: 'consumer' }),
      secret('provider', {
        label: 'consumer',
        annotations: { ...ofConsumer, ...ours.consumer, 'hawser.dev/consumer-identity': 'old' },
      }),
      'ClaimedByAnotherCluster',
    ],
    [
      'the copy of another consumer cluster has no label any more',
      secret('consumer'),
      secret('provider', { annotations: { ...ofConsumer, 'hawser.dev/consumer-identity': 'old' } }),
      'ClaimedByAnotherCluster',
    ],
    [
      'the copy is of another provider',
      secret('consumer', {
        label: 'provider',
        annotations: { ...ofProvider, 'hawser.dev/provider-identity': 'other' },
      }),
      secret('provider', { label: 'provider' }),
      'ClaimedByAnotherProvider',
    ],
    [
      'the copy is of another namespace',
      secret('consumer', { label: 'consumer' }),
      secret('provider', { label: 'consumer', annotations: { ...ofConsumer, 'kube-bind.io/consumer-namespace': 'x' } }),
      'ClaimedByAnotherConsumer',
    ],
  ])('%s', (_, consumer, provider, expected) => {
    expect(outcomeOf(observe(consumer, provider))).toBe(expected);
  });

  describe('that was copied by another consumer cluster with the same kubeconfig', () => {
    const copy = secret('provider', {
      label: 'consumer',
      annotations: { ...ofConsumer, 'hawser.dev/consumer-identity': 'old' },
    });
    const original = secret('consumer', { label: 'consumer', uid: 'new' });
    const under = (observed: Observed, policy: object): Decision =>
      decide(observed, settings, new Map([['b', { ...defaultPolicy, ...policy }]]));

    it('is told with the command that accepts it', () => {
      const { verdict } = decide(observe(original, copy), settings);
      expect(verdict).toMatchObject({
        kind: 'held',
        actor: 'operator',
        message: expect.stringMatching(
          /uid old, and this cluster has uid cc\..*kubectl annotate apiservicebinding b --overwrite hawser\.dev\/former-consumer-identity=old\.$/u,
        ),
      });
    });
    it("becomes this cluster's once its administrator says that it has taken the other one's place, and says so then", () => {
      expect(under(observe(original, copy), { formerClusters: ['older', 'old'] }).actions[0]).toMatchObject({
        type: 'patchCopy',
        annotations: { 'hawser.dev/consumer-identity': 'cc' },
      });
      expect(under(observe(original, copy), { formerClusters: ['older'] }).verdict).toMatchObject({
        reason: 'ClaimedByAnotherCluster',
      });
    });
    it('is not deleted with an object of this cluster, nor because there is none, whatever was accepted', () => {
      const alone = observe(undefined, copy, {
        originalGone: true,
        memory: { deleted: { consumer: 'uc' }, seen: { consumer: 'uc' } },
      });
      expect(under(alone, {}).verdict).toMatchObject({ reason: 'ClaimedByAnotherCluster' });
      expect(under(alone, { formerClusters: ['old'] }).verdict).toMatchObject({ reason: 'ClaimedCopyLeftOver' });
      expect(outcomeOf({ ...alone, ...unclaimed })).toBe('notSelected');
    });
    it('is passed over in silence under the conflict policy Skip', () => {
      expect(under(observe(original, copy), { conflicts: 'Skip' }).verdict).toEqual({ kind: 'notSelected' });
    });
  });

  it("in a namespace that consumers share, a copy with another uid is another's", () => {
    const observed = observe(
      secret('consumer', { label: 'consumer', uid: 'new' }),
      secret('provider', { label: 'consumer', annotations: ofConsumer }),
      { placement: { kind: 'assigned', namespace: 'team' } },
    );
    expect(outcomeOf(observed)).toBe('ClaimedByAnotherConsumer');
  });
});

describe('marks count for the place of the original alone', () => {
  const others = {
    consumer: { ...ofConsumer, ...ours.consumer, 'hawser.dev/consumer-name': 'other' },
    provider: { ...ofProvider, ...ours.provider, 'hawser.dev/provider-name': 'other' },
  };
  const otherNamespace = {
    consumer: { ...ofConsumer, ...ours.consumer, 'kube-bind.io/consumer-namespace': 'x' },
    provider: { ...ofProvider, ...ours.provider, 'kube-bind.io/provider-namespace': 'x' },
  };
  const gone = { originalGone: true };
  const pairOf = (
    side: Side,
    on: UnstructuredObject,
    withOriginal: boolean,
  ): readonly [UnstructuredObject | undefined, UnstructuredObject | undefined] => {
    const original = withOriginal
      ? secret(side === 'consumer' ? 'provider' : 'consumer', { label: side === 'consumer' ? 'provider' : 'consumer' })
      : undefined;
    return side === 'consumer' ? [on, original] : [original, on];
  };
  const owned = (object: UnstructuredObject): UnstructuredObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Database', name: 'db', uid: 'x', controller: true }],
    },
  });

  describe.each<[Side, Side]>([
    ['consumer', 'provider'],
    ['provider', 'consumer'],
  ])('on the %s', (side, from) => {
    const bearing = (annotations: Readonly<Record<string, string>>, isLabelled = true): UnstructuredObject =>
      secret(side, { ...(isLabelled ? { label: from } : {}), annotations });
    it.each<[string, UnstructuredObject]>([
      ['a clone under another name', bearing(others[from])],
      ['one that has lost the label', bearing(others[from], false)],
      ['a clone in another namespace', bearing(otherNamespace[from])],
      [
        'the child of an operator',
        owned(bearing({ ...(from === 'consumer' ? ofConsumer : ofProvider), ...ours[from] })),
      ],
    ])('%s is never deleted, and told where it is claimed', (_, object) => {
      const [consumer, provider] = pairOf(side, object, false);
      expect([
        outcomeOf(observe(consumer, provider, gone)),
        outcomeOf(observe(consumer, provider, { ...gone, ...unclaimed })),
        outcomeOf(
          observe(consumer, provider, { ...gone, memory: { seen: { [from]: from === 'consumer' ? 'uc' : 'up' } } }),
        ),
      ]).toEqual(['ClaimedCopyMisleading', 'notSelected', 'ClaimedCopyMisleading']);
    });
    it.each<[string, UnstructuredObject]>([
      ['a clone', bearing(others[from])],
      [
        'the child of an operator',
        owned(bearing({ ...(from === 'consumer' ? ofConsumer : ofProvider), ...ours[from] })),
      ],
    ])('%s is not written over', (_, object) => {
      const [consumer, provider] = pairOf(side, object, true);
      expect(outcomeOf(observe(consumer, provider))).toBe('ClaimedCopyMisleading');
    });
    it('a clone without the name of an original is known by the uid of one that stands elsewhere', () => {
      const [consumer, provider] = pairOf(
        side,
        bearing({ ...(from === 'consumer' ? ofConsumer : ofProvider), [`kube-bind.io/${from}-uid`]: 'another' }),
        true,
      );
      expect([
        outcomeOf(observe(consumer, provider)),
        outcomeOf(observe(consumer, provider, { cloned: { [side]: true } })),
      ]).toEqual([`patchCopy ${side}`, 'ClaimedCopyMisleading']);
    });
  });
  it('who must act is told, and what it is', () => {
    const { verdict } = decide(
      observe(secret('consumer', { label: 'provider', annotations: others.provider }), undefined),
      settings,
    );
    expect(verdict).toMatchObject({
      kind: 'held',
      actor: 'consumer',
      message: expect.stringContaining(
        'team/s on the consumer is marked as a copy, but these marks belong to the copy of kube-bind-x-team/other',
      ),
    });
  });
});

describe('R12: what no claim selects', () => {
  it.each<[string, UnstructuredObject | undefined, UnstructuredObject | undefined]>([
    ['labelled on the consumer', secret('consumer', { label: 'consumer' }), undefined],
    ['labelled on the provider', undefined, secret('provider', { label: 'provider' })],
    ['undecided', secret('consumer'), secret('provider')],
    [
      'no longer claimed, and changed',
      secret('consumer', { label: 'consumer', data: { k: 'new' } }),
      secret('provider', { label: 'consumer', annotations: ofConsumer }),
    ],
    [
      "another provider's",
      secret('consumer', {
        label: 'provider',
        annotations: { ...ofProvider, 'hawser.dev/provider-identity': 'other' },
      }),
      undefined,
    ],
  ])('is left alone: %s', (_, consumer, provider) => {
    expect(outcomeOf(observe(consumer, provider, unclaimed))).toBe('notSelected');
  });
  it('is left alone where only the copy is still selected', () => {
    expect(
      outcomeOf(
        observe(
          secret('consumer', { label: 'provider', annotations: ofProvider, data: {} }),
          secret('provider', { label: 'provider' }),
          { claimedBy: { consumer: ['b'], provider: [] } },
        ),
      ),
    ).toBe('notSelected');
  });
});

describe('a copy without its original', () => {
  const copy = secret('provider', { label: 'consumer', annotations: { ...ofConsumer, ...ours.consumer } });
  const asked = (more: Partial<Observed>, provider = copy): string =>
    outcomeOf(observe(undefined, provider, { ...watched, ...more }));
  it('goes once the original is proven gone, claimed or not', () => {
    expect([
      asked({}),
      asked(unclaimed),
      asked({ originalGone: true }),
      asked({ ...unclaimed, originalGone: true }),
    ]).toEqual(['proveGone consumer', 'proveGone consumer', 'deleteCopy provider', 'deleteCopy provider']);
    expect(
      outcomeOf(
        observe(
          secret('consumer', { label: 'provider', annotations: { ...ofProvider, ...ours.provider } }),
          undefined,
          { ...watched, originalGone: true },
        ),
      ),
    ).toBe('deleteCopy consumer');
  });
  it('is kept where nothing says whose it is, and told where it is claimed', () => {
    const unmarked = secret('provider', { label: 'consumer', annotations: ofConsumer });
    expect([asked({ originalGone: true }, unmarked), asked(unclaimed, unmarked)]).toEqual([
      'ClaimedCopyLeftOver',
      'notSelected',
    ]);
  });
  it('that does not name its original goes where that was seen before, and a konnector has written the marks', () => {
    const gone: Partial<Observed> = {
      memory: { seen: { consumer: 'uc' }, deleted: { consumer: 'uc' } },
      originalGone: true,
    };
    const copyOf = (managedFields: unknown): UnstructuredObject =>
      secret('provider', { label: 'consumer', annotations: ofConsumer, managedFields });
    expect([
      ...['konnector', 'kube-bind.io', 'kubectl-create'].map((manager) => asked(gone, copyOf(writtenBy(manager)))),
      asked(gone, copyOf(undefined)),
    ]).toEqual(['deleteCopy provider', 'deleteCopy provider', 'ClaimedCopyLeftOver', 'ClaimedCopyLeftOver']);
    expect(asked({ ...gone, ...unclaimed }, copyOf(writtenBy('kubectl-create')))).toBe('notSelected');
    // It is read for that.
    expect(asked({ ...gone, contents: undefined }, copyOf(writtenBy('konnector')))).toBe('read');
    // One that an earlier version of ours has written is in the same case.
    const older = { ...ofConsumer, 'hawser.dev/consumer-identity': 'cc' };
    expect(
      ['kube-bind.io', 'kubectl-create'].map((manager) =>
        asked(
          { originalGone: true },
          secret('provider', { label: 'consumer', annotations: older, managedFields: writtenBy(manager) }),
        ),
      ),
    ).toEqual(['deleteCopy provider', 'ClaimedCopyLeftOver']);
  });
  it('is not a copy where its managedFields came along with its marks: they are older than the object', () => {
    const cloned = secret('provider', {
      label: 'consumer',
      annotations: { ...ofConsumer, 'hawser.dev/consumer-identity': 'cc' },
      managedFields: (writtenBy('kube-bind.io') as readonly object[]).map((entry) => ({
        ...entry,
        time: '2026-01-01T00:00:00Z',
      })),
    });
    const made = (creationTimestamp: string): UnstructuredObject => ({
      ...cloned,
      metadata: { ...cloned.metadata, creationTimestamp },
    });
    expect(
      ['2026-01-01T00:00:01Z', '2026-01-01T01:00:00Z'].map((time) => asked({ originalGone: true }, made(time))),
    ).toEqual(['deleteCopy provider', 'ClaimedCopyLeftOver']);
  });
  describe('whose deletion was not seen', () => {
    const lost = (more: Partial<Observed>): ReturnType<typeof decide> =>
      decide(observe(undefined, copy, { originalGone: true, ...more }), settings);
    it('goes after a minute, and only if the budget allows it', () => {
      const since = (missingSince: number, deletion?: 'allowed' | 'held'): string =>
        outcomeOf(
          observe(undefined, copy, {
            memory: { missingSince, seen: { consumer: 'uc' } },
            deletion,
            originalGone: true,
          }),
        );
      expect([
        since(NOW),
        since(NOW - 59_000, 'allowed'),
        since(NOW - 60_000, 'allowed'),
        since(NOW - 60_000, 'held'),
        since(NOW - 60_000),
      ]).toEqual(['orphan', 'orphan', 'deleteCopy provider', 'orphan', 'orphan']);
      expect(lost({}).requeueAfterMs).toBe(60_000);
      // A person comes back to it, not time.
      const held = lost({ deletion: 'held', memory: { missingSince: 0 } });
      expect(held.requeueAfterMs).toBeUndefined();
      expect(held).toMatchObject({ verdict: { message: expect.stringContaining('It is kept') } });
    });
    it('is another than the one that was seen to go', () => {
      expect(
        outcomeOf(observe(undefined, copy, { memory: { deleted: { consumer: 'another' } }, originalGone: true })),
      ).toBe('orphan');
    });
    it('is told as missing without a live read', () => {
      expect(outcomeOf(observe(undefined, copy, { contents: undefined }))).toBe('orphan');
    });
  });
  it('is kept where it is of another consumer cluster', () => {
    expect(
      asked(
        { originalGone: true },
        secret('provider', { label: 'consumer', annotations: { ...ofConsumer, 'hawser.dev/consumer-identity': 'x' } }),
      ),
    ).toBe('ClaimedByAnotherCluster');
  });
  it('waits while the cache of originals is not filled, or it is going already', () => {
    expect([
      asked({ cacheReady: { consumer: false, provider: true }, originalGone: true }),
      asked(
        { originalGone: true },
        secret('provider', { label: 'consumer', annotations: { ...ofConsumer, ...ours.consumer }, going: true }),
      ),
    ]).toEqual(['waits for cache', 'waits for copyToGo']);
  });
  it('of the provider waits while its namespace is not known', () => {
    expect(
      outcomeOf(
        observe(
          secret('consumer', { label: 'provider', annotations: { ...ofProvider, ...ours.provider } }),
          undefined,
          { placement: { kind: 'unassigned', since: undefined }, originalGone: true },
        ),
      ),
    ).toBe('waits for namespace');
  });
});

describe('a claimed object', () => {
  const original = secret('consumer', { label: 'consumer' });
  const copy = secret('provider', { label: 'consumer', annotations: ofConsumer });
  it('asks for its namespace, and tells when that takes long', () => {
    const since = (at: number | undefined): Partial<Observed> => ({ placement: { kind: 'unassigned', since: at } });
    expect(
      [since(undefined), since(NOW - 1), since(NOW - 40_000)].map((more) =>
        outcomeOf(observe(original, undefined, more)),
      ),
    ).toEqual(['requestNamespace', 'waits for namespace', 'NamespacePending']);
  });
  it('is read before anything is written, and not read while nothing has changed', () => {
    expect(outcomeOf(observe(original, copy, { contents: {} }))).toBe('read');
    expect(
      outcomeOf(
        observe(original, copy, {
          contents: {},
          memory: { inStep: { consumer: versionOf(original), provider: versionOf(copy) } },
        }),
      ),
    ).toBe('inStep');
  });
  it('is not copied while it is being deleted, nor put where a copy is going', () => {
    expect(outcomeOf(observe(secret('consumer', { label: 'consumer', going: true }), undefined))).toBe(
      'waits for originalToGo',
    );
    expect(
      outcomeOf(
        observe(original, secret('provider', { label: 'consumer', annotations: ofConsumer, going: true, data: {} })),
      ),
    ).toBe('waits for copyToGo');
  });
  it('stays where it is if it must not leave', () => {
    expect(outcomeOf(observe(original, undefined, { protection: { consumer: 'because' } }))).toBe(
      'ClaimedObjectProtected',
    );
  });
  it.each(['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'])(
    'stays where it is if it is a %s',
    (type) => {
      expect([
        outcomeOf(observe(secret('consumer', { type }), undefined)),
        outcomeOf(observe(undefined, secret('provider', { type }))),
      ]).toEqual(['ClaimedObjectProtected', 'ClaimedObjectProtected']);
    },
  );
  it('has its copy made anew where it cannot be changed', () => {
    const change = (fields: Fields): string =>
      outcomeOf(
        observe(
          original,
          secret('provider', {
            label: 'consumer',
            annotations: ofConsumer,
            managedFields: writtenBy('konnector'),
            ...fields,
          }),
        ),
      );
    expect([change({ type: 'x' }), change({ immutable: true, data: {} }), change({ data: {} })]).toEqual([
      'deleteCopy provider',
      'deleteCopy provider',
      'patchCopy provider',
    ]);
    // What may be somebody's clone is not deleted for that.
    expect([
      change({ type: 'x', managedFields: writtenBy('kubectl-create') }),
      change({ type: 'x', managedFields: undefined, annotations: { ...ofConsumer, ...ours.consumer } }),
    ]).toEqual(['ClaimedObjectExists', 'deleteCopy provider']);
  });
  it('is put back less and less often', () => {
    const changed = secret('provider', { label: 'consumer', annotations: ofConsumer, data: {} });
    const {
      actions: [action],
    } = decide(observe(original, changed), settings);
    const lastWrite = {
      from: versionOf(original),
      hash: action?.type === 'patchCopy' ? action.hash : '',
      copy: 'older',
      partly: false,
    };
    const memory = { lastWrite, corrections: 4, correctNotBefore: NOW + 5_000 };
    const waits = decide(observe(original, changed, { memory }), settings);
    expect(waits).toMatchObject({
      requeueAfterMs: 5_000,
      verdict: { overdue: { reason: 'ClaimedObjectDrifting' } },
      withheld: [{ type: 'patchCopy' }],
    });
    // And is not read again before that, unless the original has changed.
    expect(
      decide(observe(original, changed, { contents: {}, memory: { ...memory, ...waits.remember } }), settings).actions,
    ).toEqual([]);
    expect(
      outcomeOf(
        observe(secret('consumer', { label: 'consumer', uid: 'new' }), changed, {
          contents: {},
          memory: { ...memory, ...waits.remember },
        }),
      ),
    ).toBe('read');
    expect(outcomeOf(observe(original, changed, { memory: { ...memory, correctNotBefore: NOW } }))).toBe(
      'patchCopy provider',
    );
    expect(
      outcomeOf(observe(original, changed, { memory: { ...memory, lastWrite: { ...lastWrite, hash: 'older' } } })),
    ).toBe('patchCopy provider');
    expect(outcomeOf(observe(original, undefined, { memory }))).toBe('ClaimedObjectDrifting');
  });
  it('loses on its copy only what konnectors wrote', () => {
    const by = (manager: string, key: string): object => ({
      manager,
      operation: 'Update',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { [`f:${key}`]: {} } } },
    });
    const before = secret('provider', {
      label: 'consumer',
      annotations: ofConsumer,
      managedFields: [by('konnector', 'old'), by('somebody', 'theirs')],
    });
    const labelled: KubeObject & UnstructuredObject = {
      ...before,
      metadata: { ...before.metadata, labels: { ...before.metadata.labels, old: 'x', theirs: 'y' } },
    };
    expect(decide(observe(original, labelled), settings).actions[0]).toMatchObject({
      type: 'patchCopy',
      remove: [['metadata', 'labels', 'old']],
    });
  });
});

describe('whatever is observed', () => {
  const side = fc.constantFrom<Side>('consumer', 'provider');
  const annotations = fc.record(
    {
      'kube-bind.io/consumer-namespace': fc.constantFrom('team', 'x'),
      'kube-bind.io/consumer-uid': fc.constantFrom('uc', 'old'),
      'kube-bind.io/provider-namespace': fc.constantFrom('kube-bind-x-team', 'x'),
      'kube-bind.io/provider-uid': fc.constantFrom('up', 'old'),
      'hawser.dev/consumer-identity': fc.constantFrom('cc', 'x'),
      'hawser.dev/provider-identity': fc.constantFrom('cn', 'x'),
      'hawser.dev/consumer-name': fc.constantFrom('s', 'x'),
      'hawser.dev/provider-name': fc.constantFrom('s', 'x'),
    },
    { requiredKeys: [] },
  );
  const fields = fc.record(
    { label: side, annotations, going: fc.boolean(), data: fc.constantFrom({ k: 'v' }, { k: 'w' }) },
    { requiredKeys: [] },
  );
  const any = fc.record({
    consumer: fc.option(fields, { nil: undefined }),
    provider: fc.option(fields, { nil: undefined }),
    claimed: fc.boolean(),
    gone: fc.boolean(),
    seen: fc.boolean(),
    deletion: fc.constantFrom(undefined, 'allowed' as const, 'held' as const),
    placement: fc.constantFrom<Observed['placement']>(
      { kind: 'assigned', namespace: 'kube-bind-x-team' },
      { kind: 'assigned', namespace: 'team' },
      { kind: 'unassigned', since: undefined },
    ),
  });
  const look = ({
    consumer,
    provider,
    claimed,
    gone,
    placement,
    seen,
    deletion,
  }: typeof any extends fc.Arbitrary<infer T> ? T : never): Observed =>
    observe(
      consumer === undefined ? undefined : secret('consumer', consumer),
      provider === undefined ? undefined : secret('provider', provider),
      {
        placement,
        originalGone: gone,
        deletion,
        memory: { missingSince: 0, ...(seen ? watched.memory : {}) },
        ...(claimed ? {} : unclaimed),
      },
    );

  it('nothing is deleted but copies: of originals that are proven gone, with our marks, or to be made anew at once', () => {
    fc.assert(
      fc.property(any, (given) => {
        const observed = look(given);
        const {
          actions: [action],
        } = decide(observed, settings);
        if (action?.type !== 'deleteCopy') return;
        expect(action.why).toBe('originalGone');
        expect(observed.originalGone).toBe(true);
        expect(observed.cached[action.side === 'consumer' ? 'provider' : 'consumer']).toBeUndefined();
        expect(action.copy.metadata.annotations).toMatchObject(
          action.side === 'provider' ? ours.consumer : ours.provider,
        );
        expect(given.seen || given.deletion === 'allowed').toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
  it('nothing leaves a side, or is written to, that is not claimed', () => {
    fc.assert(
      fc.property(any, (given) => {
        const type = decide(look({ ...given, claimed: false }), settings).actions[0]?.type;
        expect(['undefined', 'proveGone', 'deleteCopy']).toContain(String(type));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('claims, where the Go konnector does otherwise', () => {
  roughEdge('R12', 'the label of its owner alone claims no object', () => {
    expect(outcomeOf(observe(secret('consumer', { label: 'consumer' }), undefined, unclaimed))).toBe('notSelected');
  });
  roughEdge('R31', 'it is told when a namespace does not come', () => {
    const waiting = (now: number): string =>
      outcomeOf(
        observe(secret('consumer', { label: 'consumer' }), undefined, {
          placement: { kind: 'unassigned', since: NOW },
          now,
        }),
      );
    expect([waiting(NOW), waiting(NOW + 30_000)]).toEqual(['waits for namespace', 'NamespacePending']);
  });
  roughEdge(
    '§17.7 terminating',
    'what is being deleted is not copied any more',
    () => {
      expect(outcomeOf(observe(undefined, secret('provider', { label: 'provider', going: true })))).toBe(
        'waits for originalToGo',
      );
    },
    'terminating-object-claimed',
  );
});
