import type {
  APIServiceBinding,
  APIServiceExport,
  BoundSchema,
  Condition,
  CustomResourceDefinition,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import {
  type ObservedReport,
  asksForFate,
  decideDeparture,
  decideExport,
  decideSchemas,
  isServedByOtherConnection,
  isFullyReported,
  isUnbound,
} from './decide-report.js';
import type { ExportSnapshot, ResourceSnapshot } from './plan-syncs.js';

const lastTransitionTime = '2026-01-01T00:00:00Z';
const [databases, queues] = ['databases.example.com', 'queues.example.com'];
const binding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'db', uid: 'b' },
} as APIServiceBinding;
const owned = {
  metadata: {
    name: databases,
    ownerReferences: [{ apiVersion: binding.apiVersion, kind: binding.kind, name: 'db', uid: 'b', controller: true }],
  },
  status: { conditions: [{ type: 'Established', status: 'True', lastTransitionTime }] },
} as unknown as CustomResourceDefinition;
const exportWith = (conditions: readonly Condition[] = []): APIServiceExport => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  metadata: { name: 'db', namespace: 'c' },
  spec: { resources: [], informerScope: 'Cluster', isolation: 'Prefixed' },
  status: { conditions },
});
const connected: Condition = { type: 'Connected', status: 'True', lastTransitionTime };
const resource = (name: string, more: Partial<ResourceSnapshot> = {}, established = false): ResourceSnapshot => ({
  name,
  schema: {
    kind: 'found',
    schema: {
      metadata: { name },
      status: { conditions: established ? [{ type: 'Established', status: 'True', lastTransitionTime }] : [] },
    } as unknown as BoundSchema,
  },
  crd: undefined,
  providerScope: 'Namespaced',
  ...more,
});
const seen = (snapshot: Partial<ExportSnapshot> = {}, more: Partial<ObservedReport> = {}): ObservedReport => ({
  snapshot: { export: exportWith(), binding, resources: [resource(databases)], ...snapshot },
  scopeProblem: undefined,
  answers: new Map(),
  shared: new Set(),
  isCached: true,
  hasLeft: false,
  fate: undefined,
  ...more,
});
const unbound = { binding: undefined } as const;

describe('the schemas of an export', () => {
  it('are reported on where it is bound', () => {
    const observed = seen({ resources: [resource(databases, { crd: owned }), resource(queues)] });
    expect(decideSchemas(observed).reports.map(({ key }) => key)).toEqual([`schema/${databases}`, `schema/${queues}`]);
    expect(decideSchemas({ ...observed, snapshot: { ...observed.snapshot, ...unbound } }).reports).toEqual([]);
  });

  it('say what the CRD of the binding says, and what has become of the schema', () => {
    const answers = new Map([[databases, { kind: 'applied', hash: 'h' } as const]]);
    const [report] = decideSchemas(seen({ resources: [resource(databases, { crd: owned })] }, { answers })).reports;
    const conditions = report?.statusOf(undefined, 0).conditions ?? [];
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual(
      expect.arrayContaining(['SchemaApplied True', 'Established True']),
    );
  });

  it('are spoken for by the export that has them, where several name them', () => {
    const shared = new Set([databases]);
    expect(decideSchemas(seen({}, { shared })).reports).toEqual([]);
    expect(decideSchemas(seen({ resources: [resource(databases, { crd: owned })] }, { shared })).reports).toHaveLength(
      1,
    );
  });

  it('that cannot be read are told of on the export, with what else went wrong', () => {
    const unreadable = resource(databases, { schema: { kind: 'unreadable', message: 'It is not readable.' } });
    const observed = seen({ resources: [unreadable, resource(queues, { schema: { kind: 'missing' } })] });
    expect(decideSchemas(observed)).toEqual({ unread: ['It is not readable.'], reports: [] });
    const { key, statusOf } = decideExport(observed, ['It is not readable.', 'Nor written.']);
    expect(key).toBe('export/db');
    expect(statusOf(undefined, 0).conditions).toContainEqual(
      expect.objectContaining({ type: 'Connected', status: 'False', message: 'It is not readable. Nor written.' }),
    );
    expect(decideExport(observed, []).statusOf(undefined, 0).conditions).toContainEqual(
      expect.objectContaining({ type: 'Connected', status: 'True' }),
    );
  });
});

describe('a binding that is not there', () => {
  const gone = { isCached: false, fate: 'gone' } as const;
  const wasBound = { ...unbound, export: exportWith([connected]), resources: [resource(databases, {}, true)] };

  it('is read live where it has left, or where the provider has been told of it', () => {
    expect(asksForFate(seen({}, { hasLeft: true }))).toBe(true);
    expect(asksForFate(seen(wasBound, { isCached: false }))).toBe(true);
  });

  it('is not asked for otherwise', () => {
    expect(asksForFate(seen())).toBe(false);
    expect(asksForFate(seen(wasBound))).toBe(false);
    expect(asksForFate(seen(unbound, { isCached: false }))).toBe(false);
    // As a Go konnector says of exports that nobody has bound.
    expect(asksForFate(seen({ ...unbound, export: exportWith([connected]) }, { isCached: false }))).toBe(false);
  });

  it('is spoken for by the connection that serves it, where it is there; the one that it has left says so once', () => {
    expect(isServedByOtherConnection(seen(unbound))).toBe(true);
    expect([
      isServedByOtherConnection(seen(unbound, { hasLeft: true })),
      isServedByOtherConnection(seen(unbound, { isCached: false })),
      isServedByOtherConnection(seen()),
    ]).toEqual([false, false, false]);
  });

  it('is told of only if it is gone for certain', () => {
    const hasUnbound = (observed: ObservedReport): boolean =>
      (decideExport(observed, []).statusOf(undefined, 0).conditions ?? []).some(({ type }) => type === 'Unbound');
    expect([isUnbound(seen(unbound, gone)), hasUnbound(seen(unbound, gone))]).toEqual([true, true]);
    for (const other of [
      seen(unbound, { ...gone, fate: 'going' }),
      seen(unbound, { ...gone, fate: 'stays' }),
      seen(unbound, { ...gone, fate: undefined }),
      seen(unbound, { fate: 'gone' }),
      seen({}, gone),
    ])
      expect([isUnbound(other), hasUnbound(other)]).toEqual([false, false]);
    expect(decideDeparture(exportWith()).statusOf(undefined, 0).conditions).toContainEqual(
      expect.objectContaining({ type: 'Unbound', status: 'True' }),
    );
  });

  it('is forgotten once it was told of', () => {
    expect(isFullyReported(seen(unbound, gone), true)).toBe(true);
    expect(isFullyReported(seen(unbound, gone), false)).toBe(false);
    expect(isFullyReported(seen({}, { fate: 'gone' }), true)).toBe(false);
    expect(isFullyReported(seen(unbound, { ...gone, fate: 'going' }), true)).toBe(false);
    expect(isFullyReported(seen(unbound, { fate: 'stays' }), true)).toBe(true);
    expect(isFullyReported(seen(unbound, { fate: 'stays' }), false)).toBe(false);
    // A look that began before it left.
    expect(isFullyReported(seen({}, { fate: 'stays' }), true)).toBe(false);
  });
});
