import type { UnstructuredObject } from '@hawser/client';
import { pairDialect } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';

import { type BindingPolicy, defaultPolicy } from './binding-policy.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { wantedHash, wantedOf } from './wanted.js';

const settings: PairSettings = {
  dialect: pairDialect,
  binding: 'clusterbindings.core.kbind.io demo',
  isolation: 'Identity',
  clusterNamespace: '',
  clusterNamespaceUid: '',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};
const adopting: PairSettings = {
  ...settings,
  policy: { ...defaultPolicy, conflicts: 'Adopt' } satisfies BindingPolicy,
};
const marks = {
  'core.kbind.io/consumer-cluster-uid': 'cluster-1',
  'core.kbind.io/consumer-object-uid': 'consumer-uid',
};
const types = ({ actions }: Decision): readonly string[] => actions.map(({ type }) => type);

function consumerObject(metadata: Record<string, unknown> = {}, spec: unknown = { size: 'small' }): UnstructuredObject {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: {
      name: 'one',
      namespace: 'team',
      uid: 'consumer-uid',
      labels: { app: 'shop' },
      finalizers: ['core.kbind.io/syncer'],
      ...metadata,
    },
    spec,
  };
}

/** As a Go konnector leaves it. */
function copyObject(metadata: Record<string, unknown> = {}, spec: unknown = { size: 'small' }): UnstructuredObject {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: {
      name: 'one',
      namespace: 'team',
      uid: 'copy-uid',
      resourceVersion: '20',
      labels: { 'core.kbind.io/managed': 'true' },
      annotations: marks,
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
    consumerKey: { namespace: 'team', name: 'one' },
    consumer,
    placement: { kind: 'placed', key: { namespace: 'team', name: 'one' } },
    copy,
    copyCacheReady: true,
    deletionProof: undefined,
    memory: {},
    now: 0,
    ...more,
  };
}

describe('in core.kbind.io', () => {
  it('a copy has the marks of the contract, its label, and nothing else of the metadata', () => {
    const { actions } = decide(
      observed(consumerObject({ finalizers: [], annotations: { note: 'mine' } }), undefined),
      settings,
    );
    expect(actions.map(({ type }) => type)).toEqual(['addFinalizer', 'createCopy']);
    const create = actions.find(({ type }) => type === 'createCopy');
    expect(create?.type === 'createCopy' && create.object).toEqual({
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      metadata: {
        name: 'one',
        namespace: 'team',
        labels: { 'core.kbind.io/managed': 'true' },
        annotations: {
          ...marks,
          'hawser.dev/consumer-object': 'Widget.example.org/team/one',
          'hawser.dev/wanted-hash': expect.any(String),
        },
      },
      spec: { size: 'small' },
    });
  });

  it('the namespace is made first where it is not known', () => {
    expect(types(decide(observed(consumerObject(), undefined, { namespaceMissing: true }), settings))).toEqual([
      'requestNamespace',
      'createCopy',
    ]);
  });

  it('a copy of a Go konnector that is in step costs no write, whatever labels the object has', () => {
    const decision = decide(observed(consumerObject(), copyObject()), settings);
    expect(decision).toMatchObject({ actions: [], verdict: { kind: 'inStep' } });
    const labelled = copyObject({ labels: { 'core.kbind.io/managed': 'true', tier: 'gold' } });
    expect(decide(observed(consumerObject(), labelled), settings).actions).toEqual([]);
  });

  it.each([
    ['nobody has marked', {}, 'ForeignObjectExists'],
    ['another cluster has marked', { ...marks, 'core.kbind.io/consumer-cluster-uid': 'cluster-2' }, 'OwnedByAnother'],
    ['has one mark of two', { 'core.kbind.io/consumer-object-uid': 'consumer-uid' }, 'OwnedByAnother'],
    ['is a copy of the older generation', { 'kube-bind.io/cluster-namespace': 'kube-bind-x' }, 'OwnedByAnother'],
  ])('an object that %s is left alone, and the consumer is told why', (_, annotations, reason) => {
    const decision = decide(observed(consumerObject(), copyObject({ annotations })), settings);
    expect(decision.verdict).toMatchObject({ kind: 'held', reason });
    expect(decision.actions).toEqual([
      expect.objectContaining({ type: 'recordCopy', annotations: { 'core.kbind.io/conflict': reason } }),
    ]);
    const marked = consumerObject({ annotations: { 'core.kbind.io/conflict': reason } });
    expect(decide(observed(marked, copyObject({ annotations })), settings).actions).toEqual([]);
  });

  it('under Adopt only what nobody has marked is taken over', () => {
    expect(types(decide(observed(consumerObject(), copyObject({ annotations: {}, labels: {} })), adopting))).toEqual([
      'patchCopy',
    ]);
    const other = copyObject({ annotations: { ...marks, 'core.kbind.io/consumer-cluster-uid': 'cluster-2' } });
    expect(decide(observed(consumerObject(), other), adopting).verdict).toMatchObject({ reason: 'OwnedByAnother' });
  });

  it('a conflict is over as soon as the foreign object is gone', () => {
    const marked = consumerObject({ annotations: { 'core.kbind.io/conflict': 'ForeignObjectExists' } });
    expect(types(decide(observed(marked, undefined), settings))).toEqual(['createCopy']);
    const annotations = {
      ...marks,
      'hawser.dev/wanted-hash': wantedHash(wantedOf(marked, pairDialect.marks.labelsOfCopy)),
    };
    expect(decide(observed(marked, copyObject({ annotations })), settings).actions).toEqual([
      expect.objectContaining({ type: 'recordCopy', annotations: { 'core.kbind.io/conflict': null } }),
    ]);
  });

  it('the copy of an object that was made anew under the same name is taken over', () => {
    const again = consumerObject({ uid: 'later-uid' });
    const known = { maker: { uid: 'copy-uid', isKonnector: true } };
    const [patch] = decide(observed(again, copyObject(), { memory: known }), settings).actions;
    expect(patch?.type === 'patchCopy' && patch.annotations).toMatchObject({
      'core.kbind.io/consumer-object-uid': 'later-uid',
    });
  });

  it('a binding that goes takes the copy and the finalizer, and leaves the object and what is in the namespaces of others', () => {
    const draining = { ...settings, draining: { except: [] } };
    const proof = {
      deletionProof: { kind: 'byUser' },
      memory: { maker: { uid: 'copy-uid', isKonnector: true } },
    } as const;
    expect(types(decide(observed(consumerObject(), copyObject(), proof), draining))).toEqual(['deleteCopy']);
    const gone = observed(consumerObject(), undefined, { ...proof, memory: { copyGone: 'none' } });
    expect(types(decide(gone, draining))).toEqual(['removeFinalizer']);
    expect(decide(observed(consumerObject({ finalizers: [] }), undefined, proof), draining).actions).toEqual([]);
    const others = { ...settings, draining: { except: ['team'] } };
    expect(decide(observed(consumerObject(), copyObject(), proof), others).actions).toEqual([]);
  });

  it('a deleted object takes its copy with it, unless it says Orphan', () => {
    const proof = {
      deletionProof: { kind: 'byUser' },
      memory: { maker: { uid: 'copy-uid', isKonnector: true } },
    } as const;
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(types(decide(observed(consumerObject(deleted), copyObject(), proof), settings))).toEqual(['deleteCopy']);
    const spared = consumerObject({ ...deleted, annotations: { 'core.kbind.io/deletion-policy': 'Orphan' } });
    expect(types(decide(observed(spared, copyObject(), proof), settings))).toEqual(['removeFinalizer']);
    const foreign = copyObject({ annotations: {} });
    expect(types(decide(observed(consumerObject(deleted), foreign, proof), settings))).toEqual(['removeFinalizer']);
  });
});
