import type { KubeObject, ObjectMeta } from '@hawser/client';
import { type Binding, type RelatedResource } from '@hawser/core-kbind';
import type { APIServiceExport, PermissionClaim } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';

import { refusalText } from '../refusal.js';
import { stepText } from '../step-text.js';
import type { MigrationObserved } from './observe.js';
import { type ClaimedObjects, noClaims, rulesOf } from './observe-claims.js';
import { PAUSE_REASON } from './pause-reason.js';
import { migrationStepText, planMigration } from './plan.js';
import { zonesBinding, zonesCRD } from './testing/zones.js';

const crd = zonesCRD('Cluster');
const claim: PermissionClaim = {
  group: '',
  resource: 'secrets',
  selector: { labelSelector: { matchLabels: { app: 'db' } } },
};
const secret = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'team', labels: { app: 'db' }, ...metadata },
});
const original = secret({ uid: 'original', labels: { app: 'db', 'kube-bind.io/owner': 'provider' } });
const copy = secret({ uid: 'copy', annotations: { 'kube-bind.io/provider-uid': 'original' } });
const secrets: ClaimedObjects = { kind: 'secrets', consumer: [copy], provider: [original], isWhole: true };
const seen: MigrationObserved = {
  binding: zonesBinding({}),
  clusterBinding: undefined,
  export: { spec: { isolation: 'None' } } as APIServiceExport,
  clusterNamespace: 'home',
  clusterNamespaceUid: 'home-uid',
  namespaces: new Map([['team', 'team']]),
  apis: [
    {
      name: 'zones.example.com',
      resource: { group: 'example.com', version: 'v1', resource: 'zones' },
      crd,
      owner: 'v1',
      pairs: [],
    },
  ],
  missing: [],
  isSameProvider: true,
  claims: { ...noClaims, accepted: [claim], objects: [secrets], terms: { ...noClaims.terms, clusterUid: 'cluster' } },
  core: {
    isServed: true,
    hasNamespace: true,
    connections: [],
    secrets: [],
    binding: undefined,
    offered: new Map([['zones.example.com', crd]]),
    installed: new Map([['zones.example.com', crd]]),
    server: 'https://provider',
  },
};
const plan = (observed: MigrationObserved, to: 'v1' | 'v2' = 'v2') =>
  planMigration({ name: 'zones', to, kubeconfig: 'the-credential' }, observed);
const refusalTexts = (observed: MigrationObserved, to: 'v1' | 'v2' = 'v2'): readonly string[] =>
  plan(observed, to).refusals.map(refusalText);
const withClaims = (accepted: readonly PermissionClaim[], objects: readonly ClaimedObjects[] = [secrets]) => ({
  ...seen,
  claims: { ...seen.claims, accepted, objects },
});
const clusterBinding = (relatedResources: readonly RelatedResource[]): Binding => ({
  apiVersion: 'core.kbind.io/v1alpha1',
  kind: 'ClusterBinding',
  metadata: { name: 'zones', uid: 'core' },
  spec: { connectionRef: { name: 'zones' }, apis: [{ name: 'zones.example.com' }], relatedResources },
});

describe('the plan for permission claims', () => {
  it('marks claimed objects for a ClusterBinding that has no rules yet, and gives it the rules then', () => {
    const { steps, refusals } = plan(seen);
    expect(refusals).toEqual([]);
    expect(steps.map((step) => migrationStepText(step, stepText)).slice(3)).toEqual([
      'pause APIServiceBinding zones, and wait until its konnector has stopped writing',
      'give CRD zones.example.com to Connection zones',
      expect.stringContaining('ClusterBinding'),
      'mark 1 claimed secrets and 1 copies of them in the words of core.kbind.io, one write each',
      'give ClusterBinding zones the claims as related resources: secrets labelled app=db, FromProvider; secrets labelled app=db, FromConsumer',
      'wait until ClusterBinding zones is Ready',
    ]);
  });

  it('goes on where it was broken off, and pauses again if a person has resumed the binding', () => {
    const moved: MigrationObserved = {
      ...seen,
      binding: zonesBinding({ 'hawser.dev/paused': `${PAUSE_REASON} (paused then)` }),
      clusterBinding: clusterBinding([]),
      apis: seen.apis.map((api) => ({ ...api, owner: 'v2' as const })),
      core: { ...seen.core, binding: clusterBinding([]) },
    };
    const kinds = (observed: MigrationObserved): readonly string[] => plan(observed).steps.map(({ kind }) => kind);
    expect(kinds(moved).slice(-4)).toEqual(['awaitConnection', 'swapClaims', 'relate', 'awaitReady']);
    expect(kinds({ ...moved, binding: zonesBinding({}) }).slice(-4)).toEqual([
      'pause',
      'swapClaims',
      'relate',
      'awaitReady',
    ]);
  });

  it('gives the rules first to a ClusterBinding that serves others: its konnector would collect the copies', () => {
    const own: RelatedResource = {
      group: '',
      resource: 'secrets',
      direction: 'FromConsumer',
      selector: { names: ['mine'] },
    };
    const { metadata, ...core } = clusterBinding([]);
    const recorded = { ...core, metadata: { ...metadata, annotations: { 'hawser.dev/related-resources': 'secrets' } } };
    for (const there of [clusterBinding([own]), recorded]) {
      const observed = { ...seen, clusterBinding: there, core: { ...seen.core, binding: there } };
      expect(
        plan(observed)
          .steps.map(({ kind }) => kind)
          .slice(-3),
      ).toEqual(['relate', 'swapClaims', 'awaitReady']);
    }
  });

  it('goes back once the ClusterBinding is gone', () => {
    const newer = secret({
      uid: 'copy',
      annotations: { 'core.kbind.io/related-binding': 'core', 'core.kbind.io/consumer-cluster-uid': 'cluster' },
    });
    const core = clusterBinding(rulesOf([claim]));
    const moved: MigrationObserved = {
      ...withClaims([claim], [{ ...secrets, consumer: [newer], provider: [secret({ uid: 'original' })] }]),
      clusterBinding: core,
    };
    const observed = { ...moved, claims: { ...moved.claims, terms: { ...moved.claims.terms, bindingUid: 'core' } } };
    expect(plan(observed, 'v1').steps.map(({ kind }) => kind)).toEqual([
      'pause',
      'pauseCore',
      'releaseCore',
      'swapClaims',
      'resume',
    ]);
    expect(refusalTexts({ ...observed, namespaces: new Map() }, 'v1')).toEqual([
      expect.stringMatching(/^PlaceDiffers/u),
    ]);
  });

  it.each<[string, PermissionClaim, RegExp]>([
    [
      'of another kind',
      { ...claim, resource: 'serviceaccounts' },
      /claim on serviceaccounts labelled app=db.*only Secrets/u,
    ],
    ['on everything', { ...claim, selector: { labelSelector: {} } }, /claim on all secrets.*covers every object/u],
    [
      'by references',
      { ...claim, selector: { references: [{ resource: 'zones', jsonPath: { name: 'spec.secret' } }] } },
      /references/u,
    ],
    [
      'with a namespace',
      { ...claim, selector: { namedResources: [{ name: 'one', namespace: 'team' }] } },
      /claim on secrets named team\/one.*namespace/u,
    ],
  ])('refuses a claim %s', (_, unsupported, words) => {
    const refusals = refusalTexts(withClaims([claim, unsupported]));
    expect(refusals).toEqual([expect.stringMatching(words)]);
    expect(refusals[0]).toMatch(/^ClaimsNotMigrated: .* Who acts: the operator \(keeps this binding/u);
  });

  it.each([
    ['hawser.dev/conflict-policy', 'Adopt'],
    ['hawser.dev/conflict-policy', 'Skip'],
    ['hawser.dev/drift-policy', 'Ignore'],
    ['hawser.dev/drift-ignore', '/data/password'],
  ])('refuses the policy %s: %s, which related resources do not have', (key, value) => {
    const refusals = refusalTexts({ ...seen, binding: zonesBinding({ [key]: value }) });
    expect(refusals).toEqual([expect.stringContaining(`${key}: ${value}`)]);
    expect(refusals[0]).toContain('secrets labelled app=db');
    expect(refusalTexts({ ...seen, claims: noClaims, binding: zonesBinding({ [key]: value }) })).toEqual([]);
  });

  it('lets policies pass that mean the same, or do not touch claimed objects', () => {
    const annotations = {
      'hawser.dev/conflict-policy': 'Fail',
      'hawser.dev/drift-policy': 'Correct',
      'hawser.dev/drift-ignore': '/spec/size',
    };
    expect(refusalTexts({ ...seen, binding: zonesBinding(annotations) })).toEqual([]);
  });

  it('refuses if the rules would copy other objects than the claim', () => {
    const reach = (objects: Partial<ClaimedObjects>): readonly string[] =>
      refusalTexts(withClaims([claim], [{ ...secrets, ...objects }]));
    const strange = secret({ uid: 'strange', namespace: 'of-another-consumer' });
    expect(reach({ provider: [original, strange] })).toEqual([
      expect.stringMatching(/reach further.*of-another-consumer\/login on the provider/u),
    ]);
    expect(reach({ isWhole: false })).toEqual([expect.stringContaining('may not list secrets')]);
    expect(reach({ consumer: [copy, secret({ uid: 'far', namespace: 'far' })] })).toEqual([
      expect.stringMatching(/^PlaceDiffers.*namespace far .*none assigned yet/u),
    ]);
    const foreign = { 'kube-bind.io/provider-uid': 'x', 'hawser.dev/provider-identity': 'another' };
    const stray = secret({ uid: 'stray', name: 'stray', annotations: foreign });
    expect(reach({ consumer: [copy, stray] })).toEqual([expect.stringMatching(/team\/stray on the consumer.*copies/u)]);
    const another = { 'kube-bind.io/consumer-uid': 'x', 'hawser.dev/consumer-identity': 'another' };
    const ofConsumer = secret({ uid: 'of', namespace: 'another', annotations: another });
    expect(reach({ provider: [original, ofConsumer] })).toEqual([
      expect.stringMatching(/another\/login on the provider.*copies of another consumer/u),
    ]);
    const system = secret({ uid: 'system', namespace: 'kube-system' });
    expect(reach({ provider: [original, system] })).toEqual([]);
  });

  it('takes along objects that were made since the pause', () => {
    const made = secret({ uid: 'new', name: 'new' });
    const objects = (of: Partial<ClaimedObjects>) => withClaims([claim], [{ ...secrets, ...of }]);
    expect(refusalTexts(objects({ consumer: [copy, made] }))).toEqual([]);
    const onProvider = objects({ provider: [original, made] });
    expect(refusalTexts(onProvider)).toHaveLength(1);
    const annotations = { 'hawser.dev/paused': PAUSE_REASON };
    expect(refusalTexts({ ...onProvider, binding: zonesBinding(annotations) })).toEqual([]);
  });

  it('refuses objects that another binding claims, too', () => {
    const others = (selector: PermissionClaim['selector']): readonly string[] =>
      refusalTexts({ ...seen, claims: { ...seen.claims, others: new Map([['lakes', [{ ...claim, selector }]]]) } });
    expect(others({ namedResources: [{ name: 'login' }] })).toEqual([
      expect.stringContaining('"lakes" claims objects'),
    ]);
    expect(others({ labelSelector: {} })).toHaveLength(1);
    expect(others({ labelSelector: { matchLabels: { app: 'web' } } })).toEqual([]);
  });

  it('refuses to go back with rules that no claim says', () => {
    const own: RelatedResource = {
      group: '',
      resource: 'secrets',
      direction: 'FromConsumer',
      selector: { names: ['mine'] },
    };
    const observed = { ...seen, clusterBinding: clusterBinding([...rulesOf([claim]), own]) };
    expect(refusalTexts(observed, 'v1')).toEqual([
      expect.stringMatching(/^ClaimsNotMigrated: The rule .*"mine".*no equal/u),
    ]);
    expect(refusalTexts({ ...observed, clusterBinding: clusterBinding(rulesOf([claim])) }, 'v1')).toEqual([]);
  });
});
