import { ApiError } from '@hawser/client';
import { type APIServiceBinding, type APIServiceExport, consentText, hawserAnnotations } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { nextStatus } from './commit.js';
import { concludeWithoutExport } from './conclude.js';
import { concludeBinding } from './conclude-binding.js';
import { type RoundDecision, decideRound } from './decide-round.js';
import { type Decision, decide } from './decide.js';
import type { Attempt, Observed, ResourceObserved } from './observed.js';
import { isSettled, resultOf } from './resource-action.js';

const time = Date.UTC(2026, 0, 1);
const name = 'tests.example.com';
const owner = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  name: 'tests',
  uid: 'b-1',
  controller: true,
};
const binding: APIServiceBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'tests', uid: 'b-1', creationTimestamp: '2026-01-01T00:00:00Z' },
};
const exported: APIServiceExport = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  metadata: { name: 'tests', namespace: 'cluster-x' },
  spec: {
    resources: [{ group: 'example.com', resource: 'tests', versions: ['v1'] }],
    informerScope: 'Cluster',
    isolation: 'Prefixed',
  },
};
const lastAttempt: Attempt = { wantedHash: 'h', live: 'c-1/3', atMs: 0, outcome: { kind: 'inStep' } };
const installed: ResourceObserved = {
  name,
  resource: { group: 'example.com', resource: 'tests' },
  schema: {
    kind: 'found',
    wanted: {
      name,
      hash: 'h',
      spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'tests', kind: 'Test' }, versions: [] },
    },
  },
  crd: {
    kind: 'present',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name, uid: 'c-1', generation: 3, ownerReferences: [owner] },
    },
  },
  lastAttempt,
};
const seen = (changed: Partial<Observed> = {}, resource: Partial<ResourceObserved> = {}): Observed => ({
  binding,
  export: { kind: 'found', export: exported },
  resources: [{ ...installed, ...resource }],
  prettyName: { kind: 'known', value: 'Databases Inc.' },
  nowMs: 0,
  time,
  ...changed,
});
const decided = (observed: Observed, recordsConsent = true, watched = true, undoneMs = 0): RoundDecision =>
  decideRound({ kind: 'served', observed, watched, undoneMs }, recordsConsent);
/** As it is when all that is to be said stands in its status. */
function reported(observed: Observed): Observed {
  const decision: Decision = decide(observed);
  if (decision.kind === 'leave') throw new Error('nothing is said');
  const conditions =
    decision.kind === 'noExport'
      ? concludeWithoutExport(decision.problem)
      : concludeBinding(observed.binding, decision, decision.resources.filter(isSettled).map(resultOf));
  return { ...observed, binding: { ...observed.binding, status: nextStatus({}, decision.status, conditions, time) } };
}

describe('decideRound', () => {
  it('releases what was kept for a binding that is not served', () => {
    expect(decideRound({ kind: 'notServed' }, true)).toEqual({ actions: [], export: 'notServed' });
  });

  it('waits while the budget of writes is spent', () => {
    expect(decideRound({ kind: 'waiting', waitMs: 2_000 }, true)).toEqual({
      actions: [],
      requeueAfterMs: 2_000,
      requeuePriority: 'normal',
    });
  });

  it('leaves a binding alone that is going', () => {
    const going = { ...binding, metadata: { ...binding.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(decided(seen({ binding: going }))).toEqual({ actions: [] });
  });

  it('says once that there is no export, and asks for the request', () => {
    const observed = seen({ export: { kind: 'missing' } });
    expect(decided(observed)).toMatchObject({ actions: [{ type: 'report', binding }], export: 'missing' });
    expect(decided(reported(observed))).toMatchObject({ actions: [], export: 'missing' });
  });

  it('writes nothing where everything is in step, and remembers what it has found', () => {
    const observed = reported(seen());
    expect(decided(observed)).toEqual({
      actions: [],
      export: 'found',
      settled: { observed, actions: [expect.objectContaining({ kind: 'inStep', name })] },
    });
  });

  it('looks again after a minute where no watch tells of schemas', () => {
    expect(decided(reported(seen()), true, false)).toMatchObject({
      actions: [],
      requeueAfterMs: 60_000,
      requeuePriority: 'background',
    });
  });

  it('writes a status that does not stay later, but everything else at once', () => {
    const later = { actions: [], requeueAfterMs: 7_000 };
    const { binding: before, ...inStep } = reported(seen());
    const status = { ...before.status, conditions: [] };
    const stripped = { ...inStep, binding: { ...before, status } };
    const late = (observed: Observed, watched = true): RoundDecision => decided(observed, true, watched, 7_000);
    expect(late(seen({ export: { kind: 'missing' } }))).toEqual({ ...later, export: 'missing' });
    expect(decided(stripped).actions).toMatchObject([{ type: 'bind' }]);
    expect(late(stripped)).toMatchObject({ ...later, export: 'found', settled: { actions: [{ kind: 'inStep' }] } });
    expect(late(stripped, false)).toMatchObject(later);
    expect(decided(stripped, true, false, 90_000)).toMatchObject({ actions: [], requeueAfterMs: 60_000 });
    expect(late(reported(seen()))).not.toHaveProperty('requeueAfterMs');
    expect(late(seen({}, { crd: { kind: 'absent' }, lastAttempt: undefined })).actions).toMatchObject([
      { type: 'bind' },
    ]);
  });

  it.each<[string, Observed, boolean]>([
    ['the status lacks something', seen(), false],
    ['a CRD is missing', reported(seen({}, { crd: { kind: 'absent' }, lastAttempt: undefined })), false],
    ['the cache lags behind', reported(seen({}, { lastAttempt: undefined })), false],
    [
      'a read has failed, and is to be tried again',
      reported(
        seen(
          {},
          {
            schema: {
              kind: 'unreadable',
              error: new ApiError('Forbidden', 'forbidden', {
                cluster: 'provider',
                verb: 'get',
                resource: 'boundschemas',
              }),
            },
          },
        ),
      ),
      false,
    ],
    ['the consent is not written down', consenting(), true],
  ])('binds where %s', (_, observed, recordsConsent) => {
    expect(decided(observed, recordsConsent)).toMatchObject({ actions: [{ type: 'bind' }], export: 'found' });
  });

  it('does not write a consent down where the binding says it itself', () => {
    expect(decided(consenting(), false).actions).toEqual([]);
  });
});

/** Its annotation agrees to a claim that the record does not have yet. */
function consenting(): Observed {
  const permissionClaims = [{ group: '', resource: 'secrets', selector: { labelSelector: {} } }];
  const annotations = {
    [hawserAnnotations.claimConsent]: consentText('b-1', new Map()),
    [hawserAnnotations.acceptedClaims]: '*',
  };
  return reported(
    seen({
      binding: { ...binding, metadata: { ...binding.metadata, annotations } },
      export: { kind: 'found', export: { ...exported, spec: { ...exported.spec, permissionClaims } } },
    }),
  );
}
