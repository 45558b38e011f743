import type { Cluster } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { withHealth } from './decide-binding.js';
import { decideOtherBackend, type ObservedBackend } from './decide-other-backend.js';

const now = Date.UTC(2026, 0, 1);
const quietMs = 3_600_000;
const silent: Cluster = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'Cluster',
  metadata: { name: 'default' },
  spec: {},
};
const decide = (observed: Partial<ObservedBackend>) =>
  decideOtherBackend({ cluster: silent, seenAt: undefined, startedAt: now - 1_000, quietMs, now, ...observed });
const reported = (cluster: Cluster, at: number): Cluster => {
  const [action] = decideOtherBackend({ cluster, seenAt: at, startedAt: at, quietMs, now: at }).actions;
  if (action === undefined) throw new Error('no action');
  return { ...cluster, status: { ...cluster.status, conditions: withHealth(cluster, action.condition, at) } };
};
const reporting = reported(silent, now - 10_000);

describe('decideOtherBackend', () => {
  it.each<[string, Partial<ObservedBackend>]>([
    ['nothing was seen, and nothing is said', {}],
    ['the Cluster is gone', { cluster: undefined, seenAt: now }],
  ])('writes nothing where %s', (_, observed) => {
    expect(decide(observed)).toEqual({ actions: [], isQuiet: false });
  });

  it.each<[string, Partial<ObservedBackend>, string | undefined, number | undefined]>([
    [
      'says that one was seen, and looks again when it may be gone',
      { seenAt: now - 1_000 },
      'OtherBackendWrites',
      quietMs - 999,
    ],
    ['says nothing twice', { cluster: reporting, seenAt: now - 1_000 }, undefined, quietMs - 999],
    [
      'goes on saying it after a restart, for as long as after a write',
      { cluster: reporting },
      undefined,
      quietMs - 999,
    ],
    [
      'counts one as gone that was not seen for long enough',
      { cluster: reporting, seenAt: now - quietMs },
      'True',
      undefined,
    ],
    [
      'counts one as gone that was not seen since a restart long ago',
      { cluster: reporting, startedAt: now - quietMs },
      'True',
      undefined,
    ],
  ])('%s', (_, observed, condition, requeueAfterMs) => {
    const decision = decide(observed);
    const [action] = decision.actions;
    expect(action?.condition.reason ?? action?.condition.status).toBe(condition);
    expect(decision).toMatchObject({ isQuiet: condition === 'True', requeueAfterMs });
  });
});
