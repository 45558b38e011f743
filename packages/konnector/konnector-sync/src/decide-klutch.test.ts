import type { UnstructuredObject } from '@hawser/client';
import { klutchDialect } from '@hawser/klutch';
import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';

const settings: PairSettings = {
  dialect: klutchDialect,
  adoptsFromProvider: true,
  isolation: 'ServiceNamespace',
  clusterNamespace: 'cluster-x',
  clusterNamespaceUid: 'ns-uid',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};
const FINALIZER = 'klutch.anynines.com/syncer';
const BOUND = { 'klutch.anynines.com/bound': 'true' };
/** What managedFields show of a copy that a Klutch konnector has made, which names no object. */
const byKonnector = { maker: { uid: 'copy-uid', isKonnector: true } };
const types = (decision: Decision): readonly string[] => decision.actions.map(({ type }) => type);

function consumerObject(metadata: Record<string, unknown> = {}, spec: unknown = { size: 'small' }): UnstructuredObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: { name: 'one', namespace: 'team-a', uid: 'consumer-uid', finalizers: [FINALIZER], ...metadata },
    spec,
  };
}

function copyObject(metadata: Record<string, unknown> = {}, spec: unknown = { size: 'small' }): UnstructuredObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    metadata: {
      name: 'one',
      namespace: 'cluster-x-team-a',
      uid: 'copy-uid',
      resourceVersion: '20',
      annotations: BOUND,
      ...metadata,
    },
    spec,
  };
}

function observed(
  consumer: UnstructuredObject | undefined,
  copy: UnstructuredObject | undefined,
  more: Partial<Observed> = {},
): Observed {
  return {
    consumerKey: { namespace: 'team-a', name: 'one' },
    consumer,
    placement: { kind: 'placed', key: { namespace: 'cluster-x-team-a', name: 'one' } },
    copy,
    copyCacheReady: true,
    deletionProof: undefined,
    memory: {},
    now: 0,
    ...more,
  };
}

describe('in the dialect of Klutch', () => {
  it('a copy has its marks and none of kube-bind, and the object the finalizer first', () => {
    const { actions } = decide(observed(consumerObject({ finalizers: [] }), undefined), settings);
    expect(actions.map(({ type }) => type)).toEqual(['addFinalizer', 'createCopy']);
    const [, create] = actions;
    expect(create?.type === 'createCopy' && create.object.metadata.annotations).toEqual({
      ...BOUND,
      'hawser.dev/consumer-uid': 'consumer-uid',
      'hawser.dev/consumer-identity': 'cluster-1',
      'hawser.dev/consumer-object': 'Database.example.com/team-a/one',
      'hawser.dev/wanted-hash': expect.any(String),
    });
  });

  it('a cluster-scoped copy says its cluster namespace, and belongs to it', () => {
    const object = consumerObject({ namespace: undefined });
    const [create] = decide(
      observed(object, undefined, {
        consumerKey: { name: 'one' },
        placement: { kind: 'placed', key: { name: 'cluster-x-one' } },
      }),
      { ...settings, isolation: 'Prefixed' },
    ).actions;
    expect(create?.type === 'createCopy' && create.object.metadata).toMatchObject({
      annotations: { ...BOUND, 'klutch.anynines.com/cluster-namespace': 'cluster-x' },
      ownerReferences: [{ kind: 'Namespace', uid: 'ns-uid' }],
    });
  });

  it('what a Klutch konnector has left costs nothing, its annotations of kubectl included', () => {
    const left = { annotations: { ...BOUND, 'kubectl.kubernetes.io/last-applied-configuration': '{}' } };
    expect(decide(observed(consumerObject(), copyObject(left)), settings)).toEqual({
      actions: [],
      verdict: { kind: 'inStep' },
    });
  });

  it('its first write says whose the copy is', () => {
    const [write] = decide(
      observed(consumerObject({}, { size: 'large' }), copyObject(), { memory: byKonnector }),
      settings,
    ).actions;
    expect(write).toMatchObject({
      type: 'patchCopy',
      annotations: {
        'hawser.dev/consumer-object': 'Database.example.com/team-a/one',
        'hawser.dev/consumer-uid': 'consumer-uid',
        'hawser.dev/consumer-identity': 'cluster-1',
      },
    });
  });

  it.each<[string, UnstructuredObject, string]>([
    [
      'a copy of the object that had this name before is adopted',
      copyObject({ annotations: { ...BOUND, 'hawser.dev/consumer-uid': 'former' } }),
      'patchCopy',
    ],
    ['an object of somebody else is left alone', copyObject({ annotations: {} }), 'ForeignCopy'],
    [
      'one that says something else than true, too',
      copyObject({ annotations: { 'klutch.anynines.com/bound': 'false' } }),
      'ForeignCopy',
    ],
  ])('%s', (_what, copy, expected) => {
    const decision = decide(observed(consumerObject(), copy, { memory: byKonnector }), settings);
    expect(decision.verdict.kind === 'held' ? decision.verdict.reason : types(decision)[0]).toBe(expected);
  });

  it('a cluster-scoped copy of a consumer whose name begins alike is not ours', () => {
    const of = (annotations: Record<string, string>): Decision =>
      decide(
        observed(
          consumerObject({ namespace: undefined }),
          copyObject({ namespace: undefined, name: 'cluster-x-one', annotations }),
          { consumerKey: { name: 'one' } },
        ),
        { ...settings, isolation: 'Prefixed' },
      );
    expect(of({ ...BOUND, 'klutch.anynines.com/cluster-namespace': 'cluster' }).verdict).toMatchObject({
      kind: 'held',
      reason: 'ForeignCopy',
    });
    expect(of({ ...BOUND, 'klutch.anynines.com/cluster-namespace': 'cluster-x' }).verdict.kind).toBe('inStep');
  });

  it('an object that is deleted keeps the finalizer until its copy has gone', () => {
    const deleted = consumerObject({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    const of = (copy: UnstructuredObject | undefined, memory = {}): readonly string[] =>
      types(decide(observed(deleted, copy, { deletionProof: { kind: 'byUser' }, memory }), settings));
    expect(of(copyObject())).toEqual(['inspectMaker']);
    expect(of(copyObject(), byKonnector)).toEqual(['deleteCopy']);
    expect(of(copyObject(), { maker: { uid: 'copy-uid', isKonnector: false } })).toEqual(['removeFinalizer']);
    expect(of(copyObject({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toEqual([]);
    expect(of(undefined)).toEqual(['confirmGone']);
    expect(of(undefined, { copyGone: 'copy-uid' })).toEqual(['removeFinalizer']);
  });

  it('a copy without its object is kept: that it is missing here proves nothing', () => {
    expect(decide(observed(undefined, copyObject()), settings)).toMatchObject({
      actions: [],
      verdict: { kind: 'orphan' },
    });
  });
});

describe('an object that was made on the provider', () => {
  const made = copyObject({
    annotations: { note: 'hello', 'example.com/x': 'y' },
    labels: { tier: 'gold' },
    generateName: 'o',
    ownerReferences: [],
  });

  it('comes to the consumer with its content, the finalizer, and where it is from', () => {
    const { actions } = decide(observed(undefined, { ...made, status: { phase: 'Ready' } }), settings);
    expect(actions).toEqual([
      {
        type: 'createConsumerObject',
        object: {
          apiVersion: 'example.com/v1',
          kind: 'Database',
          spec: { size: 'small' },
          metadata: {
            namespace: 'team-a',
            name: 'one',
            labels: { tier: 'gold' },
            finalizers: [FINALIZER],
            annotations: { note: 'hello', 'example.com/x': 'y', ...BOUND, 'hawser.dev/adopted-from': 'copy-uid' },
          },
        },
      },
    ]);
  });

  it.each<[string, UnstructuredObject, Partial<PairSettings>]>([
    ['is going', copyObject({ annotations: {}, deletionTimestamp: '2026-01-01T00:00:00Z' }), {}],
    [
      'was made by a controller',
      copyObject({
        annotations: {},
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }],
      }),
      {},
    ],
    [
      'bears the mark of another consumer',
      copyObject({ annotations: { 'hawser.dev/consumer-identity': 'cluster-2' } }),
      {},
    ],
    ['stands where everything of the provider does', copyObject({ annotations: {} }), { isolation: 'None' }],
    ['nobody asked for', copyObject({ annotations: {} }), { adoptsFromProvider: false }],
  ])('that %s stays where it is', (_what, copy, changed) => {
    expect(decide(observed(undefined, copy), { ...settings, ...changed })).toEqual({
      actions: [],
      verdict: { kind: 'absent' },
    });
  });

  it('is bound once the consumer has it: by its uid, or by the mark and the same content, as a Klutch konnector leaves it', () => {
    const of = (metadata: Record<string, unknown>, spec?: unknown): Decision =>
      decide(observed(consumerObject(metadata, spec), made), settings);
    const as = (marks: Record<string, string>): Record<string, unknown> => ({
      labels: { tier: 'gold' },
      annotations: { ...made.metadata.annotations, ...marks },
    });
    expect(of(as({ 'hawser.dev/adopted-from': 'copy-uid' })).actions).toMatchObject([
      { type: 'patchCopy', wrong: [], annotations: BOUND },
    ]);
    expect(of(as(BOUND)).actions).toMatchObject([{ type: 'patchCopy', annotations: BOUND }]);
    expect(of(as(BOUND), { size: 'large' }).verdict).toMatchObject({ kind: 'held', reason: 'ForeignCopy' });
    expect(of(as({ 'hawser.dev/adopted-from': 'another' })).verdict).toMatchObject({
      kind: 'held',
      reason: 'ForeignCopy',
    });
  });
});
