import type { ClusterBinding, ClusterBindingStatus, Condition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideHealth } from './decide.js';
import type { Sighting } from './sighting.js';

const sent = Date.UTC(2026, 0, 1, 12);
const minute = 60_000;

function binding(status: ClusterBindingStatus = {}): ClusterBinding {
  const metadata = { name: 'cluster', namespace: 'kube-bind-acme' };
  return {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'ClusterBinding',
    metadata,
    spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
    status,
  };
}

const reported = (heartbeatInterval = '5m0s', conditions: readonly Condition[] = []): ClusterBinding =>
  binding({ lastHeartbeatTime: '2026-01-01T12:00:00Z', heartbeatInterval, conditions });
const found = (at: number): Sighting => ({ heartbeat: '2026-01-01T12:00:00Z', at, arrived: false });
const arrived = (at: number): Sighting => ({ heartbeat: '2026-01-01T12:00:00Z', at, arrived: true });
const drifting: Condition = {
  type: 'Healthy',
  status: 'False',
  severity: 'Warning',
  reason: 'HeartbeatTimeDrift',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

describe('decideHealth', () => {
  it.each<[string, ClusterBinding, Sighting, number, object]>([
    [
      'no heartbeat yet',
      binding(),
      { ...found(sent), heartbeat: undefined },
      sent,
      { health: 'pending', condition: { status: 'False', reason: 'FirstHeartbeatPending', severity: 'Info' } },
    ],
    [
      'a time that is none',
      binding({ lastHeartbeatTime: 'yesterday', heartbeatInterval: '5m' }),
      found(sent),
      sent,
      { condition: { reason: 'FirstHeartbeatPending' } },
    ],
    [
      'no interval',
      reported(''),
      found(sent),
      sent,
      { health: 'pending', condition: { reason: 'HeartbeatIntervalMissing', severity: 'Info' } },
    ],
    ['an interval of zero', reported('0s'), found(sent), sent, { condition: { reason: 'HeartbeatIntervalMissing' } }],
    [
      'an interval before the beginning',
      reported('-5m'),
      found(sent),
      sent,
      { condition: { reason: 'HeartbeatIntervalMissing' } },
    ],
    [
      'a fresh heartbeat',
      reported(),
      arrived(sent + 400),
      sent + 400,
      { health: 'healthy', condition: { type: 'Healthy', status: 'True' }, until: sent + 400 + 10 * minute },
    ],
    [
      'one that stood there',
      reported(),
      found(sent + 4 * minute),
      sent + 4 * minute,
      { health: 'healthy', until: sent + 10 * minute },
    ],
    ['the last moment', reported(), found(sent), sent + 10 * minute, { health: 'healthy' }],
    [
      'silence',
      reported(),
      found(sent),
      sent + 10 * minute + 1,
      {
        health: 'silent',
        condition: {
          status: 'False',
          reason: 'HeartbeatTimeout',
          severity: 'Error',
          message: expect.stringContaining('since 2026-01-01T12:00:00Z'),
        },
      },
    ],
    ['silence at the first look', reported(), found(sent + 60 * minute), sent + 60 * minute, { health: 'silent' }],
    [
      'a clock that is ahead',
      reported(),
      arrived(sent - 11_000),
      sent - 11_000,
      { health: 'drifting', condition: { status: 'False', reason: 'HeartbeatTimeDrift', severity: 'Warning' } },
    ],
    ['a clock that is a little ahead', reported(), arrived(sent - 9_000), sent - 9_000, { health: 'healthy' }],
    [
      'a clock that was ahead and nearly is not',
      reported('5m', [drifting]),
      arrived(sent - 9_000),
      sent - 9_000,
      { health: 'drifting' },
    ],
    [
      'a clock that was ahead and is right',
      reported('5m', [drifting]),
      arrived(sent + 100),
      sent + 100,
      { health: 'healthy' },
    ],
    [
      'a clock that is behind by hours, while reports arrive',
      reported(),
      arrived(sent + 300 * minute),
      sent + 301 * minute,
      { health: 'drifting', until: sent + 310 * minute },
    ],
    [
      'the same after a restart',
      reported('5m', [drifting]),
      found(sent + 302 * minute),
      sent + 303 * minute,
      { health: 'drifting', until: sent + 312 * minute },
    ],
    [
      'and once it is silent',
      reported('5m', [drifting]),
      found(sent + 302 * minute),
      sent + 313 * minute,
      { health: 'silent' },
    ],
    [
      'a heartbeat out of the future',
      reported(),
      found(sent - 1_000 * minute),
      sent - 980 * minute,
      { health: 'silent' },
    ],
    ['an interval of years', reported('87600h'), found(sent), sent + 49 * 60 * minute, { health: 'silent' }],
    ['an interval of nothing', reported('1ms'), arrived(sent), sent + 9_000, { health: 'healthy' }],
  ])('%s', (_, object, sighting, now, expected) => {
    expect(decideHealth(object, sighting, now)).toMatchObject(expected);
  });

  it('says the same of every heartbeat in time, and at every moment of a silence', () => {
    const { condition } = decideHealth(reported(), arrived(sent), sent);
    expect(
      decideHealth(
        binding({ lastHeartbeatTime: '2026-01-01T12:02:30Z', heartbeatInterval: '5m0s' }),
        arrived(sent + 150_000),
        sent + 150_000,
      ).condition,
    ).toEqual(condition);
    expect(decideHealth(reported(), found(sent), sent + 11 * minute).condition).toEqual(
      decideHealth(reported(), found(sent), sent + 500 * minute).condition,
    );
  });
});
