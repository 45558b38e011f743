import {
  type APIServiceBinding,
  type ClusterBinding,
  type NewCondition,
  type Secret,
  falseCondition,
  setCondition,
  trueCondition,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { nextBindingStatus, nextClusterBindingStatus } from './commit.js';
import { type Round, decideRound } from './decide-round.js';
import type { Observed } from './observed.js';

const nowMs = Date.UTC(2026, 0, 1, 12);
const valid = trueCondition('SecretValid');
const refused = falseCondition('SecretValid', 'ConsumerSecretUpdateFailed', 'Warning', 'refused');
const secret = (kubeconfig: string, namespace: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: 'kubeconfig', uid: 'u', resourceVersion: '7' },
  data: { kubeconfig },
});
const clusterBinding: ClusterBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: 'cluster-x', uid: 'cb', resourceVersion: '1' },
  spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Databases Inc.' },
};
const seen = (consumer: string, changed: Partial<Observed> = {}): Observed => ({
  clusterBinding: { kind: 'found', object: clusterBinding },
  providerSecret: { kind: 'found', secret: secret('bmV3', 'cluster-x'), kubeconfig: 'bmV3' },
  consumerSecrets: [
    {
      namespace: 'kube-bind',
      name: 'kubeconfig',
      keys: ['kubeconfig'],
      reading: { kind: 'found', secret: secret(consumer, 'kube-bind') },
    },
  ],
  version: 'v0.8.1',
  heartbeat: { intervalMs: 300_000, periodMs: 140_000 },
  nowMs,
  ...changed,
});
const inStep = 'bmV3';
const behind = 'b2xk';
const missing: Partial<Observed> = { clusterBinding: { kind: 'missing' } };
const mirror = (one: Observed, waitMs = 0) => decideRound({ kind: 'mirror', waitMs, undoneMs: 0, seen: one });
const report = (one: Observed, secretValid?: NewCondition, waitMs = 0, undoneMs = 0) =>
  decideRound({ kind: 'report', waitMs, undoneMs, seen: one, secretValid });

describe('decideRound, the Secrets', () => {
  it('copies what is behind, and says nothing of it before that is done', () => {
    expect(mirror(seen(behind))).toEqual({
      actions: [
        {
          type: 'mirrorSecrets',
          mirrors: [expect.objectContaining({ kind: 'update' })],
          source: secret('bmV3', 'cluster-x'),
          secretValid: valid,
        },
      ],
      ends: { kind: 'done' },
    });
  });
  it('says what it finds where nothing is to be copied', () => {
    expect(mirror(seen(inStep))).toEqual({ actions: [], secretValid: valid });
  });
  it('does nothing without a ClusterBinding', () => {
    expect(mirror(seen(behind, missing))).toEqual({ actions: [] });
  });
  it('waits while its budget is spent', () => {
    expect(mirror(seen(behind), 2_000)).toMatchObject({ actions: [], requeueAfterMs: 2_000 });
  });
});

describe('decideRound, the report', () => {
  const reported = (secretValid: NewCondition): Observed => {
    const [action] = report(seen(inStep), secretValid).actions;
    if (action?.type !== 'report') throw new Error('no report');
    const status = nextClusterBindingStatus({}, action.status, [secretValid, action.validVersion], nowMs);
    return seen(inStep, { clusterBinding: { kind: 'found', object: { ...clusterBinding, status } } });
  };

  it('says of the Secrets what mirroring has come to', () => {
    expect(report(seen(behind), refused).actions).toMatchObject([{ type: 'report', secretValid: refused }]);
  });
  it('needs no mirroring where the Secrets are in step', () => {
    expect(report(seen(inStep))).toMatchObject({ actions: [{ secretValid: valid }], secretValid: valid });
    expect(report(seen(behind))).toMatchObject({ actions: [{ secretValid: undefined }], secretValid: undefined });
  });
  it('comes back for the next heartbeat', () => {
    expect(report(seen(inStep)).ends).toEqual({ kind: 'requeue', afterMs: 140_000 });
  });
  it('writes nothing that is said, and has the bindings say that reports arrive', () => {
    expect(report(reported(valid), valid)).toEqual({
      actions: [],
      secretValid: valid,
      heartbeating: trueCondition('Heartbeating'),
      requeueAfterMs: 140_000,
      requeuePriority: 'normal',
    });
    expect(report(reported(valid), refused).actions).toHaveLength(1);
  });
  it('has the bindings say that there is nothing to report to', () => {
    expect(report(seen(inStep, missing))).toEqual({
      actions: [],
      heartbeating: expect.objectContaining({ status: 'False', reason: 'ClusterBindingNotFound' }),
    });
  });
  it('writes what does not stay later, but a heartbeat in time', () => {
    // The conditions were taken away.
    const { clusterBinding: found } = reported(valid);
    if (found.kind !== 'found') throw new Error('no ClusterBinding');
    const status = { ...found.object.status, conditions: [] };
    const stripped = seen(inStep, { clusterBinding: { kind: 'found', object: { ...found.object, status } } });
    expect(report(stripped, valid).actions).toHaveLength(1);
    expect(report(stripped, valid, 0, 7_000)).toMatchObject({ actions: [], requeueAfterMs: 7_000 });
    expect(report(stripped, valid, 0, 200_000)).toMatchObject({ actions: [], requeueAfterMs: 140_000 });
    expect(report(seen(inStep), valid, 0, 7_000).actions).toHaveLength(1);
  });
  it('waits while its budget is spent', () => {
    expect(report(seen(inStep), valid, 15_000)).toMatchObject({ actions: [], requeueAfterMs: 15_000 });
  });
});

describe('decideRound, a binding', () => {
  const heartbeating = trueCondition('Heartbeating');
  const binding: APIServiceBinding = {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { name: 'databases' },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  };
  const of = (changed: Partial<Extract<Round, { kind: 'binding' }>>) =>
    decideRound({ kind: 'binding', waitMs: 0, undoneMs: 0, binding, heartbeating, nowMs, ...changed });

  it('says what is known of the reports, once', () => {
    expect(of({})).toEqual({ actions: [{ type: 'tellBinding', binding, heartbeating }], ends: { kind: 'done' } });
    expect(of({ binding: { ...binding, status: nextBindingStatus({}, heartbeating, nowMs) } })).toEqual({
      actions: [],
    });
  });
  it('says what does not stay later', () => {
    expect(of({ undoneMs: 7_000 })).toEqual({ actions: [], requeueAfterMs: 7_000, requeuePriority: 'normal' });
  });
  it.each<[string, Partial<Extract<Round, { kind: 'binding' }>>]>([
    // Another condition of it waits for a summary, which is not for this key to write.
    [
      'before the first report',
      {
        heartbeating: undefined,
        binding: { ...binding, status: { conditions: setCondition(undefined, trueCondition('Connected'), nowMs) } },
      },
    ],
    ['that another connection serves', { binding: undefined }],
  ])('%s is left alone', (_, changed) => {
    expect(of(changed)).toEqual({ actions: [] });
  });
});
