import { describe, expect, it } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';

import { type BindingPolicy, defaultPolicy, readBindingPolicy } from './binding-policy.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { Observed, PairMemory } from './observed.js';
import { consumerObject, copyObject, observed, ownMarks, settings, terminating } from './testing/snapshots.js';

const under = (pair: Observed, policy: Partial<BindingPolicy> = {}): Decision =>
  decide(pair, { ...settings, policy: { ...defaultPolicy, ...policy } });
const types = (decision: Decision): readonly string[] => decision.actions.map(({ type }) => type);
const reason = ({ verdict }: Decision): string => (verdict.kind === 'held' ? verdict.reason : verdict.kind);

const NAME = 'hawser.dev/consumer-object';
const CLUSTER = 'hawser.dev/consumer-identity';
const named = ownMarks;
const unnamed = Object.fromEntries(Object.entries(ownMarks).filter(([key]) => key !== NAME));
const goMarks = Object.fromEntries(Object.entries(unnamed).filter(([key]) => key !== CLUSTER));
const controller = { apiVersion: 'example.com/v1', kind: 'Cluster', name: 'parent', uid: 'p', controller: true };
const byUser = { deletionProof: { kind: 'byUser' as const } };
const deleted = consumerObject({ size: 'small' }, terminating);
const byKonnector: PairMemory = { maker: { uid: 'copy-uid', isKonnector: true } };
const byOthers: PairMemory = { maker: { uid: 'copy-uid', isKonnector: false } };
const ofOtherOriginal = { otherOriginal: { namespace: 'team-a', name: 'parent' } };
const inherited = (metadata: Record<string, unknown>): UnstructuredObject =>
  copyObject({ size: 'of the child' }, metadata);

describe('a copy', () => {
  it('names cluster, kind, namespace, name and uid of its original from its creation', () => {
    const create = under(observed(consumerObject(), undefined)).actions.find((action) => action.type === 'createCopy');
    expect(create?.type === 'createCopy' && create.object.metadata.annotations).toMatchObject(named);
  });

  it.each<[string, Partial<BindingPolicy>, Observed]>([
    [
      'the object of its place',
      {},
      observed(consumerObject({ size: 'large' }), copyObject({ size: 'small' }, { annotations: named })),
    ],
    [
      'a former object of its place',
      {},
      observed(
        consumerObject({ size: 'large' }, { uid: 'new' }),
        copyObject({ size: 'small' }, { annotations: named }),
      ),
    ],
    [
      'an object in a cluster in whose place this one is',
      { formerClusters: ['cluster-0'] },
      observed(
        consumerObject({ size: 'large' }, { uid: 'new' }),
        copyObject({ size: 'small' }, { annotations: { ...named, [CLUSTER]: 'cluster-0' } }),
      ),
    ],
  ])('that names %s is written', (_, policy, pair) => {
    expect(types(under(pair, policy))).toEqual(['patchCopy']);
  });
});

describe('what stands in the place of a copy with the marks of another object', () => {
  it.each<[string, UnstructuredObject, Partial<Observed>, string, RegExp]>([
    [
      'a child of an operator, by its controller',
      inherited({ annotations: goMarks, ownerReferences: [controller] }),
      {},
      'ForeignCopy',
      /is controlled by Cluster "parent"/u,
    ],
    [
      'one with all the right marks and a controller',
      inherited({ annotations: named, ownerReferences: [controller] }),
      {},
      'ForeignCopy',
      /Cluster "parent"/u,
    ],
    [
      'a child or clone of a copy that names its original',
      inherited({ annotations: { ...named, [NAME]: 'Database.example.com/team-a/parent' } }),
      {},
      'ForeignCopy',
      /marks of another object, Database\.example\.com\/team-a\/parent/u,
    ],
    [
      'a child of another kind with the name of its parent',
      inherited({ annotations: { ...named, [NAME]: 'Cluster.example.com/team-a/one' } }),
      {},
      'ForeignCopy',
      /Cluster\.example\.com\/team-a\/one/u,
    ],
    [
      'a child or clone of a copy of Go, by the uid of another object',
      inherited({ annotations: { ...goMarks, 'kube-bind.io/consumer-uid': 'uid-of-parent' } }),
      ofOtherOriginal,
      'ForeignCopy',
      /Database\.example\.com\/team-a\/parent/u,
    ],
    [
      'the copy of another cluster with the same kubeconfig',
      inherited({ annotations: { ...named, [CLUSTER]: 'cluster-2' } }),
      {},
      'CopyOfAnotherCluster',
      /uid cluster-2.*cluster-1.*kubectl annotate apiservicebinding <binding> --overwrite hawser\.dev\/former-consumer-identity=cluster-2/u,
    ],
  ])('is not a copy: %s', (_, found, more, expected, words) => {
    const alive = under(observed(consumerObject(), found, more), { conflicts: 'Adopt' });
    expect([types(alive), reason(alive)]).toEqual([[], expected]);
    expect(alive.verdict).toMatchObject({ message: expect.stringMatching(words) });
    expect(types(under(observed(deleted, found, { ...more, ...byUser, memory: byKonnector })))).toEqual([
      'removeFinalizer',
    ]);
    const orphan = {
      now: 60_000,
      orphanDeletion: 'allowed' as const,
      deletionProof: { kind: 'byUser' as const, objectGone: true as const },
    };
    for (const memory of [
      { orphanedSince: 0, ...byKonnector },
      { slippedAway: 'consumer-uid', ...byKonnector },
    ]) {
      expect(types(under(observed(undefined, found, { ...more, ...orphan, memory }), { orphans: 'Delete' }))).toEqual(
        [],
      );
    }
  });

  it('is not reported as an orphan, unless it names the very object that is gone', () => {
    const verdictOf = (metadata: Record<string, unknown>, more: Partial<Observed> = {}): Decision['verdict'] =>
      under(observed(undefined, inherited(metadata), more)).verdict;
    expect(verdictOf({ annotations: goMarks, ownerReferences: [controller] })).toEqual({ kind: 'absent' });
    expect(verdictOf({ annotations: goMarks }, ofOtherOriginal)).toEqual({ kind: 'absent' });
    expect(verdictOf({ annotations: { ...named, [CLUSTER]: 'cluster-2' } })).toEqual({ kind: 'absent' });
    expect(verdictOf({ annotations: named, ownerReferences: [controller] })).toMatchObject({
      kind: 'orphan',
      message: expect.stringContaining('Cluster "parent"'),
    });
  });
});

describe('a copy that does not name its original', () => {
  const ofGo = copyObject({ size: 'small' }, { annotations: goMarks });

  it('is taken over by its place, without a write as long as nothing differs', () => {
    expect(under(observed(consumerObject(), ofGo))).toEqual({ actions: [], verdict: { kind: 'inStep' } });
  });

  it('gets the name with its first write if managedFields show that a konnector has made it, and stays as it is otherwise', () => {
    const changed = consumerObject({ size: 'large' });
    expect(types(under(observed(changed, ofGo)))).toEqual(['inspectMaker']);
    const write = (memory: PairMemory): unknown => {
      const [action] = under(observed(changed, ofGo, { memory })).actions;
      return action?.type === 'patchCopy' ? action.annotations[NAME] : action?.type;
    };
    expect(write(byKonnector)).toBe('Database.example.com/team-a/one');
    expect(write(byOthers)).toBeUndefined();
    // What was read is another one.
    expect(write({ maker: { uid: 'former', isKonnector: true } })).toBe('inspectMaker');
  });

  const stands: PairMemory = { deletionStands: { consumer: deleted.metadata.uid, copy: 'copy-uid', at: 0 } };
  it.each<[string, PairMemory, Record<string, string>, readonly string[]]>([
    ['after its managedFields have been read', {}, goMarks, ['inspectMaker']],
    ['if they show that a konnector has made it', byKonnector, goMarks, ['deleteCopy']],
    ['not if they do not', byOthers, goMarks, ['removeFinalizer']],
    [
      'not if it is of a former object and does not name a cluster',
      byKonnector,
      { ...goMarks, 'kube-bind.io/consumer-uid': 'former' },
      ['removeFinalizer'],
    ],
    [
      'only once its object was read live, if it is of another object of this cluster',
      byKonnector,
      { ...unnamed, 'kube-bind.io/consumer-uid': 'former' },
      ['confirmDeletion'],
    ],
    [
      'also for a former object of this cluster',
      { ...byKonnector, ...stands },
      { ...unnamed, 'kube-bind.io/consumer-uid': 'former' },
      ['deleteCopy'],
    ],
    [
      'without a look, if it names its original',
      stands,
      { ...named, 'kube-bind.io/consumer-uid': 'former' },
      ['deleteCopy'],
    ],
  ])('goes with its object %s', (_, memory, annotations, expected) => {
    expect(
      types(under(observed(deleted, copyObject({ size: 'small' }, { annotations }), { ...byUser, memory }))),
    ).toEqual(expected);
  });

  it.each<[string, PairMemory, readonly string[]]>([
    ['first', {}, ['inspectMaker']],
    ['of a konnector', byKonnector, ['deleteCopy']],
    ['of others', byOthers, []],
  ])('goes as an orphan only on the same proof: %s', (_, memory, expected) => {
    const orphan = {
      now: 60_000,
      orphanDeletion: 'allowed' as const,
      deletionProof: { kind: 'byUser' as const, objectGone: true as const },
    };
    expect(
      types(
        under(
          observed(undefined, copyObject({}, { annotations: unnamed }), {
            ...orphan,
            memory: { ...memory, orphanedSince: 0 },
          }),
          { orphans: 'Delete' },
        ),
      ),
    ).toEqual(expected);
    const slipped = under(
      observed(undefined, copyObject({}, { annotations: goMarks }), {
        ...orphan,
        memory: { ...memory, slippedAway: 'consumer-uid' },
      }),
    );
    expect(types(slipped)).toEqual(expected);
    if (expected.length === 0) expect(slipped.verdict.kind).toBe('orphan');
  });
});

it('former clusters stand on the binding, or on the Secret with the kubeconfig', () => {
  const annotations = (value: string): Record<string, string> => ({ 'hawser.dev/former-consumer-identity': value });
  expect(
    readBindingPolicy({
      binding: { annotations: annotations('a, b') },
      secrets: [{ annotations: annotations('c') }, {}],
    }).policy.formerClusters,
  ).toEqual(['a', 'b', 'c']);
});
