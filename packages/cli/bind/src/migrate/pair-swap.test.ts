import type { KubeObject, ObjectMeta } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import { type MarkTerms, type Pair, swapOf } from './pair-swap.js';

const terms: MarkTerms = { clusterNamespace: 'home', clusterNamespaceUid: 'home-uid', clusterUid: 'cluster' };
const zone = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Zone',
  metadata: { name: 'north', resourceVersion: '7', ...metadata },
});
const old: Pair = {
  object: zone({ uid: 'object', finalizers: ['other', 'kubebind.io/syncer'], annotations: { mine: 'x' } }),
  copy: zone({
    uid: 'copy',
    annotations: {
      'kube-bind.io/cluster-namespace': 'home',
      'kube-bind.io/consumer-namespace': '',
      'kube-bind.io/consumer-uid': 'object',
      'hawser.dev/consumer-object': 'Zone.example.com/north',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'home', uid: 'home-uid' }],
  }),
};

describe('the marks of a pair', () => {
  it('change from one generation to the other in one write each, guarded by uid and version', () => {
    expect(swapOf(old, 'v2', terms)).toEqual({
      object: { metadata: { uid: 'object', resourceVersion: '7', finalizers: ['other', 'core.kbind.io/syncer'] } },
      copy: {
        metadata: {
          uid: 'copy',
          resourceVersion: '7',
          labels: { 'core.kbind.io/managed': 'true' },
          annotations: {
            'kube-bind.io/cluster-namespace': null,
            'kube-bind.io/consumer-namespace': null,
            'kube-bind.io/consumer-uid': null,
            'core.kbind.io/consumer-cluster-uid': 'cluster',
            'core.kbind.io/consumer-object-uid': 'object',
          },
          ownerReferences: [],
        },
      },
    });
  });

  it('stay where they are those of the other generation already', () => {
    expect(swapOf(old, 'v1', terms)).toEqual({
      object: {
        metadata: {
          uid: 'object',
          resourceVersion: '7',
          annotations: { 'kube-bind.io/provider-namespace': '', 'kube-bind.io/provider-uid': 'copy' },
        },
      },
      copy: undefined,
    });
  });

  it('stay on a copy of another object, another consumer, or nobody', () => {
    for (const [key, value] of [
      ['kube-bind.io/consumer-uid', 'another'],
      ['kube-bind.io/cluster-namespace', 'another'],
      ['kube-bind.io/consumer-namespace', 'another'],
    ] as const) {
      const copy = zone({ ...old.copy?.metadata, annotations: { ...old.copy?.metadata.annotations, [key]: value } });
      expect(swapOf({ ...old, copy }, 'v2', terms).copy).toBeUndefined();
    }
    expect(swapOf({ ...old, copy: zone({ uid: 'copy' }) }, 'v2', terms).copy).toBeUndefined();
  });

  it('stay while the object is being deleted: it can get no finalizer', () => {
    const object = zone({ ...old.object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(swapOf({ ...old, object }, 'v2', terms)).toEqual({ object: undefined, copy: undefined });
  });

  it('change on an object whose copy is gone', () => {
    expect(swapOf({ ...old, copy: undefined }, 'v2', terms)).toMatchObject({
      object: { metadata: { finalizers: ['other', 'core.kbind.io/syncer'] } },
      copy: undefined,
    });
  });
});
