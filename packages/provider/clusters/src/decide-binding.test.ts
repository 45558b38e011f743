import type { ClusterBinding } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideBinding, withHealth } from './decide-binding.js';

const now = Date.UTC(2026, 0, 1);
const binding: ClusterBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: 'acme' },
  spec: { kubeconfigSecretRef: { name: 'k', key: 'k' }, providerPrettyName: 'Lab' },
  status: { lastHeartbeatTime: '2025-12-31T23:59:58Z', heartbeatInterval: '10s' },
};
const sighting = { heartbeat: '2025-12-31T23:59:58Z', at: now - 2_000, arrived: true };

describe('decideBinding', () => {
  it('reports a health that the status does not say, and looks again when the time of the heartbeat is up', () => {
    expect(decideBinding({ seen: { binding, sighting }, now })).toMatchObject({
      health: 'healthy',
      actions: [{ type: 'report', binding, health: 'healthy', condition: { type: 'Healthy', status: 'True' } }],
      requeueAfterMs: 18_001,
    });
  });

  it('writes nothing that the status says already', () => {
    const {
      actions: [action],
    } = decideBinding({ seen: { binding, sighting }, now });
    if (action === undefined) throw new Error('no action');
    const reported = {
      ...binding,
      status: { ...binding.status, conditions: withHealth(binding, action.condition, now) },
    };
    expect(decideBinding({ seen: { binding: reported, sighting }, now: now + 1_000 })).toEqual({
      health: 'healthy',
      actions: [],
      requeueAfterMs: 17_001,
    });
  });

  it('knows no health of a ClusterBinding that is gone', () => {
    expect(decideBinding({ seen: undefined, now })).toEqual({ actions: [], health: undefined });
  });
});
