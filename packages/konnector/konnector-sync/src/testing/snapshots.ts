import { kubeBindDialect } from '@hawser/kube-bind';
import type { UnstructuredObject } from '@hawser/client';

import { CONSUMER_OBJECT } from '../marks.js';
import type { Observed, PairSettings } from '../observed.js';
import { wantedHash, wantedOf } from '../wanted.js';

/** Pairs for tests of decisions: `team-a/one`, in step by default. */
export const settings: PairSettings = {
  dialect: kubeBindDialect,
  isolation: 'ServiceNamespace',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'ns-uid',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};
export const ownMarks = {
  'kube-bind.io/cluster-namespace': 'kube-bind-x',
  'kube-bind.io/consumer-namespace': 'team-a',
  'kube-bind.io/consumer-uid': 'consumer-uid',
  [kubeBindDialect.marks.consumerCluster]: 'cluster-1',
  [CONSUMER_OBJECT]: 'Database.example.com/team-a/one',
};
export const terminating = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const copyRecord = { 'kube-bind.io/provider-namespace': 'kube-bind-x-team-a', 'kube-bind.io/provider-uid': 'copy-uid' };

export function consumerObject(
  spec: unknown = { size: 'small' },
  { annotations, ...metadata }: Record<string, unknown> = {},
): UnstructuredObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    spec,
    metadata: {
      name: 'one',
      namespace: 'team-a',
      uid: 'consumer-uid',
      resourceVersion: '10',
      finalizers: ['kubebind.io/syncer'],
      annotations: { ...copyRecord, ...(annotations as object | undefined) },
      ...metadata,
    },
  };
}

/** A copy written from `from`. */
export function copyObject(
  spec: unknown = { size: 'small' },
  metadata: Record<string, unknown> = {},
  from = consumerObject(),
): UnstructuredObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    spec,
    metadata: {
      name: 'one',
      namespace: 'kube-bind-x-team-a',
      uid: 'copy-uid',
      resourceVersion: '20',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: { ...ownMarks, 'hawser.dev/wanted-hash': wantedHash(wantedOf(from)) },
      ...metadata,
    },
  };
}

export function observed(
  consumer: UnstructuredObject | undefined,
  copy: UnstructuredObject | undefined,
  more: Partial<Observed> = {},
): Observed {
  return {
    consumerKey: { namespace: 'team-a', name: 'one' },
    consumer,
    copy,
    placement: { kind: 'placed', key: { namespace: 'kube-bind-x-team-a', name: 'one' } },
    copyCacheReady: true,
    deletionProof: undefined,
    memory: {},
    now: 0,
    ...more,
  };
}
