import type { APIServiceExport, BoundSchemaSpec } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { Assessment } from './assess.js';
import { type Check, decide, type ObservedExport, type ObservedResource } from './decide.js';
import { withHolds } from './held-condition.js';
import { type Hold, holds } from './hold.js';
import type { StatedSchema } from './propagation-caches.js';

const [databases, queues] = ['databases.example.com', 'queues.example.com'];
const spec = {} as BoundSchemaSpec;
const wanted = { spec, hash: 'new' };
const comparison = { changes: [], severity: 'safe' } as unknown as Extract<
  Assessment,
  { kind: 'candidate' }
>['comparison'];
const unchecked: Assessment = { kind: 'candidate', wanted, comparison, check: false };
const checked: Assessment = { kind: 'candidate', wanted, comparison, check: true };
const boundSchema = (name: string): StatedSchema => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'BoundSchema',
  metadata: { name, namespace: 'c' },
  spec,
});
const resource = (assessment: Assessment, name = databases, turn?: Hold): ObservedResource => ({
  resource: name,
  boundSchema: boundSchema(name),
  assessment,
  turn,
  unreadMs: 0,
});
const found: APIServiceExport = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  metadata: { name: 'db', namespace: 'c', uid: 'u' },
  spec: { resources: [], informerScope: 'Cluster', isolation: 'Prefixed' },
};
const seen = (
  resources: readonly ObservedResource[],
  checks: readonly (readonly [string, Check])[] = [],
  reported: readonly Hold[] = [],
): ObservedExport => ({
  key: 'c/db',
  checks: new Map(checks),
  failed: new Set(),
  export: { ...found, status: withHolds(undefined, reported, 0) },
  resources,
  now: 0,
  recheckInMs: 7,
});
const fits = { hash: 'new', verdict: { kind: 'fits' } } as const;
const faults = { hash: 'new', verdict: { kind: 'faults', message: 'One does not fit.' } } as const;
const flows = (name = databases): object => ({
  type: 'letFlow',
  boundSchema: boundSchema(name),
  wanted,
  severity: 'safe',
});

describe('the schemas of an export', () => {
  it('are nobody’s once it is gone', () => {
    expect(decide({ ...seen([resource(unchecked)]), export: undefined })).toEqual({ actions: [], held: [] });
  });

  it('are left alone where they are in step, or not made yet', () => {
    const quiet = { actions: [], held: [], waits: false, requeueAfterMs: undefined };
    expect(decide(seen([]))).toEqual(quiet);
    expect(decide(seen([resource({ kind: 'inStep' })]))).toEqual(quiet);
  });

  it('flow one after the other', () => {
    expect(decide(seen([resource(unchecked), resource(unchecked, queues)]))).toEqual({
      actions: [flows()],
      yields: false,
    });
    expect(decide(seen([resource({ kind: 'inStep' }), resource(unchecked, queues)])).actions).toEqual([flows(queues)]);
  });

  it('let others go first where they are many', () => {
    const many = (count: number): ObservedExport => seen(Array.from({ length: count }, () => resource(unchecked)));
    expect([decide(many(8)).yields, decide(many(9)).yields]).toEqual([false, true]);
  });

  it('are taken back where they are rejected', () => {
    expect(decide(seen([resource({ kind: 'rollBack', wanted, rejected: 'bad' })])).actions).toEqual([
      { type: 'takeBack', boundSchema: boundSchema(databases), wanted, rejected: 'bad' },
    ]);
  });

  it('flow only once the stored objects fit exactly that schema', () => {
    const again = { actions: [], requeueAfterMs: 0, requeuePriority: 'normal' };
    expect(decide(seen([resource(checked)]))).toEqual(again);
    expect(decide(seen([resource(checked)], [[databases, { ...fits, hash: 'another' }]]))).toEqual(again);
    expect(decide(seen([resource(checked)], [[queues, fits]]))).toEqual(again);
    expect(decide(seen([resource(checked)], [[databases, fits]])).actions).toEqual([flows()]);
  });

  it('wait where the CRD changes faster than the objects are read, and hold up no other', () => {
    const paused = { ...resource(checked), unreadMs: 3 };
    const hold = holds.unsettled(databases);
    expect(decide(seen([paused, resource(unchecked, queues)])).actions).toEqual([flows(queues)]);
    expect(decide(seen([paused]))).toMatchObject({ actions: [{ type: 'tellHolds', holds: [hold] }], held: [hold] });
    expect(decide(seen([paused], [], [hold]))).toEqual({ actions: [], held: [hold], waits: true, requeueAfterMs: 3 });
    // What was read in time flows all the same.
    expect(decide(seen([paused], [[databases, fits]])).actions).toEqual([flows()]);
  });

  it('flow although one of them cannot be written', () => {
    const failed = new Set([databases]);
    const all = [resource(unchecked), resource(unchecked, queues)];
    expect(decide({ ...seen(all), failed }).actions).toEqual([flows(queues)]);
    expect(decide({ ...seen(all), failed: new Set([databases, queues]) }).actions).toEqual([]);
  });

  it('wait for their turn, whatever is stored', () => {
    const turn = holds.waits(databases, 'new', 2, 3, 1);
    expect(decide(seen([resource(checked, databases, turn)], [[databases, fits]], [turn]))).toEqual({
      actions: [],
      held: [turn],
      waits: true,
      requeueAfterMs: undefined,
    });
  });

  it.each([
    ['what is assessed as held', resource({ kind: 'held', hold: holds.gone(databases) }), undefined, undefined],
    ['objects that do not fit', resource(checked), faults, 7],
    ['objects that may not be read', resource(checked), { hash: 'new', verdict: { kind: 'unread', message: 'no' } }, 7],
  ] as const)('are held because of %s: that is told once, and waited for', (_, one, check, requeueAfterMs) => {
    const checks = check === undefined ? [] : [[databases, check] as const];
    const reporting = decide(seen([one], checks));
    expect(reporting).toMatchObject({ actions: [{ type: 'tellHolds', holds: reporting.held }] });
    expect(reporting.held).toHaveLength(1);
    expect(decide(seen([one], checks, reporting.held))).toEqual({
      actions: [],
      held: reporting.held,
      waits: true,
      requeueAfterMs,
    });
  });

  it('are told together, after what flows, and no more once nothing is held', () => {
    const gone = resource({ kind: 'held', hold: holds.gone(databases) });
    expect(decide(seen([gone, resource(unchecked, queues)]))).toEqual({ actions: [flows(queues)], yields: false });
    const unusable = holds.unusable(queues, 'No version is served.');
    expect(decide(seen([gone, resource({ kind: 'held', hold: unusable }, queues)])).held).toEqual([
      holds.gone(databases),
      unusable,
    ]);
    const ended = seen([resource({ kind: 'inStep' })], [], [holds.gone(databases)]);
    expect(decide(ended).actions).toEqual([{ type: 'tellHolds', export: ended.export, holds: [] }]);
  });
});
