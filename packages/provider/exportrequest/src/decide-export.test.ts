import { type APIServiceExport, type BoundSchema, exportHash } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideExport, decideRound, wantsRestoring } from './decide-export.js';
import type { ExportRound, RequestPresence } from './export-decision.js';
import { withExportOutcome } from './export-outcome.js';
import { sourceSchema } from './source-schema.js';
import type { Admission } from './template/admission.js';
import { apiExport, boundSchema, crd } from './testing/objects.js';

const now = Date.UTC(2026, 10, 21, 15, 24, 8);

function schema(plural: string): BoundSchema {
  const source = sourceSchema(crd(plural), { informerScope: 'Cluster', isolation: 'Prefixed' });
  if (source.kind !== 'offered') throw new Error(source.message);
  return boundSchema(source.spec, source.hash);
}

const databases = schema('databases');
const zones = schema('zones');
const two = apiExport({
  resources: ['zones', 'databases'].map((resource) => ({ group: 'example.com', resource, versions: ['v1'] })),
});
const byName = (...schemas: readonly BoundSchema[]): Map<string, BoundSchema> =>
  new Map(schemas.map((one) => [one.metadata.name, one]));
const hash = exportHash([zones.spec!, databases.spec!]);
const annotated = { ...two, metadata: { ...two.metadata, annotations: { 'kube-bind.io/source-spec-hash': hash } } };
const connected = { type: 'Connected', status: 'True', lastTransitionTime: '2026-11-21T15:00:00Z' } as const;
const inSync = { ...annotated, status: withExportOutcome({ conditions: [connected] }, { kind: 'inSync' }, now) };

const unknown = { kind: 'unknown' } as const;

describe('decideExport: withdrawal', () => {
  const unboundCondition = (status: 'True' | 'False'): APIServiceExport['status'] =>
    withExportOutcome(
      { conditions: [connected, { type: 'Unbound', status, lastTransitionTime: '2026-11-21T15:00:00Z' }] },
      { kind: 'inSync' },
      now,
    );
  const present = (uid: string, answered = true): RequestPresence => ({ kind: 'present', uid, answered });
  const admitted: Admission = { kind: 'admitted', template: undefined };
  const decided = (
    marks: Record<string, string>,
    request: RequestPresence,
    status: APIServiceExport['status'],
    readmission: Admission | undefined = admitted,
  ): unknown => {
    const found = {
      ...inSync,
      status,
      metadata: { ...inSync.metadata, annotations: { ...inSync.metadata.annotations, ...marks } },
    };
    const annotate = decideExport(
      { export: found, boundSchemas: byName(databases, zones), request, readmission },
      now,
    ).actions.find(({ type }) => type === 'annotate');
    return annotate?.type === 'annotate'
      ? { ...annotate.annotations, ...(annotate.turn === undefined ? {} : { turn: annotate.turn.kind }) }
      : undefined;
  };
  const record = 'hawser.dev/request';
  const mark = 'hawser.dev/withdrawn';

  const cases: readonly [string, Record<string, string>, RequestPresence, 'True' | 'False' | undefined, unknown][] = [
    ['stands while its request does', { [record]: 'a' }, present('a'), undefined, undefined],
    ['stands while its request is not answered yet', { [record]: 'a' }, present('a', false), undefined, undefined],
    [
      'is withdrawn with its request',
      { [record]: 'a' },
      { kind: 'gone' },
      undefined,
      { [mark]: 'RequestDeleted', turn: 'withdrawn' },
    ],
    ['is not withdrawn twice', { [record]: 'a', [mark]: 'RequestDeleted' }, { kind: 'gone' }, undefined, undefined],
    [
      'is not restored by a request that is not answered',
      { [record]: 'a', [mark]: 'RequestDeleted' },
      present('b', false),
      undefined,
      undefined,
    ],
    [
      'is withdrawn while only such a request is there',
      { [record]: 'a' },
      present('b', false),
      undefined,
      { [mark]: 'RequestDeleted', turn: 'withdrawn' },
    ],
    [
      'is restored by another request',
      { [record]: 'a', [mark]: 'RequestDeleted' },
      present('b'),
      undefined,
      { [record]: 'b', [mark]: null, turn: 'restored' },
    ],
    ['passes to another request', { [record]: 'a' }, present('b'), undefined, { [record]: 'b' }],
    ['of the Go backend needs no request', {}, { kind: 'unknown' }, undefined, undefined],
    ['is withdrawn when it is unbound', {}, { kind: 'unknown' }, 'True', { [mark]: 'Unbound', turn: 'withdrawn' }],
    [
      'is withdrawn when it is unbound, whether its request stands or not',
      { [record]: 'a' },
      present('a'),
      'True',
      { [mark]: 'Unbound', turn: 'withdrawn' },
    ],
    ['is not withdrawn before it is unbound', { [record]: 'a' }, present('a'), 'False', undefined],
    [
      'is restored when it is bound again',
      { [mark]: 'Unbound' },
      { kind: 'unknown' },
      'False',
      { [mark]: null, turn: 'restored' },
    ],
    [
      'is not restored by a binding without a request',
      { [record]: 'a', [mark]: 'Unbound' },
      { kind: 'gone' },
      'False',
      { [mark]: 'RequestDeleted', turn: 'withdrawn' },
    ],
    ['keeps a mark that somebody set', { [record]: 'a', [mark]: 'not paid' }, present('a'), undefined, undefined],
  ];
  it.each(cases)('%s', (_what, marks, request, unbound, expected) => {
    expect(decided(marks, request, unbound === undefined ? inSync.status : unboundCondition(unbound))).toEqual(
      expected,
    );
  });

  it.each<[string, Admission | undefined]>([
    ['nobody has asked', undefined],
    ['no template offers it', { kind: 'notOffered' }],
    ['the consumer may not bind it', { kind: 'forbidden', templates: ['a'], user: 'u' }],
  ])('is not restored where %s', (_what, readmission) => {
    const restorable: readonly (readonly [Record<string, string>, RequestPresence])[] = [
      [{ [mark]: 'Unbound' }, { kind: 'unknown' }],
      [{ [record]: 'a', [mark]: 'RequestDeleted' }, present('b')],
    ];
    for (const [marks, request] of restorable) {
      const found = {
        ...inSync,
        metadata: { ...inSync.metadata, annotations: { ...inSync.metadata.annotations, ...marks } },
      };
      const observed = { export: found, boundSchemas: byName(databases, zones), request, readmission };
      expect(wantsRestoring(observed)).toBe(true);
      expect(decideExport(observed, now)).toEqual({ actions: [], verdict: { kind: 'inSync' } });
    }
  });
});

describe('decideExport', () => {
  it('writes the hash over the schemas in the order of the resources, then the condition', () => {
    expect(decideExport({ export: two, boundSchemas: byName(databases, zones), request: unknown }, now)).toEqual({
      actions: [
        { type: 'annotate', export: two, annotations: { 'kube-bind.io/source-spec-hash': hash } },
        { type: 'writeStatus', export: two, outcome: { kind: 'inSync' } },
      ],
      verdict: { kind: 'inSync' },
    });
    expect(hash).not.toBe(exportHash([databases.spec!, zones.spec!]));
  });

  it('writes nothing when nothing differs', () => {
    expect(
      decideExport({ export: inSync, boundSchemas: byName(databases, zones), request: unknown }, now + 60_000),
    ).toEqual({ actions: [], verdict: { kind: 'inSync' } });
  });

  it('leaves the conditions of others alone and sums nothing up', () => {
    expect(inSync.status.conditions).toEqual([
      connected,
      { type: 'ProviderInSync', status: 'True', lastTransitionTime: '2026-11-21T15:24:08Z' },
    ]);
  });

  it('says which BoundSchemas are missing and leaves the hash as it is', () => {
    const { actions, verdict } = decideExport(
      { export: inSync, boundSchemas: byName(databases), request: unknown },
      now,
    );
    expect(verdict).toEqual({ kind: 'boundSchemasMissing', names: ['zones.example.com'] });
    expect(actions).toEqual([{ type: 'writeStatus', export: inSync, outcome: verdict }]);
    expect(
      withExportOutcome(inSync.status, { kind: 'boundSchemasMissing', names: ['zones.example.com'] }, now).conditions,
    ).toMatchObject([
      { type: 'Connected' },
      {
        type: 'ProviderInSync',
        status: 'False',
        reason: 'BoundSchemaMissing',
        severity: 'Error',
        message: expect.stringContaining('zones.example.com') as unknown,
      },
    ]);
  });

  it('has nothing to do without an export, or for one that is going', () => {
    expect(decideExport({ export: undefined, boundSchemas: byName(databases), request: unknown }, now)).toEqual({
      actions: [],
      verdict: { kind: 'absent' },
    });
    const going = { ...two, metadata: { ...two.metadata, deletionTimestamp: '2026-11-21T15:24:08Z' } };
    expect(decideExport({ export: going, boundSchemas: byName(databases), request: unknown }, now)).toEqual({
      actions: [],
      verdict: { kind: 'absent' },
    });
  });
});

describe('decideRound', () => {
  const withdrawn = {
    ...inSync,
    metadata: {
      ...inSync.metadata,
      annotations: { ...inSync.metadata.annotations, 'hawser.dev/withdrawn': 'Unbound' },
    },
  };
  const asked = { metadata: withdrawn.metadata, spec: { resources: withdrawn.spec.resources } };
  const round = (parts: Partial<ExportRound>) =>
    decideRound({
      export: inSync,
      boundSchemas: byName(databases, zones),
      request: unknown,
      now,
      restoreInMs: 0,
      reviewInMs: 61_000,
      ...parts,
    });
  const restorable = (readmission: Admission) => ({ export: withdrawn, asked, readmission });
  const admitted: Admission = { kind: 'admitted', template: undefined };

  it.each<[string, Partial<ExportRound>, object]>([
    ['is done with an export that is in step', {}, { actions: [], isRefused: false, waits: false }],
    [
      'waits for BoundSchemas',
      {
        boundSchemas: byName(databases),
        export: {
          ...inSync,
          status: withExportOutcome(inSync.status, { kind: 'boundSchemasMissing', names: ['zones.example.com'] }, now),
        },
      },
      { actions: [], isRefused: false, waits: true },
    ],
    [
      'gives an export back that is admitted',
      restorable(admitted),
      { actions: [{ type: 'annotate', turn: { kind: 'restored' } }], isRefused: false },
    ],
    [
      'gives it back at its pace, and says so',
      { ...restorable(admitted), restoreInMs: 500 },
      { actions: [], event: { reason: 'RestorePaced' }, requeueAfterMs: 500, requeuePriority: 'normal' },
    ],
    [
      'waits for an offer, and says so',
      restorable({ kind: 'notOffered' }),
      { actions: [], isRefused: true, event: { type: 'Warning', reason: 'RestoreRefused' }, requeueAfterMs: undefined },
    ],
    [
      'looks again for a right that nothing tells of',
      restorable({ kind: 'forbidden', templates: ['a'], user: 'u' }),
      { actions: [], isRefused: true, event: { reason: 'RestoreRefused' }, requeueAfterMs: 61_000 },
    ],
    [
      'says what an export says of its schemas before it says why it is refused',
      { ...restorable({ kind: 'notOffered' }), boundSchemas: byName(databases) },
      { actions: [{ type: 'writeStatus' }], isRefused: true },
    ],
  ])('%s', (_, parts, expected) => {
    expect(round(parts)).toMatchObject(expected);
  });
});
