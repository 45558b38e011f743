import type { KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CopyNamespace } from './belonging.js';
import type { Copy } from './copies.js';
import { decideExport } from './decide.js';
import type { Step } from './decision.js';
import type { ExportObject } from './export-object.js';
import type { Attempt, EndReading, ExportSettings, ObservedExport, OwnerReading, Reading } from './observed.js';
import {
  aCopy,
  anExport,
  batchId,
  consumer,
  databases,
  ended,
  namespace,
  ownerRead,
  copyNamespaces,
  settings as fixed,
} from './testing/observed.js';

const allNamespaces: readonly (CopyNamespace | undefined)[] = [...Object.values(copyNamespaces), undefined];
const turn = fc.nat({ max: 8 });
/** Mostly such as is deleted. */
const rarely = <T>(often: T, ...seldom: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: fc.constantFrom(...seldom) });

const exportObject: fc.Arbitrary<ExportObject> = fc
  .record({
    policy: rarely('Delete', 'Keep', 'delete', ''),
    isWithdrawn: fc.boolean(),
    isGoing: rarely(true, false),
    release: rarely('', 'enough'),
    finalizers: fc.subarray(['hawser.dev/withdrawn-objects', 'other']),
    uid: rarely('export-uid', 'another'),
  })
  .map(({ policy, isWithdrawn, isGoing, release, finalizers, uid }) =>
    anExport(
      {
        'hawser.dev/withdrawn-objects': policy,
        'hawser.dev/release': release,
        ...(isWithdrawn ? { 'hawser.dev/withdrawn': 'Unbound' } : {}),
      },
      { finalizers, uid, ...(isGoing ? { deletionTimestamp: ended } : {}) },
    ),
  );
const copy: fc.Arbitrary<Copy> = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    copyNamespace: fc.constantFrom(...allNamespaces),
    isGoing: rarely(false, true),
    identity: rarely<string | undefined>('cluster-1', 'cluster-2', '', undefined),
    obstacle: rarely<Copy['obstacle']>(undefined, 'foreign', 'unnamed'),
  })
  .map(({ name, copyNamespace, ...more }) => aCopy(name, copyNamespace, more));
const copies = fc.uniqueArray(copy, { maxLength: 6, selector: ({ id }) => id });
const liveNamespace: fc.Arbitrary<KubeObject | undefined> = rarely<KubeObject | undefined>(
  namespace(consumer),
  namespace(consumer, {}, { deletionTimestamp: ended }),
  undefined,
);
const endReading: fc.Arbitrary<EndReading> = fc.record({
  turn,
  batch: fc.constantFrom(...allNamespaces.map(batchId)),
  namespace: liveNamespace,
  exports: fc
    .tuple(exportObject, fc.option(exportObject, { nil: undefined, freq: 8 }))
    .map(([one, other]) =>
      other === undefined ? [one] : [one, { ...other, metadata: { ...other.metadata, name: 'second', uid: 'second' } }],
    ),
});
const ownerReadings: fc.Arbitrary<ReadonlyMap<string, OwnerReading>> = fc
  .tuple(
    ...Object.values(copyNamespaces).map((copyNamespace) =>
      fc.option(
        fc.tuple(turn, rarely('true', 'false', 'none')).map(([at, what]): readonly [string, OwnerReading] => {
          const owner =
            what === 'none'
              ? undefined
              : ownerRead(
                  at,
                  what === 'true'
                    ? copyNamespace
                    : {
                        ...copyNamespace,
                        namespace: copyNamespace.isShared ? 'elsewhere' : copyNamespace.namespace,
                        consumerNamespace: 'elsewhere',
                      },
                ).owner;
          return [batchId(copyNamespace), { turn: at, owner }];
        }),
        { nil: undefined, freq: 4 },
      ),
    ),
  )
  .map((some) => new Map(some.filter((one) => one !== undefined)));
const attempts: fc.Arbitrary<ReadonlyMap<string, Attempt>> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...allNamespaces.map(batchId)),
      fc.record({ turn, deleted: fc.nat({ max: 2 }), refused: rarely<string | undefined>(undefined, 'not today') }),
    ),
    { maxLength: 2 },
  )
  .map((some) => new Map(some));
const reading: fc.Arbitrary<Reading | undefined> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(turn, copies)
      .map(([at, some]): Reading => ({ kind: 'read', turn: at, copies: new Map([[databases, some]]) })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reading | undefined>(undefined, { kind: 'refused', turn: 1, message: 'forbidden' }),
  },
);
const settings: fc.Arbitrary<ExportSettings> = fc
  .constantFrom<ExportSettings['policy']>('Keep', 'Delete')
  .map((policy) => ({ ...fixed, policy }));
const observed: fc.Arbitrary<ObservedExport> = fc.record({
  found: exportObject,
  namespaceEnds: rarely(false, true),
  resources: fc.constant([databases]),
  endedSince: fc.constant(0),
  now: rarely(60_000, 59_999, 0),
  reading,
  answers: fc.option(
    fc.record({
      turn,
      of: fc
        .array(
          fc.tuple(
            fc.constantFrom('a', 'b', 'c', 'd'),
            fc.constantFrom(...allNamespaces),
            rarely<'allowed' | 'held' | undefined>('allowed', 'held', undefined),
          ),
        )
        .map((some) => new Map(some.map(([name, copyNamespace, answer]) => [aCopy(name, copyNamespace).id, answer]))),
    }),
    { nil: undefined, freq: 8 },
  ),
  budget: fc.constantFrom(
    { held: undefined, perMinute: 3 },
    { held: { count: 1, token: '1-x', examples: ['a'] }, perMinute: 3 },
  ),
  end: fc.option(endReading, { nil: undefined, freq: 8 }),
  owners: ownerReadings,
  attempts,
  deleted: fc.nat({ max: 2 }),
});
/** The same just before a deletion, unless one thing is amiss. */
const nearDeletion: fc.Arbitrary<ObservedExport> = fc
  .tuple(
    observed,
    fc.constantFrom(...allNamespaces),
    copies,
    fc.boolean(),
    rarely('', 'reading', 'answers', 'end', 'place', 'attempt'),
  )
  .map(([seen, copyNamespace, some, allow, stale]) => {
    const those = some.map((one) =>
      aCopy(one.key.name, copyNamespace, { isGoing: one.isGoing, identity: one.identity, obstacle: one.obstacle }),
    );
    const of = new Map(those.map(({ id }, at) => [id, allow || at > 0 ? ('allowed' as const) : ('held' as const)]));
    return {
      ...seen,
      reading: { kind: 'read', turn: stale === 'reading' ? 9 : 1, copies: new Map([[databases, those]]) },
      answers: { turn: stale === 'answers' ? 0 : 2, of },
      end:
        seen.end === undefined
          ? undefined
          : { ...seen.end, turn: stale === 'end' ? 2 : 5, batch: batchId(copyNamespace) },
      owners:
        copyNamespace === undefined
          ? seen.owners
          : new Map([
              ...seen.owners,
              [
                batchId(copyNamespace),
                { turn: stale === 'place' ? 1 : 6, owner: seen.owners.get(batchId(copyNamespace))?.owner },
              ],
            ]),
      attempts: stale === 'attempt' ? seen.attempts : new Map<string, Attempt>(),
    };
  });

const isStanding = ({ metadata }: ExportObject): boolean =>
  metadata.deletionTimestamp === undefined && (metadata.annotations?.['hawser.dev/withdrawn'] ?? '') === '';
const wantsDeletion = ({ metadata: { annotations = {} } }: ExportObject, policy: string): boolean =>
  (annotations['hawser.dev/withdrawn-objects'] || policy) === 'Delete' && annotations['hawser.dev/release'] === '';

describe('whatever is seen of an export', () => {
  it('is decided, without an exception, and the same each time', () => {
    fc.assert(
      fc.property(observed, settings, (seen, all) => {
        expect(decideExport(seen, all)).toEqual(decideExport(seen, all));
      }),
      { numRuns: 3_000 },
    );
  });

  it('a copy is deleted only without an obstacle, within the budget, and with a proof that was read live after everything else', () => {
    const seenNamespaces = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(observed, nearDeletion, nearDeletion, nearDeletion), settings, (seen, all) => {
        const decision = decideExport(seen, all);
        if (decision.kind !== 'step' || decision.step.type !== 'deleteCopies') return;
        const { batch } = decision.step;
        // What the cache says.
        expect([
          isStanding(seen.found),
          wantsDeletion(seen.found, all.policy),
          seen.namespaceEnds,
          seen.now - seen.endedSince >= all.graceMs,
        ]).toEqual([false, true, false, true]);
        // Each copy.
        const read = seen.reading?.kind === 'read' ? [...seen.reading.copies.values()].flat() : [];
        const clusters = new Set(read.flatMap(({ identity = '' }) => (identity === '' ? [] : [identity])));
        expect(clusters.size).toBe(1);
        expect(batch.copies.length).toBeGreaterThan(0);
        for (const one of batch.copies) {
          expect(read).toContainEqual(one);
          expect([
            one.obstacle,
            one.isGoing,
            one.copyNamespace,
            clusters.has(one.identity ?? ''),
            seen.answers?.of.get(one.id),
          ]).toEqual([undefined, false, batch.copyNamespace, true, 'allowed']);
        }
        // The proof: of this batch, and after the reading, the budget's answer and each deletion.
        const before = Math.max(
          seen.reading?.turn ?? Infinity,
          seen.answers?.turn ?? Infinity,
          ...[...seen.attempts.values()].map((attempt) => attempt.turn),
        );
        expect(seen.answers?.turn).toBeGreaterThan(seen.reading?.turn ?? Infinity);
        expect([...seen.attempts].filter(([id, { refused }]) => id === batch.id || refused !== undefined)).toEqual([]);
        expect(seen.end?.batch).toBe(batch.id);
        expect(seen.end?.turn).toBeGreaterThan(before);
        expect(seen.end?.namespace).toEqual(namespace(consumer));
        const live = seen.end?.exports ?? [];
        expect(live.some((one) => one.metadata.uid === seen.found.metadata.uid && wantsDeletion(one, all.policy))).toBe(
          true,
        );
        expect(live.filter(isStanding)).toEqual([]);
        if (batch.copyNamespace !== undefined && batch.copyNamespace.namespace !== consumer) {
          expect(seen.owners.get(batch.id)?.turn).toBeGreaterThan(before);
          expect(seen.owners.get(batch.id)?.owner).toEqual(ownerRead(0, batch.copyNamespace).owner);
        }
        seenNamespaces.add(batch.id);
      }),
      { numRuns: 12_000 },
    );
    // The property has seen deletions in each place.
    expect([...seenNamespaces].sort()).toEqual(allNamespaces.map(batchId).sort());
  });

  it('the budget is told of all that may go, whenever it is asked', () => {
    fc.assert(
      fc.property(observed, settings, (seen, all) => {
        const decision = decideExport(seen, all);
        if (decision.kind !== 'step' || decision.step.type !== 'askBudget') return;
        const read = seen.reading?.kind === 'read' ? [...seen.reading.copies.values()].flat() : [];
        const clusters = new Set(read.flatMap(({ identity = '' }) => (identity === '' ? [] : [identity])));
        expect(decision.step.copies).toEqual(
          clusters.size > 1
            ? []
            : read.filter((one) => one.obstacle === undefined && !one.isGoing && (one.identity ?? '') !== ''),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it('a deleted export whose copies are to go is let go only after a reading that shows none', () => {
    fc.assert(
      fc.property(observed, settings, (seen, all) => {
        if (seen.namespaceEnds || isStanding(seen.found) || !wantsDeletion(seen.found, all.policy)) return;
        const decision = decideExport(seen, all);
        if (decision.kind !== 'settled' || !decision.conclusions.some(({ type }) => type === 'dropFinalizer')) return;
        expect(seen.reading?.kind === 'read' && [...seen.reading.copies.values()].flat()).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('settles in the end, and deletes no copy twice', () => {
    fc.assert(
      fc.property(
        exportObject,
        copies,
        fc.array(endReading, { minLength: 1 }),
        ownerReadings,
        (found, some, ends, owners) => {
          const deleted: string[] = [];
          let seen: ObservedExport = {
            found,
            namespaceEnds: false,
            resources: [databases],
            endedSince: 0,
            now: 60_000,
            reading: undefined,
            answers: undefined,
            budget: { held: undefined, perMinute: 9 },
            end: undefined,
            owners: new Map(),
            attempts: new Map(),
            deleted: 0,
          };
          for (let at = 1; ; at++) {
            expect(at).toBeLessThan(40);
            const decision = decideExport(seen, fixed);
            if (decision.kind === 'settled') break;
            if (decision.step.type === 'deleteCopies') deleted.push(...decision.step.batch.copies.map(({ id }) => id));
            seen = { ...seen, ...taught(seen, decision.step, at) };
          }
          expect(new Set(deleted).size).toBe(deleted.length);

          function taught(
            { owners: known, attempts: tried }: ObservedExport,
            step: Step,
            at: number,
          ): Partial<ObservedExport> {
            switch (step.type) {
              case 'readCopies':
                return { reading: { kind: 'read', turn: at, copies: new Map([[databases, some]]) } };
              case 'askBudget':
                return { answers: { turn: at, of: new Map(step.copies.map(({ id }) => [id, 'allowed'])) } };
              case 'proveEnded':
                return { end: { ...ends[at % ends.length]!, turn: at, batch: step.batch.id } };
              case 'proveOwner':
                return {
                  owners: new Map([...known, [step.batch.id, { turn: at, owner: owners.get(step.batch.id)?.owner }]]),
                };
              case 'deleteCopies':
                return {
                  attempts: new Map([
                    ...tried,
                    [step.batch.id, { turn: at, deleted: step.batch.copies.length, refused: undefined }],
                  ]),
                };
            }
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
