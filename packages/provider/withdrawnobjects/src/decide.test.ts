import { describe, expect, it } from '@jest/globals';
import type { Copy } from './copies.js';
import { decideExport } from './decide.js';
import type { Conclusion, Step } from './decision.js';
import type { ExportSettings, ObservedExport } from './observed.js';
import {
  aCopy,
  anExport,
  anExportOf,
  answers,
  batchId,
  databases,
  ended,
  endedExport,
  endRead,
  namespace,
  observed,
  ownerRead,
  copyNamespaces,
  read,
  settings,
} from './testing/observed.js';

const decided = (more: Partial<ObservedExport>, all: ExportSettings = settings) => decideExport(observed(more), all);
const stepOf = (more: Partial<ObservedExport>): Step | undefined => {
  const decision = decided(more);
  return decision.kind === 'step' ? decision.step : undefined;
};
const conclusionsOf = (more: Partial<ObservedExport>, all?: ExportSettings): readonly Conclusion[] => {
  const decision = decided(more, all);
  return decision.kind === 'settled' ? decision.conclusions : [];
};
const typesOf = (more: Partial<ObservedExport>, all?: ExportSettings): readonly string[] =>
  conclusionsOf(more, all).map(({ type }) => type);
const leftOf = (more: Partial<ObservedExport>) => {
  const decision = decided(more);
  return decision.kind === 'settled' ? decision.left : undefined;
};
const Delete = { 'hawser.dev/withdrawn-objects': 'Delete' };
const finalizers = ['hawser.dev/withdrawn-objects'];

/** All copies may go, and the batch of namespace `ofTeam` is proven. */
const proven = (...copies: readonly Copy[]): Partial<ObservedExport> => ({
  reading: read(...copies),
  answers: answers(2, ...copies),
  end: endRead(3, copyNamespaces.ofTeam),
  owners: new Map([[batchId(copyNamespaces.ofTeam), ownerRead(4, copyNamespaces.ofTeam)]]),
});
const a = aCopy('a', copyNamespaces.ofTeam);
const b = aCopy('b', copyNamespaces.ofTeam);
const inShop = aCopy('c', copyNamespaces.ofShop);

describe('an export whose copies are kept', () => {
  it.each<[string, Partial<ObservedExport>, readonly string[]]>([
    ['stands under Keep', { found: anExport() }, ['tellExport']],
    ['stands under Delete', { found: anExport(Delete) }, ['tellExport', 'setFinalizer']],
    ['stands under Delete, with its finalizer', { found: anExport(Delete, { finalizers }) }, ['tellExport']],
    [
      'stands under Keep, with a finalizer of before',
      { found: anExport({}, { finalizers }) },
      ['tellExport', 'dropFinalizer'],
    ],
    [
      'stands under a word that is unknown',
      { found: anExport({ 'hawser.dev/withdrawn-objects': 'delete' }) },
      ['tellExport'],
    ],
    [
      'has ended under Keep',
      { found: endedExport({ 'hawser.dev/withdrawn-objects': 'Keep' }) },
      ['tellExport', 'dropFinalizer'],
    ],
    ['is withdrawn under Keep', { found: anExport({ 'hawser.dev/withdrawn': 'Unbound' }) }, ['tellExport']],
    ['is released', { found: endedExport({ 'hawser.dev/release': 'enough' }) }, ['tellExport', 'dropFinalizer']],
    ['is released while it stands', { found: anExport({ ...Delete, 'hawser.dev/release': 'enough' }) }, ['tellExport']],
    ['ends with its cluster namespace', { namespaceEnds: true }, ['dropFinalizer']],
    [
      'is withdrawn while its cluster namespace ends',
      { namespaceEnds: true, found: anExport({ ...Delete, 'hawser.dev/withdrawn': 'Unbound' }, { finalizers }) },
      [],
    ],
    ['has ended a moment ago', { now: 59_999 }, ['tellExport', 'wait']],
  ])('%s', (_, more, types) => {
    expect(typesOf({ ...proven(a), ...more })).toEqual(types);
  });

  it('says which word it does not know', () => {
    const [first] = conclusionsOf({ found: anExport({ 'hawser.dev/withdrawn-objects': 'delete' }) });
    expect(first).toMatchObject({ type: 'tellExport', outcome: { unknownPolicy: 'delete' } });
  });

  it('waits for exactly what is left of the grace time', () => {
    expect(conclusionsOf({ endedSince: 100, now: 20_100 })).toContainEqual({ type: 'wait', ms: 40_000 });
  });

  it('follows the policy of the provider where it has none of its own', () => {
    const found = anExport({}, { finalizers, deletionTimestamp: ended });
    expect(decided({ found }, { ...settings, policy: 'Delete' })).toEqual({
      kind: 'step',
      step: { type: 'readCopies', resources: [databases] },
    });
    expect(typesOf({ found })).toEqual(['tellExport', 'dropFinalizer']);
  });
});

describe('the copies of an ended export', () => {
  it('are read first, then the budget learns of all that may go, then the first batch is proven, then it is deleted', () => {
    expect(stepOf({})).toEqual({ type: 'readCopies', resources: [databases] });
    const reading = read(
      a,
      aCopy('going', copyNamespaces.ofTeam, { isGoing: true }),
      aCopy('foreign', copyNamespaces.ofTeam, { obstacle: 'foreign' }),
      aCopy('nobody', copyNamespaces.ofTeam, { identity: '' }),
      inShop,
    );
    const found = endedExport({ 'hawser.dev/approve-deletions': '2-abc' });
    expect(stepOf({ found, reading })).toEqual({ type: 'askBudget', copies: [a, inShop], approved: '2-abc' });
    const asked = { reading, answers: answers(2, a, inShop) };
    const batch = {
      id: batchId(copyNamespaces.ofTeam),
      resource: databases,
      copyNamespace: copyNamespaces.ofTeam,
      copies: [a],
    };
    expect(stepOf(asked)).toEqual({ type: 'proveEnded', batch });
    expect(stepOf({ ...asked, end: endRead(3, copyNamespaces.ofTeam) })).toEqual({
      type: 'proveOwner',
      batch,
      copyNamespace: copyNamespaces.ofTeam,
    });
    expect(
      stepOf({
        ...asked,
        end: endRead(3, copyNamespaces.ofTeam),
        owners: new Map([[batch.id, ownerRead(4, copyNamespaces.ofTeam)]]),
      }),
    ).toEqual({ type: 'deleteCopies', batch });
  });

  it('are proven for each batch anew, after the deletions of the one before', () => {
    const attempts = new Map([[batchId(copyNamespaces.ofTeam), { turn: 5, deleted: 1, refused: undefined }]]);
    const one = { ...proven(a, inShop), attempts };
    expect(stepOf(one)).toMatchObject({ type: 'proveEnded', batch: { copies: [inShop] } });
    // Read for this batch, but before that deletion.
    const early = new Map([[batchId(copyNamespaces.ofShop), ownerRead(4, copyNamespaces.ofShop)]]);
    expect(stepOf({ ...one, end: endRead(5, copyNamespaces.ofShop), owners: early })).toMatchObject({
      type: 'proveEnded',
    });
    expect(stepOf({ ...one, end: endRead(6, copyNamespaces.ofShop), owners: early })).toMatchObject({
      type: 'proveOwner',
    });
    expect(
      stepOf({
        ...one,
        end: endRead(6, copyNamespaces.ofShop),
        owners: new Map([[batchId(copyNamespaces.ofShop), ownerRead(7, copyNamespaces.ofShop)]]),
      }),
    ).toMatchObject({ type: 'deleteCopies', batch: { copies: [inShop] } });
  });

  it('are proven anew after each twenty in one place', () => {
    const many = Array.from({ length: 45 }, (_, at) => aCopy(`m${at}`, copyNamespaces.ofTeam));
    const sizes: number[] = [];
    let seen: Partial<ObservedExport> = { reading: read(...many), answers: answers(2, ...many) };
    for (let turn = 3; ; turn++) {
      const next = stepOf(seen);
      if (next?.type === 'proveEnded') {
        // Bound again after the second batch.
        seen = {
          ...seen,
          end: {
            ...endRead(turn, copyNamespaces.ofTeam, sizes.length < 2 ? {} : { exports: [anExport(Delete)] }),
            batch: next.batch.id,
          },
        };
      } else if (next?.type === 'proveOwner') {
        seen = {
          ...seen,
          owners: new Map([...(seen.owners ?? []), [next.batch.id, ownerRead(turn, copyNamespaces.ofTeam)]]),
        };
      } else if (next?.type === 'deleteCopies') {
        sizes.push(next.batch.copies.length);
        seen = {
          ...seen,
          attempts: new Map([
            ...(seen.attempts ?? []),
            [next.batch.id, { turn, deleted: next.batch.copies.length, refused: undefined }],
          ]),
        };
      } else break;
    }
    expect(sizes).toEqual([20, 20]);
  });

  it.each<[string, Partial<ObservedExport>]>([
    ['of the end, made before they were read', { end: endRead(1, copyNamespaces.ofTeam) }],
    ['of the end, made before the budget was asked', { end: endRead(2, copyNamespaces.ofTeam) }],
    ['of the end, made for another batch', { end: endRead(3, copyNamespaces.ofShop) }],
    [
      'of the place, made before they were read',
      { owners: new Map([[batchId(copyNamespaces.ofTeam), ownerRead(1, copyNamespaces.ofTeam)]]) },
    ],
    ['of no place', { owners: new Map() }],
  ])('are not deleted with a proof %s', (_, more) => {
    expect(stepOf({ ...proven(a), ...more })?.type).toMatch(/^prove/u);
  });

  it.each<[string, Parameters<typeof endRead>[2]]>([
    ['the cluster namespace is gone', { namespace: undefined }],
    ['the cluster namespace ends', { namespace: namespace('kube-bind-x', {}, { deletionTimestamp: ended }) }],
    ['the export is gone', { exports: [] }],
    ['the export has a successor', { exports: [endedExport({}, { uid: 'another' })] }],
    ['the export stands again', { exports: [anExport(Delete)] }],
    [
      'the export stands again, for another resource',
      { exports: [{ ...anExport(Delete), spec: anExportOf('zones').spec }] },
    ],
    ['the export is released', { exports: [endedExport({ 'hawser.dev/release': 'enough' })] }],
    ['the export has policy Keep', { exports: [endedExport({ 'hawser.dev/withdrawn-objects': 'Keep' })] }],
    [
      'another export stands for the resource',
      { exports: [endedExport(), anExport({}, { name: 'second', uid: 'second' })] },
    ],
  ])('stay where, read live, %s', (_, more) => {
    const outcome = { unknownPolicy: undefined, held: undefined, unproven: [], refused: undefined };
    expect(decided({ ...proven(a, inShop), end: endRead(3, copyNamespaces.ofTeam, more) })).toEqual({
      kind: 'settled',
      conclusions: [
        { type: 'tellExport', outcome },
        { type: 'wait', ms: 600_000 },
      ],
      left: new Map([[databases, { count: 2, examples: ['kube-bind-x-team/a', 'kube-bind-x-shop/c'] }]]),
    });
  });

  it('go though another export of the consumer stands for another resource', () => {
    expect(
      stepOf({
        ...proven(a),
        end: endRead(3, copyNamespaces.ofTeam, { exports: [endedExport(), anExportOf('zones')] }),
      })?.type,
    ).toBe('deleteCopies');
  });

  it("stay in a namespace that is another's by now, and go in the next one", () => {
    const owner = {
      turn: 4,
      owner: namespace('kube-bind-x-team', { 'kube-bind.io/api-service-namespace': 'kube-bind-y/team' }),
    };
    const one = { ...proven(a, inShop), owners: new Map([[batchId(copyNamespaces.ofTeam), owner]]) };
    expect(stepOf(one)).toMatchObject({ type: 'proveEnded', batch: { copies: [inShop] } });
    const gone = { ...proven(a), owners: new Map([[batchId(copyNamespaces.ofTeam), { turn: 4, owner: undefined }]]) };
    expect(decided(gone).kind).toBe('settled');
    // What was read before the copies says nothing, neither for the deletion nor against it.
    expect(
      stepOf({ ...gone, owners: new Map([[batchId(copyNamespaces.ofTeam), { turn: 1, owner: undefined }]]) }),
    ).toMatchObject({ type: 'proveOwner', copyNamespace: copyNamespaces.ofTeam });
  });

  it('are proven by the APIServiceNamespace where the namespace is shared, and by the export alone in the cluster namespace or in none', () => {
    const shared = aCopy('s', copyNamespaces.shared);
    const of = batchId(copyNamespaces.shared);
    const one = { reading: read(shared), answers: answers(2, shared), end: endRead(3, copyNamespaces.shared) };
    expect(stepOf({ ...one, owners: new Map([[of, ownerRead(4, copyNamespaces.shared)]]) })?.type).toBe('deleteCopies');
    expect(
      decided({ ...one, owners: new Map([[of, ownerRead(4, { ...copyNamespaces.shared, namespace: 'elsewhere' })]]) })
        .kind,
    ).toBe('settled');
    for (const copyNamespace of [copyNamespaces.cluster, undefined]) {
      const copy = aCopy('d', copyNamespace);
      const owners = new Map([[batchId(copyNamespace), { turn: 4, owner: undefined }]]);
      for (const known of [undefined, owners])
        expect(
          stepOf({
            reading: read(copy),
            answers: answers(2, copy),
            end: endRead(3, copyNamespace),
            ...(known === undefined ? {} : { owners: known }),
          })?.type,
        ).toBe('deleteCopies');
    }
  });

  it('stay beyond the budget, and where it was not asked since they were read', () => {
    const held = { count: 1, token: '1-abc', examples: [a.id] };
    const [report, wait] = conclusionsOf({
      ...proven(a),
      answers: { turn: 2, of: new Map([[a.id, 'held']]) },
      budget: { held, perMinute: 3 },
    });
    expect(report).toMatchObject({ type: 'tellExport', outcome: { held: { token: '1-abc', perMinute: 3 } } });
    expect(wait).toEqual({ type: 'wait', ms: 600_000 });
    for (const turn of [0, 1]) expect(stepOf({ ...proven(a), answers: answers(turn, a) })?.type).toBe('askBudget');
    expect(decided({ ...proven(a), answers: answers(2) }).kind).toBe('settled');
  });

  it('stay with an obstacle, which is said', () => {
    const foreign = aCopy('f', copyNamespaces.ofTeam, { obstacle: 'foreign' });
    const going = aCopy('h', copyNamespaces.ofTeam, { obstacle: 'foreign', isGoing: true });
    expect(conclusionsOf({ ...proven(a, foreign, going), answers: answers(2) })[0]).toEqual({
      type: 'tellExport',
      outcome: { unknownPolicy: undefined, held: undefined, refused: undefined, unproven: [foreign] },
    });
    const several = [a, aCopy('g', copyNamespaces.ofTeam, { identity: 'cluster-2' })];
    expect(conclusionsOf(proven(...several))[0]).toMatchObject({
      outcome: { unproven: [{ obstacle: 'severalConsumers' }, { obstacle: 'severalConsumers' }] },
    });
    expect(conclusionsOf(proven(aCopy('i', copyNamespaces.ofTeam, { identity: undefined })))[0]).toMatchObject({
      outcome: { unproven: [{ obstacle: 'unidentified' }] },
    });
  });
});

describe('what is left of an ended export', () => {
  const tried = (deleted: number, refused?: string) =>
    new Map([[batchId(copyNamespaces.ofTeam), { turn: 5, deleted, refused }]]);

  it('is looked at soon while copies go, else later', () => {
    expect(conclusionsOf({ ...proven(a, b), attempts: tried(2) })).toContainEqual({ type: 'wait', ms: 5_000 });
    expect(conclusionsOf({ ...proven(a, b), attempts: tried(0) })).toContainEqual({ type: 'wait', ms: 600_000 });
    expect(conclusionsOf(proven(aCopy('g', copyNamespaces.ofTeam, { isGoing: true })))).toContainEqual({
      type: 'wait',
      ms: 5_000,
    });
  });

  it('is told by resource, and of none that has no copies', () => {
    const reading = {
      kind: 'read',
      turn: 1,
      copies: new Map([
        [databases, [a]],
        ['zones.example.com', []],
      ]),
    } as const;
    expect(leftOf({ reading, answers: answers(2) })).toEqual(
      new Map([[databases, { count: 1, examples: ['kube-bind-x-team/a'] }]]),
    );
  });

  it('stays, and the other batches with it, when the API server refuses a deletion', () => {
    const decision = decided({ ...proven(a, inShop), attempts: tried(0, 'not today') });
    expect(decision).toMatchObject({
      kind: 'settled',
      conclusions: [
        { type: 'tellExport', outcome: { refused: 'not today' } },
        { type: 'wait', ms: 600_000 },
      ],
    });
  });

  it('is not taken for nothing when it may not be read', () => {
    const refusal = conclusionsOf({ reading: { kind: 'refused', turn: 1, message: 'forbidden' } });
    expect(refusal).toMatchObject([
      { type: 'tellExport', outcome: { refused: 'forbidden', unproven: [] } },
      { type: 'wait', ms: 600_000 },
    ]);
  });

  it('is nothing: what was deleted is said, and the export let go', () => {
    const nothing = { reading: read(), answers: answers(2) };
    expect(conclusionsOf({ ...nothing, deleted: 2 })).toMatchObject([
      { type: 'tellExport' },
      { type: 'tellDeleted', count: 2 },
      { type: 'dropFinalizer' },
    ]);
    expect(typesOf(nothing)).toEqual(['tellExport', 'dropFinalizer']);
    expect(typesOf({ ...nothing, found: anExport({ ...Delete, 'hawser.dev/withdrawn': 'Unbound' }) })).toEqual([
      'tellExport',
    ]);
    expect(decided(nothing)).toEqual({ kind: 'settled', conclusions: expect.anything() as unknown, left: new Map() });
  });
});
