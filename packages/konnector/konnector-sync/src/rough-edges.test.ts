import { kubeBindDialect } from '@hawser/kube-bind';
import { expect } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { roughEdge } from '@hawser/testenv';
import type { Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { decide } from './decide.js';

const settings: PairSettings = {
  dialect: kubeBindDialect,
  isolation: 'ServiceNamespace',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'ns-uid',
  consumerCluster: 'cluster-1',
  statusSubresource: true,
};
const key = { namespace: 'kube-bind-x-team-a', name: 'one' };
const copyRecord = { 'kube-bind.io/provider-namespace': key.namespace, 'kube-bind.io/provider-uid': 'copy-uid' };
const marks = {
  'kube-bind.io/cluster-namespace': 'kube-bind-x',
  'kube-bind.io/consumer-namespace': 'team-a',
  'kube-bind.io/consumer-uid': 'consumer-uid',
  'hawser.dev/consumer-identity': 'cluster-1',
  'hawser.dev/consumer-object': 'Database.example.com/team-a/one',
};
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const consumer = (metadata: object = {}, spec: object = { size: 'small' }): UnstructuredObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: {
    name: 'one',
    namespace: 'team-a',
    uid: 'consumer-uid',
    resourceVersion: '10',
    finalizers: ['kubebind.io/syncer'],
    annotations: copyRecord,
    ...metadata,
  },
  spec,
});
const copy = (metadata: object = {}, more: object = {}): UnstructuredObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { ...key, uid: 'copy-uid', resourceVersion: '20', annotations: marks, ...metadata },
  spec: { size: 'small' },
  ...more,
});
const decided = (
  object: UnstructuredObject | undefined,
  its: UnstructuredObject | undefined,
  more: Partial<Observed> = {},
): Decision =>
  decide(
    {
      consumerKey: { namespace: 'team-a', name: 'one' },
      consumer: object,
      placement: { kind: 'placed', key },
      copy: its,
      copyCacheReady: true,
      deletionProof: undefined,
      memory: {},
      now: 0,
      ...more,
    },
    settings,
  );
const types = ({ actions }: Decision): readonly string[] => actions.map(({ type }) => type);
const byUser = { deletionProof: { kind: 'byUser' } } as const;

roughEdge('R24', 'deletes no object of somebody else when the consumer object of its name goes', () => {
  for (const annotations of [{}, { ...marks, 'kube-bind.io/cluster-namespace': 'kube-bind-y' }])
    expect(types(decided(consumer(going), copy({ annotations }), byUser))).toEqual(['removeFinalizer']);
});

roughEdge('R24', 'deletes nothing on the provider because the consumer has no object of its name', () => {
  for (const annotations of [{}, marks, { ...marks, 'kube-bind.io/cluster-namespace': 'kube-bind-y' }])
    expect(types(decided(undefined, copy({ annotations })))).toEqual([]);
});

roughEdge(
  'R25',
  'takes a field off the copy that the consumer has removed, also one that was there from the beginning',
  () => {
    const [inspect] = decided(consumer(), copy({}, { spec: { size: 'small', tier: 'gold' } })).actions;
    if (inspect?.type !== 'inspectCopy') throw new Error('expected the copy to be inspected');
    const inspection = { wantedHash: inspect.wantedHash, extrasKey: inspect.extrasKey, leftover: inspect.extras };
    expect(
      decided(consumer(), copy({}, { spec: { size: 'small', tier: 'gold' } }), { memory: { inspection } }).actions,
    ).toMatchObject([{ type: 'patchCopy', remove: [['spec', 'tier']] }]);
  },
);

roughEdge(
  '§17.6 defaults',
  'does not fight over what the provider fills in',
  () => {
    const [patch] = decided(consumer({}, { size: 'large' }), copy({}, { spec: { size: 'small' } })).actions;
    if (patch?.type !== 'patchCopy') throw new Error('expected the copy to be patched');
    const defaulted = copy(
      { annotations: { ...marks, ...patch.annotations } },
      { spec: { size: 'large', replicas: 1 } },
    );
    expect(types(decided(consumer({}, { size: 'large' }), defaulted))).toEqual([]);
  },
  'defaults-fought',
);

roughEdge(
  '§17.6 finalizer',
  'holds the object until its copy is gone',
  () => {
    expect(types(decided(consumer(going), copy(going), byUser))).toEqual([]);
  },
  'finalizer-released-early',
);

roughEdge(
  '§17.6 uid',
  'does not give a new object the status of a former one, but first makes the copy its own',
  () => {
    const actions = types(decided(consumer({ uid: 'another' }), copy({}, { status: { phase: 'Ready' } })));
    expect(actions).toContain('patchCopy');
    expect(actions).not.toContain('writeStatus');
  },
  'uid-never-compared',
);

roughEdge(
  '§17.6 polling',
  'does not look every second whether a namespace is there',
  () => {
    const { requeueAfterMs = Infinity } = decided(consumer(), undefined, {
      placement: { kind: 'unassigned', consumerNamespace: 'team-a', since: 0 },
    });
    expect(requeueAfterMs).toBeGreaterThan(1_000);
  },
  'namespace-polled',
);
