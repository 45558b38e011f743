import type { KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  type BoundSchemaSpec,
  kubeBindDialect,
  schemaHash,
} from '@hawser/kube-bind';
import type { SourceSchema } from '@hawser/exportrequest';
import { klutchDialect } from '@hawser/klutch';
import type { SchemaPolicy } from '@hawser/schemagate';
import { type Assessment, assess, decidesAbout, policyOf } from './assess.js';
import { heldConditionOf, withHolds } from './held-condition.js';
import { withNamespaceWords } from './namespace-words.js';
import { decodeSnapshot, encodeSnapshot } from './snapshot.js';

const spec = (size: object, more: Partial<BoundSchemaSpec> = {}): BoundSchemaSpec => ({
  informerScope: 'Cluster',
  group: 'example.com',
  names: { plural: 'databases', kind: 'Database', singular: 'database', listKind: 'DatabaseList' },
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size } } } } },
    },
  ],
  ...more,
});
const [old, wider, narrower, clustered] = [
  spec({ type: 'integer', maximum: 10 }),
  spec({ type: 'integer' }),
  spec({ type: 'integer', maximum: 5 }),
  spec({ type: 'integer', maximum: 10 }, { scope: 'Cluster' }),
];
const source = (of: BoundSchemaSpec): SourceSchema => ({
  kind: 'offered',
  scope: of.scope,
  servedVersions: ['v1'],
  spec: of,
  hash: schemaHash(of),
  serving: { kind: 'served' },
});
const bound = (
  of: BoundSchemaSpec,
  annotations: Readonly<Record<string, string>> = {},
): BoundSchema & { readonly spec: BoundSchemaSpec } => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'BoundSchema',
  metadata: {
    name: 'databases.example.com',
    namespace: 'c',
    annotations: { 'kube-bind.io/source-spec-hash': schemaHash(of), ...annotations },
  },
  spec: of,
});
const apiExport = (annotations: Readonly<Record<string, string>> = {}): APIServiceExport => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  metadata: { name: 'db', namespace: 'c', uid: 'u', annotations },
  spec: {
    resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
    informerScope: 'Cluster',
    isolation: 'Prefixed',
  },
});
const assessed = (
  after: BoundSchemaSpec | undefined,
  policy: SchemaPolicy = 'Safe',
  annotations: Readonly<Record<string, string>> = {},
  before = bound(old),
): Assessment =>
  assess({
    export: apiExport(annotations),
    boundSchema: before,
    source: after === undefined ? undefined : source(after),
    policy,
  });
const reasonOf = (assessment: Assessment): string =>
  assessment.kind === 'held' ? assessment.hold.reason : assessment.kind;

describe('what the annotations of a cluster namespace say', () => {
  const namespace = (annotations: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'c', annotations },
  });
  const under = (onNamespace: Readonly<Record<string, string>>, own: Readonly<Record<string, string>> = {}): string => {
    const found = withNamespaceWords(apiExport(own), namespace(onNamespace));
    return reasonOf(
      assess({
        export: found,
        boundSchema: bound(old),
        source: source(narrower),
        policy: policyOf(found, undefined, 'Safe'),
      }),
    );
  };

  it('counts as if it stood on the export', () => {
    expect(under({})).toBe('BreakingSchemaChange');
    expect(under({ 'hawser.dev/schema-approved': schemaHash(narrower) })).toBe('candidate');
    expect(
      under({ 'hawser.dev/schema-approved': schemaHash(narrower) }, { 'hawser.dev/schema-approved': 'other' }),
    ).toBe('candidate');
    expect(
      under(
        { 'hawser.dev/schema-rejected': schemaHash(narrower) },
        { 'hawser.dev/schema-approved': schemaHash(narrower) },
      ),
    ).toBe('SchemaRolledBack');
    expect(under({ 'hawser.dev/schema-update': 'Never' }, { 'hawser.dev/schema-update': 'Always' })).toBe(
      'SchemaUpdatesOff',
    );
    expect(under({ 'hawser.dev/schema-update': '' }, { 'hawser.dev/schema-update': 'Always' })).toBe('candidate');
  });

  it('is nothing where it says nothing', () => {
    const found = apiExport({ a: 'b' });
    expect(withNamespaceWords(found, undefined)).toBe(found);
    expect(withNamespaceWords(found, namespace({ other: 'x' }))).toBe(found);
  });
});

describe('a changed CRD', () => {
  it.each<[SchemaPolicy, string, BoundSchemaSpec | undefined, string]>([
    ['Safe', 'the same', old, 'inStep'],
    ['Never', 'the same', old, 'inStep'],
    ['Safe', 'wider', wider, 'candidate'],
    ['Safe', 'narrower', narrower, 'BreakingSchemaChange'],
    ['Safe', 'of another scope', clustered, 'IncompatibleSchemaChange'],
    ['Safe', 'gone', undefined, 'SchemaSourceGone'],
    ['Always', 'narrower', narrower, 'candidate'],
    ['Always', 'of another scope', clustered, 'IncompatibleSchemaChange'],
    ['Always', 'gone', undefined, 'SchemaSourceGone'],
    ['Never', 'wider', wider, 'SchemaUpdatesOff'],
    ['Never', 'narrower', narrower, 'SchemaUpdatesOff'],
  ])('under %s, if it is %s', (policy, _title, after, expected) => {
    expect(reasonOf(assessed(after, policy))).toBe(expected);
  });

  it('is held against stored objects under Safe alone, and not once it is approved', () => {
    expect(assessed(wider)).toMatchObject({ kind: 'candidate', check: true });
    expect(assessed(wider, 'Always')).toMatchObject({ kind: 'candidate', check: false });
    expect(
      assessed(narrower, 'Safe', { 'hawser.dev/schema-approved': `other, ${schemaHash(narrower)}` }),
    ).toMatchObject({ kind: 'candidate', check: false });
  });

  it('is not let through by the approval of another one', () => {
    for (const approval of ['', 'true', '*', schemaHash(wider), schemaHash(narrower).slice(0, 12)])
      expect(reasonOf(assessed(narrower, 'Safe', { 'hawser.dev/schema-approved': approval }))).toBe(
        'BreakingSchemaChange',
      );
    expect(reasonOf(assessed(clustered, 'Safe', { 'hawser.dev/schema-approved': schemaHash(clustered) }))).toBe(
      'IncompatibleSchemaChange',
    );
  });

  it('that cannot be offered is told with the cause', () => {
    const assessment = assess({
      export: apiExport(),
      boundSchema: bound(old),
      source: { kind: 'unusable', message: 'it has no versions.' },
      policy: 'Always',
    });
    expect(assessment).toMatchObject({
      kind: 'held',
      hold: { reason: 'SchemaUnusable', message: expect.stringContaining('it has no versions.') as unknown },
    });
  });

  it('names fields, what is kept, who must act, and how', () => {
    const held = assessed(narrower);
    if (held.kind !== 'held') throw new Error('expected a hold');
    for (const text of [
      'databases.example.com',
      'v1: spec.size: may be no more than 5, was 10',
      'keeps the schema',
      `hawser.dev/schema-approved=${schemaHash(narrower)}`,
    ])
      expect(held.hold.message).toContain(text);
  });

  it('that is rejected does not come, whatever the policy; one that has come is taken back', () => {
    const rejected = {
      'hawser.dev/schema-rejected': schemaHash(narrower),
      'hawser.dev/schema-approved': schemaHash(narrower),
    };
    expect(reasonOf(assessed(narrower, 'Always', rejected))).toBe('SchemaRolledBack');
    const come = bound(narrower, { 'hawser.dev/previous-schema': encodeSnapshot(schemaHash(old), old) });
    expect(assessed(narrower, 'Always', rejected, come)).toEqual({
      kind: 'rollBack',
      wanted: { spec: old, hash: schemaHash(old) },
      rejected: schemaHash(narrower),
    });
    expect(assessed(narrower, 'Always', rejected, bound(narrower))).toMatchObject({
      kind: 'held',
      hold: { reason: 'SchemaRolledBack', message: expect.stringContaining('was not kept') as unknown },
    });
    // Something newer is judged for itself.
    expect(reasonOf(assessed(wider, 'Always', rejected, come))).toBe('candidate');
  });
});

describe('a snapshot', () => {
  it('gives back what was kept, and nothing that somebody has changed', () => {
    const text = encodeSnapshot(schemaHash(old), old);
    expect(decodeSnapshot(text)).toEqual({ hash: schemaHash(old), spec: old });
    for (const other of [
      undefined,
      '',
      'x',
      '.',
      `${schemaHash(wider)}.${text.split('.')[1] ?? ''}`,
      `${schemaHash(old)}.AAAA`,
      `${schemaHash(old)}.`,
    ])
      expect(decodeSnapshot(other)).toBeUndefined();
  });
});

describe('the policy', () => {
  const request = (
    schemaUpdatePolicy: 'Always' | 'Never',
    phase: 'Pending' | 'Succeeded' = 'Succeeded',
  ): APIServiceExportRequest => ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExportRequest',
    metadata: { name: 'db', uid: 'r' },
    spec: { resources: [], schemaUpdatePolicy },
    status: { phase },
  });
  it.each<[string, Readonly<Record<string, string>>, APIServiceExportRequest | undefined, SchemaPolicy, SchemaPolicy]>([
    ['of the provider counts where nobody says more', {}, undefined, 'Never', 'Never'],
    ['of the provider counts under the default of the wire', {}, request('Never'), 'Safe', 'Safe'],
    ["Always of a request counts more than the provider's", {}, request('Always'), 'Never', 'Always'],
    [
      'Always of the request that the export was made for counts',
      { 'hawser.dev/request': 'r' },
      request('Always'),
      'Never',
      'Always',
    ],
    [
      'Always of another request of its name does not count',
      { 'hawser.dev/request': 'gone' },
      request('Always'),
      'Safe',
      'Safe',
    ],
    ['Always of a request that nobody has answered does not count', {}, request('Always', 'Pending'), 'Safe', 'Safe'],
    ['of the export counts more than all', { 'hawser.dev/schema-update': 'Safe' }, request('Always'), 'Never', 'Safe'],
    [
      'that is no word of ours restrains',
      { 'hawser.dev/schema-update': 'sometimes' },
      request('Always'),
      'Always',
      'Safe',
    ],
  ])('%s', (_title, annotations, of, fallback, expected) => {
    expect(policyOf(apiExport(annotations), of, fallback)).toBe(expected);
  });
});

it('of several exports that share a schema the one that controls it decides', () => {
  const owned = (uid: string): BoundSchema => ({
    ...bound(old),
    metadata: {
      ...bound(old).metadata,
      ownerReferences: [
        { apiVersion: 'v', kind: 'k', name: 'n', uid: 'u' },
        { apiVersion: 'v', kind: 'k', name: 'n', uid, controller: true },
      ],
    },
  });
  expect([
    decidesAbout(kubeBindDialect, apiExport(), bound(old)),
    decidesAbout(kubeBindDialect, apiExport(), owned('u')),
    decidesAbout(kubeBindDialect, apiExport(), owned('other')),
    decidesAbout(klutchDialect, apiExport(), owned('other')),
  ]).toEqual([true, true, false, true]);
});

describe('the condition', () => {
  const [held, gone] = [assessed(narrower), assessed(undefined)].map((one) =>
    (one.kind === 'held' ? [one.hold] : []).flat(),
  );
  it('tells the gravest reason, and every message; it goes when nothing is held, and leaves others alone', () => {
    const both = [...(held ?? []), ...(gone ?? [])];
    expect(heldConditionOf(both)).toMatchObject({
      reason: 'SchemaSourceGone',
      message: expect.stringMatching(/the CRD is gone.*may be no more than 5/su) as unknown,
    });
    const other = { type: 'ProviderInSync', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const reported = withHolds({ conditions: [other] }, both, 0);
    expect(reported.conditions).toHaveLength(2);
    expect(withHolds(reported, both, 60_000).conditions).toBe(reported.conditions);
    expect(withHolds(reported, [], 60_000).conditions).toEqual([other]);
    const status = { conditions: [other] };
    expect(withHolds(status, [], 0).conditions).toBe(status.conditions);
    expect(withHolds(undefined, [], 0).conditions).toBeUndefined();
  });
});
