import type { KubeObject } from '@hawser/client';
import type {
  BindableResourcesRequest,
  BindableResourcesRequestSpec,
  BindableResourcesRequestStatus,
  ClusterBinding,
  Secret,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideRequest } from './decide-request.js';
import type { ObservedRequest, OnboardingSettings } from './observed-request.js';
import type { RequestDecision } from './request-decision.js';
import { withOutcome } from './request-outcome.js';
import { reportProblem } from './request-problem.js';

const now = Date.UTC(2026, 0, 1, 12);
const created = '2026-01-01T11:00:00Z';
const settings: OnboardingSettings = { namespacePrefix: 'kube-bind-', prettyName: 'Lab', requestNamespaces: undefined };
/** `kube-bind-` and the hash of `test-id-123` (spec/kube-bind-api.md §13.1). */
const home = 'kube-bind-37p3oxx6sh4fd';

type Spec = Partial<BindableResourcesRequestSpec>;

function request(
  spec: Spec = {},
  status: BindableResourcesRequestStatus = { phase: 'Pending' },
  metadata: Partial<KubeObject['metadata']> = {},
): BindableResourcesRequest {
  return {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BindableResourcesRequest',
    metadata: {
      name: 'acme',
      namespace: 'onboarding',
      uid: 'request',
      generation: 1,
      creationTimestamp: created,
      ...metadata,
    },
    spec: { author: 'jane', clusterIdentity: { identity: 'test-id-123' }, ...spec },
    status,
  };
}
const namespace = (
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  more: Partial<KubeObject['metadata']> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations, creationTimestamp: created, ...more },
});
const ours = (name = home, from = 'onboarding'): KubeObject =>
  namespace(name, { 'backend.kube-bind.io/identity': 'test-id-123', 'hawser.dev/onboarding-namespaces': from });
const goMade = (): KubeObject => namespace(home, { 'backend.kube-bind.io/identity': 'test-id-123' });
const binding = (annotations: Readonly<Record<string, string>> = {}, of = home): ClusterBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: of, annotations },
  spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
});
const kubeconfig: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'kubeconfig', namespace: home },
  data: { kubeconfig: 'a3ViZWNvbmZpZw==' },
};

function observed(parts: Partial<ObservedRequest> = {}): ObservedRequest {
  return {
    request: request(),
    home: namespace('onboarding'),
    hasTemplate: false,
    named: undefined,
    claiming: [],
    hasRights: false,
    kubeconfig: undefined,
    siblings: [],
    ...parts,
  };
}
const decide = (parts: Partial<ObservedRequest> = {}, with_: Partial<OnboardingSettings> = {}): RequestDecision => ({
  action: undefined,
  at: undefined,
  ...decideRequest({ ...settings, ...with_ }, observed(parts), now),
});
const ready = { named: ours(), claiming: [{ namespace: ours(), binding: binding() }], hasRights: true, kubeconfig };
const problem = (decision: RequestDecision): unknown =>
  decision.action?.type === 'writeStatus' && decision.action.outcome.kind === 'problem'
    ? decision.action.outcome.problem
    : decision;

describe('decideRequest', () => {
  it('makes the namespace with the name and the marks of the contract', () => {
    expect(decide().action).toEqual({
      type: 'createNamespace',
      object: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: home,
          annotations: {
            'backend.kube-bind.io/identity': 'test-id-123',
            'backend.kube-bind.io/author': 'jane',
            'hawser.dev/onboarding-namespaces': 'onboarding',
          },
        },
      },
    });
  });

  it('makes the ClusterBinding as the Go backend does', () => {
    const spec = { providerPrettyName: 'Lab', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } };
    const made = (parts: Spec): unknown =>
      decide({ request: request(parts), named: ours(), claiming: [{ namespace: ours(), binding: undefined }] }).action;
    expect(made({})).toMatchObject({
      type: 'createBinding',
      object: {
        metadata: {
          name: 'cluster',
          namespace: home,
          annotations: {
            'backend.kube-bind.io/identity': 'test-id-123',
            'backend.kube-bind.io/author': 'jane',
            'backend.kube-bind.io/cluster-pretty-name': 'acme',
          },
        },
        spec,
      },
    });
    expect(made({ author: '', clusterIdentity: { identity: 'test-id-123', prettyName: 'Acme Inc' } })).toMatchObject({
      object: {
        metadata: {
          annotations: {
            'backend.kube-bind.io/identity': 'test-id-123',
            'backend.kube-bind.io/cluster-pretty-name': 'Acme Inc',
          },
        },
      },
    });
  });

  it('waits for rights and kubeconfig, and says so when that takes long', () => {
    const young = request({}, { phase: 'Pending' }, { creationTimestamp: '2026-01-01T11:59:55Z' });
    expect(decide({ ...ready, request: young, hasRights: false })).toEqual({ action: undefined, at: now + 5_000 });
    expect(problem(decide({ ...ready, hasRights: false }))).toMatchObject({ kind: 'notReady', missing: 'RoleBinding' });
    expect(problem(decide({ ...ready, kubeconfig: undefined }))).toMatchObject({
      kind: 'notReady',
      missing: 'kubeconfig',
    });
  });

  it.each<[string, Spec, object]>([
    ['a name of its own', {}, { name: 'acme-binding-response', key: 'binding-response' }],
    [
      'the name that is asked for',
      { kubeconfigSecretRef: { name: 'here', key: 'response' } },
      { name: 'here', key: 'response' },
    ],
    ['the usual key', { kubeconfigSecretRef: { name: 'here', key: '' } }, { name: 'here', key: 'kubeconfig' }],
  ])('delivers under %s', (_, spec, secret) => {
    expect(decide({ ...ready, request: request(spec) }).action).toMatchObject({
      type: 'deliver',
      namespace: home,
      secret,
      kubeconfig: 'a3ViZWNvbmZpZw==',
    });
  });

  const long = 'x'.repeat(245);
  it.each<[string, unknown, object]>([
    [
      'a namespace that is not opened',
      problem(decide({}, { requestNamespaces: ['admins'] })),
      { kind: 'namespaceNotAllowed' },
    ],
    ["a consumer's own namespace", problem(decide({ home: ours('onboarding') })), { kind: 'consumersNamespace' }],
    [
      'a namespace of a consumer of another dialect',
      problem(
        decide(
          { home: namespace('onboarding', { 'other.example/identity': 'jane' }) },
          { isOtherConsumers: ({ metadata }) => metadata.annotations?.['other.example/identity'] !== undefined },
        ),
      ),
      { kind: 'consumersNamespace' },
    ],
    [
      'a service namespace',
      problem(decide({ home: namespace('onboarding', { 'kube-bind.io/api-service-namespace': 'a/b' }) })),
      { kind: 'consumersNamespace' },
    ],
    ['no identity', problem(decide({ request: request({ clusterIdentity: {} }) })), { kind: 'identityMissing' }],
    [
      'an empty identity',
      problem(decide({ request: request({ clusterIdentity: { identity: '' } }) })),
      { kind: 'identityMissing' },
    ],
    [
      'an endless identity',
      problem(decide({ request: request({ clusterIdentity: { identity: 'x'.repeat(1_025) } }) })),
      { kind: 'identityTooLong', length: 1_025 },
    ],
    [
      'a TTL that is none',
      problem(decide({ request: request({ ttlAfterFinished: '1 day' }) })),
      { kind: 'invalidTTL' },
    ],
    [
      'a name that overflows once the suffix is there',
      problem(decide({ request: request({}, { phase: 'Pending' }, { name: long }) })),
      { kind: 'secretNameInvalid', name: `${long}-binding-response` },
    ],
    [
      'a name that no Secret can have',
      problem(decide({ request: request({ kubeconfigSecretRef: { name: 'A', key: 'k' } }) })),
      { kind: 'secretNameInvalid' },
    ],
    [
      'a key that no Secret can have',
      problem(decide({ request: request({ kubeconfigSecretRef: { name: 'a', key: '../k' } }) })),
      { kind: 'secretNameInvalid' },
    ],
    [
      'a template that does not exist',
      problem(decide({ request: request({ templateRef: { name: 'db' } }) })),
      { kind: 'templateNotFound', name: 'db' },
    ],
    [
      'a prefix that is too long',
      problem(decide({}, { namespacePrefix: `${'p'.repeat(60)}-` })),
      { kind: 'namespaceNameInvalid' },
    ],
    [
      'a foreign namespace in the way',
      problem(decide({ named: namespace(home) })),
      { kind: 'namespaceConflict', name: home, isOthers: false },
    ],
    [
      "another consumer's namespace in the way",
      problem(decide({ named: namespace(home, { 'backend.kube-bind.io/identity': 'collides' }) })),
      { kind: 'namespaceConflict', isOthers: true },
    ],
    [
      'a namespace that is going',
      problem(
        decide({
          named: { ...ours(), metadata: { ...ours().metadata, deletionTimestamp: created } },
          claiming: [
            {
              namespace: { ...ours(), metadata: { ...ours().metadata, deletionTimestamp: created } },
              binding: undefined,
            },
          ],
        }),
      ),
      { kind: 'namespaceTerminating' },
    ],
    [
      'two namespaces in use',
      problem(
        decide({
          ...ready,
          claiming: [...ready.claiming, { namespace: ours('other'), binding: binding({}, 'other') }],
        }),
      ),
      { kind: 'identityAmbiguous', names: [home, 'other'] },
    ],
    [
      'a consumer of somebody else',
      problem(decide({ ...ready, claiming: [{ namespace: ours(home, 'elsewhere, there'), binding: binding() }] })),
      { kind: 'identityTaken', name: home, namespace: 'onboarding' },
    ],
    [
      'a consumer of the Go backend that nobody asked for from here',
      problem(decide({ ...ready, claiming: [{ namespace: goMade(), binding: binding() }] })),
      { kind: 'identityTaken' },
    ],
    [
      'a consumer without access by a word of its namespace',
      problem(
        decide({
          ...ready,
          claiming: [
            {
              namespace: {
                ...ours(),
                metadata: {
                  ...ours().metadata,
                  annotations: { ...ours().metadata.annotations, 'hawser.dev/revoke-credential': 'lost' },
                },
              },
              binding: binding(),
            },
          ],
        }),
      ),
      { kind: 'credentialRevoked' },
    ],
    [
      'a consumer without access',
      problem(
        decide({
          ...ready,
          claiming: [{ namespace: ours(), binding: binding({ 'hawser.dev/revoke-credential': 'lost' }) }],
        }),
      ),
      { kind: 'credentialRevoked' },
    ],
  ])('does nothing for %s but to say so', (_, found, expected) => {
    expect(found).toMatchObject(expected);
  });

  it.each<[string, RequestDecision]>([
    [
      'listed among others',
      decide({ ...ready, claiming: [{ namespace: ours(home, 'elsewhere, onboarding'), binding: binding() }] }),
    ],
    [
      'trusted with all',
      decide(
        { ...ready, claiming: [{ namespace: goMade(), binding: binding() }] },
        { requestNamespaces: ['onboarding'] },
      ),
    ],
    [
      'where the Go backend answered a request that is as old as the consumer',
      decide({
        ...ready,
        claiming: [{ namespace: goMade(), binding: binding() }],
        siblings: [request({}, { phase: 'Succeeded', namespace: home }, { name: 'first', creationTimestamp: created })],
      }),
    ],
    [
      'for a consumer that has an old name',
      decide({
        ...ready,
        named: undefined,
        claiming: [{ namespace: ours('kube-bind-x7f'), binding: binding({}, 'kube-bind-x7f') }],
      }),
    ],
  ])('delivers to a namespace %s', (_, { action }) => {
    expect(action?.type).toBe('deliver');
  });

  it.each<[string, BindableResourcesRequest]>([
    [
      'is younger than the consumer',
      request({}, { phase: 'Succeeded', namespace: home }, { name: 'late', creationTimestamp: '2026-01-01T11:00:01Z' }),
    ],
    [
      'was for another',
      request({ clusterIdentity: { identity: 'other' } }, { phase: 'Succeeded', namespace: home }, { name: 'other' }),
    ],
    ['was not answered', request({}, { phase: 'Pending', namespace: home }, { name: 'open' })],
  ])('is not persuaded by a request that %s', (_, sibling) => {
    expect(
      problem(decide({ ...ready, claiming: [{ namespace: goMade(), binding: binding() }], siblings: [sibling] })),
    ).toMatchObject({ kind: 'identityTaken' });
  });

  it("is not persuaded by a namespace that merely says it is the consumer's", () => {
    expect(decide({ claiming: [{ namespace: ours('trap'), binding: undefined }] }).action).toMatchObject({
      type: 'createNamespace',
      object: { metadata: { name: home } },
    });
  });

  it.each<[string, Spec, RequestDecision]>([
    ['stays without a TTL', {}, { action: undefined, at: undefined }],
    [
      'goes when its time is up',
      { ttlAfterFinished: '59m' },
      { action: { type: 'deleteRequest', request: expect.anything() as never } },
    ],
    ['is looked at again at its end', { ttlAfterFinished: '1h30m' }, { action: undefined, at: now + 1_800_000 }],
    ['stays with a TTL that nobody understands', { ttlAfterFinished: 'later' }, { action: undefined, at: undefined }],
  ])('an answered request %s', (_, spec, expected) => {
    for (const phase of ['Succeeded', 'Failed'] as const) {
      expect(
        decide({ ...ready, request: request(spec, { phase, completionTime: '2026-01-01T11:00:00Z' }) }),
      ).toMatchObject(expected);
    }
  });

  it('says the same thing once', () => {
    const first = decide({ request: request({ clusterIdentity: {} }) }).action;
    if (first?.type !== 'writeStatus') throw new Error('nothing was said');
    const status = withOutcome(first.request, first.outcome, now);
    expect(status).toMatchObject({
      phase: 'Pending',
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          observedGeneration: 1,
          reason: 'IdentityMissing',
          lastTransitionTime: '2026-01-01T12:00:00Z',
        },
      ],
    });
    expect(decide({ request: request({ clusterIdentity: {} }, status) })).toEqual({ action: undefined, at: undefined });
    expect(withOutcome(request({}, { phase: 'Succeeded' }), first.outcome, now)).toEqual({ phase: 'Succeeded' });
  });

  it('says of every problem who must do what', () => {
    for (const found of [
      { kind: 'identityMissing' },
      { kind: 'identityTaken', name: home, namespace: 'n' },
      { kind: 'secretConflict', name: 's' },
    ] as const) {
      expect(reportProblem(found).message).toMatch(/(Set|Remove|has to)/u);
    }
  });
});
