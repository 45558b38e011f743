import type { Binding } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { routeOf } from './object-route.js';
import { assign, type Routed, rulesOf } from './routes.js';

const api = 'widgets.example.org';

function binding(name: string, connection: string, tier: string, isGoing = false): Binding {
  return {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: 'ClusterBinding',
    metadata: {
      name,
      finalizers: ['core.kbind.io/cleanup'],
      annotations: { 'hawser.dev/object-selector': `tier=${tier}` },
      ...(isGoing ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: { connectionRef: { name: connection }, apis: [{ name: api }] },
  };
}

const gold = binding('gold', 'alpha', 'gold');
const silver = binding('silver', 'beta', 'silver');
const bronze = binding('bronze', 'beta', 'bronze');

interface ObjectState {
  readonly tier?: string;
  /** Null: nothing says so. */
  readonly at?: string | null;
  readonly isDeleted?: boolean;
  readonly marks?: Readonly<Record<string, string>>;
}

/** What it is for the sync of each binding. */
function routes(
  { tier = 'silver', at = 'alpha', isDeleted = false, marks = {} }: ObjectState,
  bindings: readonly Binding[] = [gold, silver, bronze],
): Readonly<Record<string, string>> {
  const object: Routed = {
    metadata: {
      name: 'one',
      namespace: 'team',
      labels: { tier },
      finalizers: ['core.kbind.io/syncer'],
      annotations: { ...(at === null ? {} : { 'hawser.dev/connection': at }), ...marks },
      ...(isDeleted ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
  };
  const rules = rulesOf(api, bindings);
  // Alpha has installed the CRD.
  const assignment = assign(object, rules, 'alpha');
  return Object.fromEntries(
    rules.map(({ key, connection }) => {
      const route = routeOf(object, assignment, rules, { key, connection });
      if (route.kind !== 'served' && route.kind !== 'kept') return [key, route.kind];
      const { waitsFor, ifCopied } = route;
      return [
        key,
        `${route.kind}${waitsFor === undefined ? '' : ', waits'}${ifCopied === undefined ? '' : ', if copied'}`,
      ];
    }),
  );
}

const to = { 'hawser.dev/move-to': 'beta' };
const from = { 'hawser.dev/moved-from': 'alpha' };
const undo = { 'hawser.dev/move-undo': 'beta' };

describe('an object', () => {
  it.each<[string, ObjectState, Readonly<Record<string, string>>]>([
    ['is kept before it moves', {}, { gold: 'kept', silver: 'left', bronze: 'left' }],
    ['gets a copy where it is to move', { marks: to }, { gold: 'kept, waits', silver: 'staged', bronze: 'left' }],
    [
      'gets none where no rule selects it',
      { marks: to, tier: 'iron' },
      { gold: 'kept', silver: 'left', bronze: 'left' },
    ],
    ['gets none where it is already', { marks: to, at: 'beta' }, { gold: 'left', silver: 'served', bronze: 'left' }],
    [
      'loses the new copy first when it is deleted',
      { marks: to, isDeleted: true },
      { gold: 'kept, waits', silver: 'left', bronze: 'released' },
    ],
    ['leaves its old copy', { marks: from, at: 'beta' }, { gold: 'released', silver: 'served, waits', bronze: 'left' }],
    ['does not move after all', { marks: undo }, { gold: 'kept, waits', silver: 'left', bronze: 'released' }],
    ['loses no copy where it is', { marks: from }, { gold: 'kept', silver: 'left', bronze: 'left' }],
    [
      'without its note is for whoever has the copy, and one of each Connection looks',
      { at: null },
      { gold: 'kept, if copied', silver: 'left', bronze: 'unknown' },
    ],
    [
      'without its note, in a move, is not for the one that prepares a copy',
      { at: null, marks: to, tier: 'iron' },
      { gold: 'kept, if copied', silver: 'left', bronze: 'left' },
    ],
    ...[{ 'hawser.dev/move-to': 'alpha' }, from, { 'hawser.dev/move-undo': 'alpha' }].map(
      (marks): [string, ObjectState, Readonly<Record<string, string>>] => [
        `without its note is not served by default where a move is unfinished (${Object.keys(marks).join()})`,
        { at: null, marks },
        { gold: 'left', silver: 'left', bronze: 'unknown' },
      ],
    ),
    [
      'without its note is neither prepared nor let go of anywhere in a move',
      { at: null, marks: { ...to, ...undo } },
      { gold: 'kept, waits, if copied', silver: 'left', bronze: 'left' },
    ],
  ])('%s', (_, state, expected) => {
    expect(routes(state)).toEqual(expected);
  });

  it('loses the new copy when the binding goes that leads there', () => {
    expect(routes({ marks: to }, [gold, binding('silver', 'beta', 'silver', true)])).toEqual({
      gold: 'kept, waits',
      silver: 'released',
    });
  });

  it('is told no Connection where only one is bound', () => {
    expect(routes({ at: null, tier: 'gold' }, [gold])).toEqual({ gold: 'served' });
  });

  it('waits for nothing at a Connection to which no binding leads', () => {
    expect(routes({ marks: from, at: 'beta' }, [silver])).toEqual({ silver: 'served' });
  });

  it('that has been let go of in a move begins without the marks of that', () => {
    const object: Routed = {
      metadata: { name: 'one', namespace: 'team', labels: { tier: 'gold' }, annotations: { ...from, ...undo } },
    };
    const rules = rulesOf(api, [gold, silver]);
    const server = { key: 'gold', connection: 'alpha' };
    expect(routeOf(object, assign(object, rules, 'alpha'), rules, server)).toMatchObject({
      kind: 'served',
      staleMarks: ['hawser.dev/moved-from'],
    });
  });
});
