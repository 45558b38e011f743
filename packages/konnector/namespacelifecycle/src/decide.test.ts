import { type APIServiceBinding, type APIServiceNamespace, apiVersion, labels, setCondition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import fc from 'fast-check';
import { type RequestDecision, decide, decideDeletion, decideRequest } from './decide.js';
import type { Observed, ObservedRequest, Proof } from './observed.js';
import { type NamespaceReason, namespacesInSync } from './problems.js';
import { protectionOf } from './protection.js';

const request = (metadata: Partial<APIServiceNamespace['metadata']> = {}): APIServiceNamespace => ({
  apiVersion,
  kind: 'APIServiceNamespace',
  metadata: { name: 'team-a', namespace: 'kube-bind-x', uid: 'u', ...metadata },
  spec: {},
});
const ofProvider = request({ labels: { [labels.owner]: 'provider' } });
const missing = { kind: 'missing' } as const;
const observed = (changed: Partial<ObservedRequest>): ObservedRequest => ({
  request: request(),
  namespace: missing,
  protection: undefined,
  bound: true,
  lookAgainMs: 60_000,
  ...changed,
});

describe('decideRequest', () => {
  it.each<[string, Partial<ObservedRequest>, RequestDecision['kind'] | NamespaceReason]>([
    ['makes the namespace that the provider asks for', { request: ofProvider }, 'createNamespace'],
    ['asks whether the APIServiceNamespace of a namespace that is gone is needed', {}, 'prove'],
    [
      'takes any other owner for the consumer',
      { request: request({ labels: { [labels.owner]: 'somebody' } }) },
      'prove',
    ],
    ['does nothing where the namespace is there', { namespace: { kind: 'present' } }, 'nothing'],
    [
      'does nothing where the namespace is there, and the provider asks for it',
      { request: ofProvider, namespace: { kind: 'present' }, protection: 'no' },
      'nothing',
    ],
    ['does nothing before it has looked', { request: ofProvider, namespace: { kind: 'unknown' } }, 'nothing'],
    ['deletes nothing before it has looked', { namespace: { kind: 'unknown' } }, 'nothing'],
    [
      'refuses a protected name',
      { request: ofProvider, protection: 'the name is one of Kubernetes' },
      'ProtectedNamespace',
    ],
    ['makes no more than the provider may have', { request: ofProvider, limit: 100 }, 'TooManyNamespaces'],
    [
      'says of a protected name that it is one, however many there are',
      { request: ofProvider, protection: 'no', limit: 100 },
      'ProtectedNamespace',
    ],
    ['lets the provider know of what is gone, however many there are', { limit: 100 }, 'prove'],
    [
      'says that it may not look',
      { request: ofProvider, namespace: { kind: 'denied', error: 'forbidden' } },
      'NamespacesUnreadable',
    ],
    ['deletes nothing where it may not look', { namespace: { kind: 'denied', error: 'forbidden' } }, 'nothing'],
    ['does nothing before anything is bound', { request: ofProvider, bound: false }, 'nothing'],
    ['deletes nothing while nothing is bound', { bound: false }, 'nothing'],
    [
      'does nothing for what is going',
      { request: request({ ...ofProvider.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }) },
      'nothing',
    ],
  ])('%s', (_, changed, expected) => {
    const decision = decideRequest(observed(changed));
    expect(decision.kind === 'report' ? decision.problem.reason : decision.kind).toBe(expected);
  });

  it.each<[Proof, boolean, boolean, NamespaceReason | undefined]>([
    [{ kind: 'unused' }, true, false, undefined],
    [{ kind: 'namespaceExists' }, false, false, undefined],
    [{ kind: 'otherConsumer' }, false, false, undefined],
    [{ kind: 'unknownConsumer', identity: 'me' }, false, false, 'ServiceNamespaceOfUnknownConsumer'],
    [{ kind: 'objectsLeft', object: 'databases.example.com one' }, false, true, 'ServiceNamespaceInUse'],
    [{ kind: 'unproven', why: 'no' }, false, true, 'ServiceNamespaceKept'],
  ])('deletes only what is proven unused: %j', (proof, deletes, again, reason) => {
    const decision = decideDeletion('team-a', proof);
    expect(decision.kind).toBe(deletes ? 'delete' : 'keep');
    if (decision.kind === 'keep') expect([decision.again, decision.problem?.reason]).toEqual([again, reason]);
  });

  it('makes no namespace that is protected, whatever it sees', () => {
    const namespace = fc.constantFrom<ObservedRequest['namespace']>(
      { kind: 'present' },
      missing,
      { kind: 'unknown' },
      { kind: 'denied', error: 'no' },
    );
    fc.assert(
      fc.property(
        fc.constantFrom('default', 'kube-system', 'kube-x', 'own', 'team-a', 'kubernetes'),
        fc.boolean(),
        namespace,
        fc.boolean(),
        (name, provider, reading, bound) => {
          const decision = decideRequest({
            request: {
              ...(provider ? ofProvider : request()),
              metadata: { ...(provider ? ofProvider : request()).metadata, name },
            },
            namespace: reading,
            protection: protectionOf(name, ['own']),
            bound,
            lookAgainMs: 60_000,
          });
          if (decision.kind === 'createNamespace') expect(['team-a', 'kubernetes']).toContain(name);
          if (decision.kind === 'createNamespace' || decision.kind === 'prove')
            expect([reading.kind, bound]).toEqual(['missing', true]);
        },
      ),
    );
  });
});

describe('decide', () => {
  const of = (changed: Partial<ObservedRequest>) => decide({ kind: 'request', ...observed(changed) });
  const binding: APIServiceBinding = {
    apiVersion,
    kind: 'APIServiceBinding',
    metadata: { name: 'databases' },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  };
  const on = (changed: Partial<Extract<Observed, { kind: 'binding' }>>) =>
    decide({ kind: 'binding', binding, problems: [], now: 0, ...changed });

  it('makes a namespace, and says nothing before it is made', () => {
    expect(of({ request: ofProvider, provider: 'p' })).toEqual({
      actions: [{ type: 'createNamespace', request: ofProvider, provider: 'p' }],
    });
  });

  it('deletes what is proven unused, and ends with that: no cache shows it at once', () => {
    expect(of({ proof: { kind: 'unused' } })).toEqual({
      actions: [{ type: 'deleteRequest', request: request() }],
      ends: { kind: 'done' },
    });
  });

  it('looks again at what is kept for the sake of the provider, and at nothing else', () => {
    expect(of({ proof: { kind: 'objectsLeft', object: 'databases.example.com one' } })).toMatchObject({
      actions: [],
      report: { problem: { reason: 'ServiceNamespaceInUse' } },
      requeueAfterMs: 60_000,
    });
    expect(of({ proof: { kind: 'otherConsumer' } })).toEqual({
      actions: [],
      report: { problem: undefined },
      requeueAfterMs: undefined,
    });
  });

  it('takes back what was said of a namespace that is there, and not before it has looked', () => {
    expect(of({ namespace: { kind: 'present' } })).toEqual({ actions: [], report: { problem: undefined } });
    expect(of({ namespace: { kind: 'unknown' } })).toEqual({ actions: [], report: undefined });
  });

  it('writes a condition where there is something to say, or was', () => {
    const problems = [{ reason: 'ProtectedNamespace' as const, message: 'x.' }];
    const condition = namespacesInSync(problems);
    expect(on({})).toEqual({ actions: [] });
    expect(on({ problems })).toEqual({ actions: [{ type: 'writeCondition', binding, condition }] });
    const reportedBinding = { ...binding, status: { conditions: setCondition(undefined, condition, 0) } };
    expect(on({ binding: reportedBinding, problems })).toEqual({ actions: [] });
    expect(on({ binding: reportedBinding })).toEqual({
      actions: [{ type: 'writeCondition', binding: reportedBinding, condition: namespacesInSync([]) }],
    });
  });

  it('says nothing on a binding before all requests were looked at, or after it has left', () => {
    expect([on({ problems: undefined }), on({ binding: undefined })]).toEqual([{ actions: [] }, { actions: [] }]);
  });
});

describe('namespacesInSync', () => {
  it('has no severity, so that no summary counts it', () => {
    expect(namespacesInSync([{ reason: 'ProtectedNamespace', message: 'x' }])).toMatchObject({
      status: 'False',
      reason: 'ProtectedNamespace',
      severity: '',
    });
    expect(namespacesInSync([])).toMatchObject({ type: 'NamespacesInSync', status: 'True' });
  });
  it('does not tell everything', () => {
    expect(
      namespacesInSync(
        Array.from({ length: 8 }, (_, n) => ({ reason: 'ServiceNamespaceInUse' as const, message: `${n}.` })),
      ).message,
    ).toBe('0. 1. 2. 3. 4. And 3 more.');
  });
  it('tells once what is the same for several', () => {
    const problems = ['a.', 'a.', 'b.', 'a.'].map((message) => ({ reason: 'TooManyNamespaces' as const, message }));
    expect(namespacesInSync(problems).message).toBe('a. b.');
  });
});

roughEdge(
  '§17.9 namespaces',
  'an APIServiceNamespace goes only if nobody needs it, not because the namespace of its name is missing',
  () => {
    for (const proof of [
      { kind: 'otherConsumer' },
      { kind: 'objectsLeft', object: 'databases.example.com one' },
      { kind: 'unproven', why: 'no' },
    ] as const)
      expect(decideDeletion('team-a', proof).kind).toBe('keep');
  },
  'namespace-deleted-unproven',
);
