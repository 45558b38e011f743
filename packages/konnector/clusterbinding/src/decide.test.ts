import { describe, expect, it } from '@jest/globals';
import type { ClusterBinding, Secret } from '@hawser/kube-bind';
import { type Decision, decide } from './decide.js';
import type { ConsumerSecret, Observed } from './observed.js';

const nowMs = Date.UTC(2026, 0, 1, 12);
const clusterBinding = (status?: ClusterBinding['status']): ClusterBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: 'cluster-x', uid: 'cb', resourceVersion: '1' },
  spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Databases Inc.' },
  status,
});
const secret = (data: Record<string, string>, namespace = 'kube-bind', name = 'kc'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name, uid: 'u', resourceVersion: '7' },
  type: 'Opaque',
  data,
});
const consumerSecret = (
  data: Record<string, string> | undefined,
  namespace = 'kube-bind',
  name = 'kc',
): ConsumerSecret => ({
  namespace,
  name,
  keys: ['kubeconfig'],
  reading: data === undefined ? { kind: 'missing' } : { kind: 'found', secret: secret(data, namespace, name) },
});
const provided = {
  kind: 'found',
  secret: secret({ kubeconfig: 'bmV3' }, 'cluster-x', 'kubeconfig'),
  kubeconfig: 'bmV3',
} as const;
const observed = (fields: Partial<Observed> = {}): Observed => ({
  clusterBinding: { kind: 'found', object: clusterBinding() },
  providerSecret: provided,
  consumerSecrets: [consumerSecret({ kubeconfig: 'bmV3' })],
  version: 'v0.8.1',
  heartbeat: { intervalMs: 300_000, periodMs: 140_000 },
  nowMs,
  ...fields,
});
function report(fields: Partial<Observed> = {}): Extract<Decision, { kind: 'report' }> {
  const decision = decide(observed(fields));
  if (decision.kind !== 'report') throw new Error(`decided ${decision.kind}`);
  return decision;
}

describe('decide, the report', () => {
  it('reports heartbeat, interval, version and Secret the first time', () => {
    expect(report()).toMatchObject({
      mirrors: [],
      secretValid: { status: 'True' },
      validVersion: { status: 'True' },
      status: {
        heartbeatInterval: '5m0s',
        lastHeartbeatTime: '2026-01-01T12:00:00Z',
        konnectorVersion: 'v0.8.1',
        consumerSecretRef: { namespace: 'kube-bind', name: 'kc' },
      },
      nextMs: 140_000,
    });
  });

  it('leaves the heartbeat alone until it is due', () => {
    const decision = report({
      clusterBinding: { kind: 'found', object: clusterBinding({ lastHeartbeatTime: '2026-01-01T11:59:00Z' }) },
    });
    expect(decision.status.lastHeartbeatTime).toBeUndefined();
    expect(decision.nextMs).toBe(80_000);
  });

  it('says that its version is unreadable', () => {
    expect(report({ version: 'v1.25.2+foo' })).toMatchObject({
      validVersion: { status: 'False', reason: 'ParseError', severity: 'Warning' },
      status: { konnectorVersion: 'unknown' },
    });
  });

  it.each<[string, Observed['clusterBinding'], string, string]>([
    ['is missing', { kind: 'missing' }, 'ClusterBindingNotFound', 'ClusterBinding cluster does not exist'],
    [
      'cannot be read',
      { kind: 'unreadable', error: 'list clusterbindings on the provider: Unauthorized' },
      'ClusterBindingUpdateFailed',
      'Unauthorized',
    ],
  ])('tells the bindings when the ClusterBinding %s', (_, reading, reason, words) => {
    expect(decide(observed({ clusterBinding: reading }))).toEqual({
      kind: 'disconnected',
      heartbeating: {
        type: 'Heartbeating',
        status: 'False',
        reason,
        severity: 'Warning',
        message: expect.stringContaining(words),
      },
    });
  });
});

describe('decide, the Secret that is reported', () => {
  const both = [
    consumerSecret({ kubeconfig: 'bmV3' }, 'kube-bind', 'b'),
    consumerSecret({ kubeconfig: 'bmV3' }, 'kube-bind', 'a'),
  ];
  const ref = (before: ClusterBinding['status'], consumerSecrets: ConsumerSecret[]): unknown =>
    report({ clusterBinding: { kind: 'found', object: clusterBinding(before) }, consumerSecrets }).status
      .consumerSecretRef;

  it('is the first of several', () => {
    expect(ref(undefined, both)).toEqual({ namespace: 'kube-bind', name: 'a' });
  });
  it('stays while it is one of them', () => {
    expect(ref({ consumerSecretRef: { namespace: 'kube-bind', name: 'b' } }, both)).toEqual({
      namespace: 'kube-bind',
      name: 'b',
    });
  });
  it('changes when it is not', () => {
    expect(ref({ consumerSecretRef: { namespace: 'kube-bind', name: 'old' } }, both)).toEqual({
      namespace: 'kube-bind',
      name: 'a',
    });
  });
  it('stays when there is none', () => {
    expect(
      ref({ consumerSecretRef: { namespace: 'kube-bind', name: 'b' } }, [consumerSecret(undefined)]),
    ).toBeUndefined();
  });
});

describe('decide, the mirror', () => {
  it('copies to every Secret of the connection that differs', () => {
    const consumerSecrets = [
      consumerSecret({ kubeconfig: 'b2xk' }),
      consumerSecret(undefined, 'other'),
      consumerSecret({ kubeconfig: 'bmV3' }, 'third'),
    ];
    expect(report({ consumerSecrets }).mirrors.map((action) => [action.kind, action.namespace])).toEqual([
      ['update', 'kube-bind'],
      ['create', 'other'],
    ]);
  });

  it.each<[string, Observed['providerSecret'], string, string]>([
    ['is missing', { kind: 'missing' }, 'ProviderSecretNotFound', 'Secret kubeconfig does not exist'],
    [
      'may not be read',
      { kind: 'denied', error: 'provider: list secrets: forbidden (403)' },
      'ProviderSecretReadFailed',
      'provider: list secrets',
    ],
    ['lacks the key', { ...provided, kubeconfig: undefined }, 'ProviderSecretInvalid', 'no data under key kubeconfig'],
    ['has an empty value', { ...provided, kubeconfig: '' }, 'ProviderSecretInvalid', 'no data under key kubeconfig'],
    [
      'holds a kubeconfig that is refused',
      { ...provided, refusal: 'user default runs a program' },
      'ProviderSecretInvalid',
      'user default runs a program',
    ],
  ])('leaves the consumer alone when the provider Secret %s', (_, providerSecret, reason, words) => {
    const decision = report({
      providerSecret,
      consumerSecrets: [consumerSecret({ kubeconfig: 'b2xk' }), consumerSecret(undefined, 'other')],
    });
    expect(decision.mirrors).toEqual([]);
    expect(decision.secretValid).toMatchObject({
      status: 'False',
      reason,
      severity: 'Warning',
      message: expect.stringContaining(words),
    });
  });

  it('says nothing while the provider Secret is not known', () => {
    expect(report({ providerSecret: { kind: 'unknown' }, consumerSecrets: [consumerSecret(undefined)] })).toMatchObject(
      { mirrors: [], secretValid: undefined },
    );
  });
});
