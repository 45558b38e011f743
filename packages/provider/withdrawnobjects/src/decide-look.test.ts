import type { ClusterBinding } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideLook, openQuestion, type SeenConsumer, type SeenExport } from './decide-look.js';
import type { ExportObject } from './export-object.js';
import type { ObservedExport } from './observed.js';
import { withExportOutcome, withLeft } from './outcome.js';
import {
  aCopy,
  anExport,
  answers,
  batchId,
  databases,
  ended,
  endedExport,
  endRead,
  observed,
  ownerRead,
  copyNamespaces,
  read,
  settings,
} from './testing/observed.js';

const Delete = { 'hawser.dev/withdrawn-objects': 'Delete' };
const finalizers = ['hawser.dev/withdrawn-objects'];
const dying = { finalizers, deletionTimestamp: ended };
const standing = anExport({}, { name: 'standing', uid: 'standing' });
const copy = aCopy('a', copyNamespaces.ofTeam);
const some = (count: number) => ({ count, examples: ['x/a'] });
const binding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster' },
} as ClusterBinding;
const seen = (
  exports: readonly (readonly [ExportObject, Partial<SeenExport>?])[],
  more: Partial<SeenConsumer> = {},
): SeenConsumer => ({
  namespaceEnds: false,
  exports: exports.map(([found]) => found),
  about: (found) => observed({ ...exports.find(([one]) => one === found)?.[1], found }),
  offered: [],
  counts: new Map([[databases, some(0)]]),
  binding,
  date: 0,
  countAgainMs: 7,
  ...more,
});
const proven: Partial<ObservedExport> = {
  reading: read(copy),
  answers: answers(2, copy),
  end: endRead(3, copyNamespaces.ofTeam),
  owners: new Map([[batchId(copyNamespaces.ofTeam), ownerRead(4, copyNamespaces.ofTeam)]]),
};
const next = (all: SeenConsumer): unknown =>
  openQuestion(all, settings)?.type ?? decideLook(all, settings).actions.map(({ type }) => type);

describe('a look at a consumer', () => {
  it('has no action for as long as a question is open', () => {
    const found = endedExport(Delete, dying);
    for (const [of, question] of [
      [{}, 'readCopies'],
      [{ reading: read(copy) }, 'askBudget'],
      [{ ...proven, end: undefined, owners: new Map() }, 'proveEnded'],
      [{ ...proven, owners: new Map() }, 'proveOwner'],
    ] as const) {
      const all = seen([[found, of]]);
      expect(openQuestion(all, settings)).toMatchObject({ type: question, found });
      expect(decideLook(all, settings).actions).toEqual([]);
    }
    const uncounted = seen([[standing]], { offered: ['zones.example.com'], counts: new Map() });
    expect(openQuestion(uncounted, settings)).toEqual({ type: 'countCopies', resource: 'zones.example.com' });
    expect(decideLook(uncounted, settings)).toEqual({ actions: [], requeueAfterMs: 0 });
  });

  it('deletes what is proven, with the export that it is of', () => {
    const found = endedExport(Delete, dying);
    expect(decideLook(seen([[standing], [found, proven]]), settings).actions).toMatchObject([
      { type: 'deleteCopies', found, batch: { copies: [copy] } },
    ]);
  });

  it('tells what there is to say once nothing is left to do, and nothing twice', () => {
    const unknown = { 'hawser.dev/withdrawn-objects': 'delete' };
    const [first, second] = [anExport(unknown), anExport(Delete, { name: 'second', uid: 'second' })];
    expect(decideLook(seen([[first], [second]]), settings).actions).toEqual([{ type: 'setFinalizer', found: second }]);
    const guarded = { ...second, metadata: { ...second.metadata, finalizers } };
    // Before anything is counted, which may fail.
    const uncounted = { offered: ['zones.example.com'], counts: new Map() };
    for (const all of [seen([[first], [guarded]]), seen([[first], [guarded]], uncounted)])
      expect(decideLook(all, settings).actions).toMatchObject([{ type: 'tellExport', found: first }]);
    const quiet = { held: undefined, unproven: [], refused: undefined };
    const conditions = withExportOutcome(undefined, { ...quiet, unknownPolicy: 'delete' }, 0);
    const reported = { ...first, status: { conditions } };
    expect(decideLook(seen([[reported], [guarded]]), settings).actions).toEqual([]);
  });

  it('goes on with other exports where the finalizer of one does not stay, and tries that later', () => {
    const [first, second] = [anExport(Delete), anExport(Delete, { name: 'second', uid: 'second' })];
    const all = seen([[first, { isUndone: true }], [second]]);
    expect(decideLook(all, settings).actions).toEqual([{ type: 'setFinalizer', found: second }]);
    expect(decideLook(seen([[first, { isUndone: true }]]), settings)).toMatchObject({
      actions: [],
      requeueAfterMs: settings.recheckMs,
    });
    const ends = { namespaceEnds: true };
    const dropped = seen([[endedExport(Delete, dying), { ...ends, isUndone: true }]], ends);
    expect(next(dropped)).toEqual(['dropFinalizer']);
    const other = endedExport(Delete, { ...dying, name: 'other', uid: 'other' });
    const both = seen(
      [
        [endedExport(Delete, dying), { ...ends, isUndone: true }],
        [other, ends],
      ],
      ends,
    );
    expect(decideLook(both, settings).actions).toEqual([{ type: 'dropFinalizer', found: other }]);
  });

  it('goes on with everything else where a write for one export fails', () => {
    const unknown = { 'hawser.dev/withdrawn-objects': 'delete' };
    const [first, second] = [anExport(unknown), anExport(unknown, { name: 'second', uid: 'second' })];
    const failed = new Set(['tellExport', 'setFinalizer'] as const);
    const open = seen([[first, { failed }], [second]]);
    expect(decideLook(open, settings).actions).toMatchObject([{ type: 'tellExport', found: second }]);
    const counted = { counts: new Map([[databases, some(2)]]), offered: [databases] };
    expect(next(seen([[{ ...first, spec: { ...first.spec, resources: [] } }, { failed }]], counted))).toEqual([
      'tellLeft',
    ]);
    expect(
      decideLook(seen([[anExport(Delete), { failed }], [anExport(Delete, { uid: 'b' })]]), settings).actions,
    ).toMatchObject([{ type: 'setFinalizer', found: { metadata: { uid: 'b' } } }]);
  });

  it('lets an export go once its copies are gone, after it has said so', () => {
    const found = endedExport(Delete, dying);
    const empty = { reading: read(), answers: answers(2) };
    expect(next(seen([[found, { ...empty, deleted: 3 }]]))).toEqual(['tellDeleted']);
    expect(next(seen([[found, { ...empty, deleted: 0 }]]))).toEqual(['dropFinalizer']);
  });

  it('tells what is left on the ClusterBinding, once, and where there is one', () => {
    const left = new Map([[databases, some(2)]]);
    const all = seen([[anExport({ 'hawser.dev/withdrawn': 'Unbound' })]], { counts: left });
    expect(decideLook(all, settings)).toEqual({ actions: [{ type: 'tellLeft', binding, left }], leftCount: 2 });
    const reported = { ...binding, status: { conditions: withLeft(undefined, left, 0) } } as ClusterBinding;
    const over = { actions: [], leftCount: 2, requeueAfterMs: 7 };
    expect(decideLook({ ...all, binding: reported }, settings)).toEqual(over);
    expect(decideLook({ ...all, binding: undefined }, settings)).toEqual(over);
  });

  it('waits for the first of what it waits for, or for nothing', () => {
    const found = endedExport(Delete, dying);
    const [later, sooner] = [
      { endedSince: 0, now: 1_000 },
      { endedSince: 0, now: 2_000 },
    ];
    const other = endedExport(Delete, { ...dying, uid: 'other' });
    const all = seen([
      [found, later],
      [other, sooner],
    ]);
    expect(decideLook(all, settings)).toEqual({ actions: [], leftCount: 0, requeueAfterMs: 58_000 });
    expect(decideLook(seen([[standing]]), settings)).toEqual({ actions: [], leftCount: 0, requeueAfterMs: undefined });
  });

  it('lets go of what ends with the cluster namespace, and counts nothing there', () => {
    const found = endedExport(Delete, dying);
    const of = { namespaceEnds: true };
    expect(
      next(
        seen(
          [
            [found, of],
            [standing, of],
          ],
          of,
        ),
      ),
    ).toEqual(['dropFinalizer']);
    // Nothing is known of the copies, so what was told of them stays.
    const reported = { ...binding, status: { conditions: withLeft(undefined, new Map([[databases, some(2)]]), 0) } };
    expect(decideLook(seen([[standing, of]], { ...of, binding: reported }), settings)).toEqual({
      actions: [],
      leftCount: 0,
      requeueAfterMs: undefined,
    });
  });
});
