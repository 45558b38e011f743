import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import { observe } from './observe.js';

const clusterBinding = (spec: object): object => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: 'kube-bind-x' },
  spec,
});

describe('a ClusterBinding that lacks what the contract requires', () => {
  it.each([
    [{ providerPrettyName: 'P' }],
    [{ providerPrettyName: 'P', kubeconfigSecretRef: 'x' }],
    [{ providerPrettyName: 'P', kubeconfigSecretRef: { name: 1, key: 'k' } }],
  ])('is told of: %j', (spec) => {
    const observer = {
      connection: { clusterNamespace: 'kube-bind-x', secrets: () => [] },
      consumerSecrets: { want: () => undefined },
      clusterBindings: { state: { phase: 'watching' }, get: () => clusterBinding(spec) },
      version: 'v1',
    };
    const decision = decide(observe(observer as never, { intervalMs: 1_000 } as never, 0));
    expect(decision).toMatchObject({
      kind: 'disconnected',
      heartbeating: { message: expect.stringContaining('spec.kubeconfigSecretRef') },
    });
  });
});
