import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import fc from 'fast-check';

import type { BindingPolicy } from './binding-policy.js';
import { decide } from './decide.js';
import { hasFinalizer } from './finalizer.js';
import type { DeletionProof, Observed, PairMemory, PairSettings } from './observed.js';
import { belongingOf, isUnowned } from './ownership.js';

const fixed: PairSettings = {
  dialect: kubeBindDialect,
  isolation: 'ServiceNamespace',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'ns-uid',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};
const names = ['spec', 'status', 'data', 'a', 'b', '__proto__', 'constructor', 'toString', ''];

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 'x', '', 9223372036854775807n),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 3 }),
  ),
}));
const marks = fc.record(
  {
    'kube-bind.io/cluster-namespace': fc.constantFrom('kube-bind-x', 'kube-bind-y'),
    'kube-bind.io/consumer-namespace': fc.constantFrom('team-a', 'team-b'),
    'kube-bind.io/consumer-uid': fc.constantFrom('consumer-uid', 'other'),
    'hawser.dev/wanted-hash': fc.constantFrom('', 'x'),
    'hawser.dev/rewritten-hash': fc.constant('x'),
    'hawser.dev/consumer-identity': fc.constantFrom('cluster-1', 'cluster-2', ''),
    'hawser.dev/paused': fc.constantFrom('', 'because'),
    'hawser.dev/consumer-object': fc.constantFrom(
      'Database.example.com/team-a/one',
      'Database.example.com/team-a/two',
      '',
    ),
    'hawser.dev/release': fc.constantFrom('', 'because'),
    'kube-bind.io/provider-namespace': fc.constantFrom('', 'kube-bind-x-team-a'),
    note: fc.constant('hello'),
  },
  { requiredKeys: [] },
);

function object(uid: string): fc.Arbitrary<UnstructuredObject> {
  return fc
    .record({
      top: fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 3 }),
      metadata: fc.record(
        {
          annotations: marks,
          labels: fc.dictionary(fc.constantFrom('tier', '__proto__'), fc.string({ maxLength: 3 })),
          finalizers: fc.subarray(['kubebind.io/syncer', 'other']),
          deletionTimestamp: fc.constant('2026-01-01T00:00:00Z'),
          resourceVersion: fc.constantFrom('1', '2'),
          creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'never'),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ top, metadata }) => ({
      ...top,
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { name: 'one', namespace: 'team-a', uid, ...metadata },
    }));
}

const paths = fc.array(
  fc.array(fc.constantFrom(...names, 'metadata', 'labels', 'annotations', 'tier', 'note'), {
    minLength: 1,
    maxLength: 4,
  }),
  { maxLength: 3 },
);
const settings: fc.Arbitrary<PairSettings> = fc
  .record({
    policy: fc.option(
      fc.record({
        orphans: fc.constantFrom<BindingPolicy['orphans']>('Keep', 'Delete'),
        conflicts: fc.constantFrom<BindingPolicy['conflicts']>('Fail', 'Adopt', 'Skip'),
        drift: fc.constantFrom<BindingPolicy['drift']>('Correct', 'Report', 'Ignore'),
        ignored: paths,
        pause: fc.option(fc.constant({ of: 'binding' as const, reason: 'because' }), { nil: undefined, freq: 4 }),
      }),
      { nil: undefined },
    ),
    boundSince: fc.constantFrom(undefined, 1_000),
    orphanGraceMs: fc.constantFrom(undefined, 0, 3),
    contestedAfter: fc.constantFrom(undefined, 1),
  })
  .map((more) => ({ ...fixed, ...more }));
const proof: fc.Arbitrary<DeletionProof | undefined> = fc.constantFrom<DeletionProof | undefined>(
  undefined,
  { kind: 'byUser' },
  { kind: 'byUser', objectGone: true },
  { kind: 'unbinding' },
  { kind: 'crdTerminating' },
  { kind: 'crdForeign' },
  { kind: 'bindingStands' },
);
const memory: fc.Arbitrary<PairMemory> = fc.record(
  {
    copyGone: fc.constantFrom('copy-uid', 'none'),
    maker: fc.record({ uid: fc.constantFrom('copy-uid', 'other'), isKonnector: fc.boolean() }),
    lastWrite: fc.record({ wantedHash: fc.constant('x'), resourceVersion: fc.constant('1') }),
    deletedByUser: fc.constantFrom('consumer-uid', 'other'),
    correctNotBefore: fc.constantFrom(0, 10),
    corrections: fc.nat({ max: 5 }),
    slippedAway: fc.constantFrom('consumer-uid', 'other'),
    orphanedSince: fc.constantFrom(0, 5),
    corrected: fc.array(fc.record({ at: fc.constantFrom(0, 5), paths }), { maxLength: 2 }),
    previous: fc.constant({
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { name: 'one', namespace: 'team-a' },
      spec: { a: 1 },
    }),
  },
  { requiredKeys: [] },
);
const observed: fc.Arbitrary<Observed> = fc.record({
  consumerKey: fc.constant({ namespace: 'team-a', name: 'one' }),
  consumer: fc.option(object('consumer-uid'), { nil: undefined }),
  placement: fc.constantFrom<Observed['placement']>(
    { kind: 'placed', key: { namespace: 'kube-bind-x-team-a', name: 'one' } },
    { kind: 'unassigned', consumerNamespace: 'team-a' },
    { kind: 'impossible', reason: 'NameTooLong', message: 'no' },
  ),
  copy: fc.option(object('copy-uid'), { nil: undefined }),
  otherOriginal: fc.constantFrom(undefined, undefined, { namespace: 'team-a', name: 'two' }),
  copyCacheReady: fc.boolean(),
  deletionProof: proof,
  orphanDeletion: fc.constantFrom<Observed['orphanDeletion']>(undefined, 'allowed', 'held'),
  memory,
  now: fc.constantFrom(5, 60_000),
});
/** The same, mostly close to a deletion. */
const nearDeletion: fc.Arbitrary<Observed> = fc
  .tuple(
    observed,
    fc.boolean(),
    marks,
    fc.oneof(proof, fc.constant({ kind: 'byUser' as const, objectGone: true as const })),
    fc.constantFrom<Observed['orphanDeletion']>('allowed', 'allowed', 'held', undefined),
  )
  .map(([pair, going, more, deletionProof, orphanDeletion]) => {
    const annotations = {
      'kube-bind.io/cluster-namespace': 'kube-bind-x',
      'kube-bind.io/consumer-namespace': 'team-a',
      'kube-bind.io/consumer-uid': 'consumer-uid',
      'hawser.dev/consumer-identity': 'cluster-1',
      'hawser.dev/consumer-object': 'Database.example.com/team-a/one',
      ...(pair.now === 5 ? {} : more),
    };
    const copy = {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { name: 'one', uid: 'copy-uid', creationTimestamp: '2026-01-01T00:00:00Z', annotations },
    };
    const consumer =
      pair.consumer === undefined
        ? undefined
        : {
            ...pair.consumer,
            metadata: {
              ...pair.consumer.metadata,
              deletionTimestamp: '2026-01-01T00:00:00Z',
              finalizers: ['kubebind.io/syncer'],
            },
          };
    const memory = { ...pair.memory, copyGone: undefined, ...(pair.copyCacheReady ? {} : { slippedAway: undefined }) };
    return {
      ...pair,
      consumer: going ? consumer : undefined,
      copy,
      deletionProof,
      orphanDeletion,
      memory,
      placement: { kind: 'placed' as const, key: { namespace: 'kube-bind-x-team-a', name: 'one' } },
    };
  });

const isOurs = (pair: Observed, all: PairSettings): boolean =>
  pair.copy !== undefined && belongingOf(pair.copy, pair, all).kind === 'ours';

describe('whatever is seen of a pair, under whatever policy', () => {
  it('is decided, without an exception, and the same each time', () => {
    fc.assert(
      fc.property(observed, settings, (pair, all) => {
        expect(decide(pair, all)).toEqual(decide(pair, all));
      }),
      { numRuns: 3_000 },
    );
  });

  it("a copy is deleted only if it is ours, and the consumer object is terminating, or gone, and that is proven to be the user's wish", () => {
    let deletions = { ofTerminating: 0, ofSlipped: 0, ofOrphans: 0 };
    fc.assert(
      fc.property(fc.oneof(observed, nearDeletion, nearDeletion), settings, (pair, all) => {
        for (const action of decide(pair, all).actions) {
          if (action.type !== 'deleteCopy') continue;
          expect(pair.deletionProof?.kind).toBe('byUser');
          expect(isOurs(pair, all)).toBe(true);
          const { annotations = {} } = action.copy.metadata;
          // It names its original, in this cluster, or managedFields show who has made it.
          const isNamed =
            annotations['hawser.dev/consumer-object'] === 'Database.example.com/team-a/one' &&
            annotations['hawser.dev/consumer-identity'] === all.consumerCluster;
          expect(isNamed || pair.memory.maker?.isKonnector).toBe(true);
          expect(pair.otherOriginal).toBeUndefined();
          expect(action.copy.metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false).toBe(
            false,
          );
          if (pair.consumer === undefined) expect(pair.deletionProof).toEqual({ kind: 'byUser', objectGone: true });
          if (pair.consumer !== undefined) {
            expect(pair.consumer.metadata.deletionTimestamp).toBeDefined();
            deletions = { ...deletions, ofTerminating: deletions.ofTerminating + 1 };
          } else if (
            pair.memory.slippedAway !== undefined &&
            pair.memory.slippedAway === annotations['kube-bind.io/consumer-uid']
          ) {
            deletions = { ...deletions, ofSlipped: deletions.ofSlipped + 1 };
          } else {
            expect(all.policy?.orphans).toBe('Delete');
            expect(annotations['hawser.dev/consumer-identity']).toBe(all.consumerCluster);
            expect(pair.orphanDeletion).toBe('allowed');
            expect(Date.parse(action.copy.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(
              all.boundSince ?? 0,
            );
            deletions = { ...deletions, ofOrphans: deletions.ofOrphans + 1 };
          }
        }
      }),
      { numRuns: 8_000 },
    );
    expect(deletions).toEqual({
      ofTerminating: expect.any(Number),
      ofSlipped: expect.any(Number),
      ofOrphans: expect.any(Number),
    });
    for (const count of Object.values(deletions)) expect(count).toBeGreaterThan(0);
  });

  it("a copy that is not ours is neither written nor deleted, unless it is nobody's and the policy is Adopt", () => {
    fc.assert(
      fc.property(observed, settings, (pair, all) => {
        if (pair.copy === undefined || isOurs(pair, all) || pair.memory.copyGone !== undefined) return;
        const types = decide(pair, all).actions.map(({ type }) => type);
        for (const type of ['deleteCopy', 'recordRewritten', 'writeStatus']) expect(types).not.toContain(type);
        if (all.policy?.conflicts !== 'Adopt' || !isUnowned(pair.copy, kubeBindDialect))
          expect(types).not.toContain('patchCopy');
      }),
      { numRuns: 2_000 },
    );
  });

  it('nothing is done for what is paused', () => {
    fc.assert(
      fc.property(observed, settings, (pair, all) => {
        if (all.policy?.pause === undefined && pair.consumer?.metadata.annotations?.['hawser.dev/paused'] === undefined)
          return;
        expect(decide(pair, all).actions).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the finalizer goes last: not while a copy of ours is seen that the user wants deleted', () => {
    fc.assert(
      fc.property(observed, settings, (pair, all) => {
        const { consumer, copy } = pair;
        if (
          consumer === undefined ||
          !hasFinalizer(consumer, kubeBindDialect) ||
          (consumer.metadata.annotations?.['hawser.dev/release'] ?? '') !== ''
        )
          return;
        if (
          pair.deletionProof?.kind !== 'byUser' ||
          pair.placement.kind !== 'placed' ||
          copy === undefined ||
          copy.metadata.uid === pair.memory.copyGone
        )
          return;
        const belonging = belongingOf(copy, pair, all);
        if (belonging.kind !== 'ours' || !belonging.isNamed) return;
        expect(decide(pair, all).actions.map(({ type }) => type)).not.toContain('removeFinalizer');
      }),
      { numRuns: 3_000 },
    );
  });
});
