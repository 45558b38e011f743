import { type UnstructuredObject, versionOf } from '@hawser/client';
import { type ConflictPolicy, defaultPolicy } from '@hawser/konnector-sync';
import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import { klutchMarks } from './klutch-marks.js';
import type { Side } from './marks.js';
import { type Observed, type PairSettings } from './observed.js';
import {
  type Fields,
  NOW,
  observe,
  ofConsumer,
  ofProvider,
  ours,
  outcomeOf,
  secret,
  settings,
} from './testing/secret-pairs.js';

const klutch: PairSettings = { ...settings, marks: klutchMarks };
const under = (conflicts: ConflictPolicy): ReadonlyMap<string, typeof defaultPolicy> =>
  new Map([['b', { ...defaultPolicy, conflicts }]]);
const messageOf = (observed: Observed, of = settings): string => {
  const { verdict } = decide(observed, of);
  return verdict.kind === 'held' ? verdict.message : verdict.kind;
};
const others = { memory: { deleted: { consumer: 'uc', provider: 'up' } }, originalGone: true } as const;

describe('where both sides have an object and only one is claimed', () => {
  const claimed = (side: Side): Partial<Observed> => ({ claimedBy: { consumer: [], provider: [], [side]: ['b'] } });
  /** In the words of Klutch, whose marks always name an owner. */
  const marked = (side: Side, owner: 'Consumer' | 'Provider' | undefined, data: string): UnstructuredObject =>
    secret(side, {
      data: { k: data },
      ...(owner === undefined ? {} : { annotations: { 'klutch.anynines.com/resource-owner': owner } }),
    });
  it.each<[string, UnstructuredObject, UnstructuredObject, PairSettings, Partial<Observed>]>([
    [
      "the provider's says that it is the provider's",
      secret('consumer', { data: { k: 'w' } }),
      secret('provider', { label: 'provider' }),
      settings,
      claimed('consumer'),
    ],
    [
      "the consumer's says that it is the consumer's",
      secret('consumer', { label: 'consumer' }),
      secret('provider', { data: { k: 'w' } }),
      settings,
      claimed('provider'),
    ],
    [
      "the provider's says that it is the provider's, as in Klutch",
      marked('consumer', undefined, 'v'),
      marked('provider', 'Provider', 'w'),
      klutch,
      claimed('consumer'),
    ],
    [
      "the consumer's says that it is the consumer's, as in Klutch",
      marked('consumer', 'Consumer', 'v'),
      marked('provider', undefined, 'w'),
      klutch,
      claimed('provider'),
    ],
  ])('neither is told nor taken over: %s', (_, consumer, provider, of, more) => {
    for (const conflicts of ['Fail', 'Adopt'] as const)
      expect(outcomeOf(observe(consumer, provider, more), under(conflicts), of)).toBe('notSelected');
  });
  it("none is taken over that says that it is its own side's", () => {
    const [consumer, provider] = [marked('consumer', 'Consumer', 'v'), marked('provider', 'Provider', 'w')];
    expect(outcomeOf(observe(consumer, provider), under('Adopt'), klutch)).toBe('ClaimedObjectExists');
    expect(messageOf(observe(consumer, provider), klutch)).not.toContain('conflict policy');
  });
  it('none is taken over that has the label of a copy and nothing else of one', () => {
    expect(
      outcomeOf(
        observe(secret('consumer', { label: 'consumer' }), secret('provider', { label: 'consumer', data: {} })),
        under('Adopt'),
      ),
    ).toBe('ClaimedObjectExists');
  });
});

describe('a copy without its original', () => {
  const nowhere = { kind: 'unassigned', since: undefined } as const;
  it('on the provider goes on proof, although the provider no longer says which namespace it is', () => {
    expect(
      outcomeOf(
        observe(
          undefined,
          secret('provider', { label: 'consumer', annotations: { ...ofConsumer, ...ours.consumer } }),
          { ...others, placement: nowhere },
        ),
      ),
    ).toBe('deleteCopy provider');
  });
  it.each<[string, Side, Fields, string]>([
    [
      "another provider's is told",
      'consumer',
      { label: 'provider', annotations: { ...ofProvider, 'hawser.dev/provider-identity': 'other' } },
      'ClaimedByAnotherProvider',
    ],
    [
      "another consumer's is the provider's business",
      'provider',
      { label: 'consumer', annotations: { ...ofConsumer, 'kube-bind.io/consumer-namespace': 'x' } },
      'notSelected',
    ],
  ])('%s, on the %s', (_, side, fields, expected) => {
    const object = secret(side, fields);
    expect(
      outcomeOf(side === 'consumer' ? observe(object, undefined, others) : observe(undefined, object, others)),
    ).toBe(expected);
  });
  it('of which nothing says whose it is is told once its original is known to be missing', () => {
    const copy = secret('provider', { label: 'consumer', annotations: ofConsumer });
    expect([
      outcomeOf(observe(undefined, copy)),
      outcomeOf(observe(undefined, copy, { cacheReady: { consumer: false, provider: true } })),
    ]).toEqual(['ClaimedCopyLeftOver', 'notSelected']);
    const onConsumer = secret('consumer', { label: 'provider', annotations: ofProvider });
    expect([
      outcomeOf(observe(onConsumer, undefined)),
      outcomeOf(observe(onConsumer, undefined, { placement: nowhere })),
    ]).toEqual(['ClaimedCopyLeftOver', 'notSelected']);
  });
  it('that names no uid waits for its original to come back: no deletion was seen', () => {
    const copy = secret('provider', {
      annotations: {
        'klutch.anynines.com/resource-owner': 'Consumer',
        'kube-bind.io/consumer-namespace': 'team',
        ...ours.consumer,
      },
    });
    expect(outcomeOf(observe(undefined, copy, { originalGone: true }), undefined, klutch)).toBe('orphan');
    expect(
      outcomeOf(
        observe(undefined, copy, {
          originalGone: true,
          memory: { seen: { consumer: 'uc' }, deleted: { consumer: 'uc' } },
        }),
        undefined,
        klutch,
      ),
    ).toBe('deleteCopy provider');
  });
});

describe('what is told', () => {
  const theirs = secret('provider', {
    label: 'consumer',
    annotations: { ...ofConsumer, 'hawser.dev/consumer-identity': 'old' },
  });
  it.each<[string, UnstructuredObject | undefined, Observed['claimedBy']]>([
    ['consumer', secret('consumer', { label: 'consumer' }), { consumer: ['c'], provider: [] }],
    ['provider', undefined, { consumer: [], provider: ['c'] }],
  ])("of another cluster's copy names the binding whose claims are on the %s", (_, consumer, claimedBy) => {
    expect(messageOf(observe(consumer, theirs, { claimedBy }))).toContain(
      'kubectl annotate apiservicebinding c --overwrite hawser.dev/former-consumer-identity=old',
    );
  });
  it('of a clone names what it is a clone of, as far as it says', () => {
    const clone = (annotations: Readonly<Record<string, string>>): string =>
      messageOf(
        observe(
          undefined,
          secret('provider', { label: 'consumer', annotations: { 'kube-bind.io/consumer-uid': 'uc', ...annotations } }),
          { cloned: { provider: true } },
        ),
      );
    expect([clone({}), clone({ 'kube-bind.io/consumer-namespace': 'team' })]).toEqual([
      expect.stringContaining('these marks belong to another object. '),
      expect.stringContaining('these marks belong to the copy of team. '),
    ]);
  });
  it('of a child names the owner that is its controller', () => {
    const child = secret('provider', { label: 'consumer', annotations: { ...ofConsumer, ...ours.consumer } });
    const owner = (name: string, controller: boolean): object => ({
      apiVersion: 'v1',
      kind: 'Database',
      name,
      uid: name,
      controller,
    });
    const metadata = { ...child.metadata, ownerReferences: [owner('user', false), owner('maker', true)] as never };
    expect(messageOf(observe(undefined, { ...child, metadata }))).toContain(
      'Database "maker" owns it as its controller',
    );
  });
});

describe('a claimed object', () => {
  const original = secret('consumer', { label: 'consumer' });
  const ofProviders = secret('provider', { label: 'provider' });
  const stale = secret('provider', { label: 'consumer', annotations: ofConsumer, data: {} });
  const unlisted = { cacheReady: { consumer: false, provider: false } };
  it('keeps its copy in step while it is being deleted', () => {
    expect(outcomeOf(observe(secret('consumer', { label: 'consumer', going: true }), stale))).toBe(
      'patchCopy provider',
    );
  });
  it('is not copied before the other side has been listed: a copy may be there', () => {
    expect([
      outcomeOf(observe(original, undefined, unlisted)),
      outcomeOf(observe(undefined, ofProviders, unlisted)),
    ]).toEqual(['waits for cache', 'waits for cache']);
    expect(outcomeOf(observe(original, stale, unlisted))).toBe('patchCopy provider');
  });
  it('takes nothing over before it is known whether its namespace is open', () => {
    const found = observe(secret('consumer', { data: { k: 'theirs' } }), ofProviders, { landing: 'unknown' });
    expect(outcomeOf(found, under('Adopt'))).toBe('waits for cache');
    expect(outcomeOf({ ...found, landing: 'open' }, under('Adopt'))).toBe('patchCopy consumer');
  });
  it('is copied again where its copy is gone, whatever was remembered of that', () => {
    const from = versionOf(original);
    const memory = {
      inStep: { consumer: from, provider: versionOf(stale) },
      parked: { from, until: NOW + 60_000, verdict: { kind: 'inStep', owner: 'consumer' } },
    } as const;
    expect(outcomeOf(observe(original, undefined, { memory }))).toBe('createCopy provider');
    expect(outcomeOf(observe(original, stale, { memory }))).toBe('inStep');
  });
  it('makes its export an owner of the namespace once a copy is there, and not before', () => {
    expect([
      outcomeOf(observe(original, undefined, { unshared: 'b' })),
      outcomeOf(observe(original, stale, { unshared: 'b' })),
    ]).toEqual(['createCopy provider', 'shareNamespace']);
  });
  it('is read again as soon as its copy has another version', () => {
    const inStep = { consumer: versionOf(original), provider: 'up/0' };
    expect(outcomeOf(observe(original, stale, { contents: {}, memory: { inStep } }))).toBe('read');
    expect(
      outcomeOf(
        observe(original, stale, {
          contents: {},
          memory: { inStep: { consumer: 'uc/0', provider: versionOf(stale) } },
        }),
      ),
    ).toBe('read');
  });
  it.each<[string, UnstructuredObject | undefined, readonly Side[]]>([
    ['it alone', undefined, ['consumer']],
    ['both', stale, ['consumer', 'provider']],
  ])('is read with its copy before anything is written: %s', (_, copy, sides) => {
    for (const contents of [{}, copy === undefined ? {} : { consumer: original }])
      expect(decide(observe(original, copy, { contents }), settings).actions).toEqual([{ type: 'read', sides }]);
  });
  it('is read again where what was read is not what the cache has by now', () => {
    const older = (object: UnstructuredObject): UnstructuredObject => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion: '0' },
    });
    expect(outcomeOf(observe(original, stale, { contents: { consumer: older(original), provider: stale } }))).toBe(
      'read',
    );
    expect(outcomeOf(observe(original, stale, { contents: { consumer: original, provider: older(stale) } }))).toBe(
      'read',
    );
    expect(outcomeOf(observe(original, undefined, { contents: { consumer: original, provider: stale } }))).toBe(
      'createCopy provider',
    );
  });
  it.each<[string, string]>([
    ['example.com/v1', 'Secret'],
    ['v1', 'Event'],
  ])('is copied, whatever type it says, where it is not a Secret of the cluster: %s %s', (apiVersion, kind) => {
    expect(
      outcomeOf(
        observe(
          {
            ...secret('consumer', { label: 'consumer', type: 'kubernetes.io/service-account-token' }),
            apiVersion,
            kind,
          },
          undefined,
        ),
      ),
    ).toBe('createCopy provider');
  });
  it('waits with its copy that keeps being deleted, and no longer once it has changed', () => {
    const memory = {
      corrections: 1,
      correctNotBefore: NOW + 5_000,
      lastWrite: { from: versionOf(original), hash: 'h', copy: 'up/1', partly: false },
    };
    expect(outcomeOf(observe(original, undefined, { memory }))).toBe('waits for backoff');
    expect(
      outcomeOf(
        observe(original, undefined, { memory: { ...memory, lastWrite: { ...memory.lastWrite, from: 'uc/0' } } }),
      ),
    ).toBe('createCopy provider');
  });
  it('rests while it is parked, and no longer', () => {
    const parked = (until: number): string =>
      outcomeOf(
        observe(original, stale, {
          contents: {},
          memory: { parked: { from: versionOf(original), until, verdict: { kind: 'inStep', owner: 'consumer' } } },
        }),
      );
    expect([parked(NOW + 1), parked(NOW)]).toEqual(['inStep', 'read']);
  });
});
