import { describe, expect, it } from '@jest/globals';
import { leaderOf } from './leader.js';

const now = Date.UTC(2026, 4, 1, 12);
const lease = (holderIdentity: string, renewTime: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'hawser-provider' },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime, leaseTransitions: 3 },
});

describe('leaderOf', () => {
  it('says that the holder leads only as long as it renews in time', () => {
    expect(leaderOf(lease('pod-a', '2026-05-01T11:59:50.000000Z'), now)).toEqual({
      state: 'leads',
      identity: 'pod-a',
      renewed: '2026-05-01T11:59:50.000000Z',
      transitions: 3,
    });
    expect(leaderOf(lease('pod-a', '2026-05-01T11:59:40.000000Z'), now).state).toBe('stale');
    expect(leaderOf(lease('pod-a', 'once'), now).state).toBe('stale');
  });

  it('says that none leads where the Lease is free or missing', () => {
    expect([leaderOf(lease('', '2026-05-01T11:59:50.000000Z'), now).state, leaderOf(undefined, now).state]).toEqual([
      'none',
      'none',
    ]);
  });
});
