import { describe, expect, it } from '@jest/globals';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type BoundRole,
  type ClusterBinding,
  type CustomResourceDefinition,
  claimId,
  kubeBindDialect,
} from '@hawser/kube-bind';
import { klutchDialect, type PermissionClaim } from '@hawser/klutch';
import { covers } from '@hawser/rbac';
import {
  type BindPlan,
  type BindStep,
  type BindingWish,
  type Consent,
  type KubeconfigSecret,
  type Observed,
  claimText,
  manifestsOf,
  planBinding,
  refusalText,
  stepText,
  stepsOnProvider,
} from './index.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const databases = { group: 'example.com', resource: 'databases', versions: ['v1'] };
const wish: BindingWish = {
  dialect: kubeBindDialect,
  name: 'databases',
  offer: { kind: 'resources', resources: [databases] },
  kubeconfig: 'the-credential',
  clusterNamespace: 'kube-bind-abc',
};
const clusterBinding: ClusterBinding = {
  apiVersion,
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace: 'kube-bind-abc' },
  spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
};
const nothing: Observed = {
  clusterBinding,
  template: undefined,
  request: undefined,
  export: undefined,
  isServed: true,
  namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind' } },
  secrets: [],
  bindings: [],
  crds: [],
  konnectorRole: 'unknown',
  claims: [],
  server: 'https://provider',
};
const secret = (given: Partial<KubeconfigSecret> = {}): KubeconfigSecret => ({
  name: 'kubeconfig-x7k2p',
  uid: 'u',
  resourceVersion: '7',
  reaches: { server: 'https://provider', clusterNamespace: 'kube-bind-abc' },
  isSame: true,
  isLabelled: true,
  ...given,
});
const binding = (name: string, secretName: string): APIServiceBinding => ({
  apiVersion,
  kind: 'APIServiceBinding',
  metadata: { name, uid: `uid-${name}` },
  spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: secretName, key: 'kubeconfig' } },
});
const crd = (owner?: APIServiceBinding): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'databases.example.com',
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion, kind: 'APIServiceBinding', name: owner.metadata.name, uid: owner.metadata.uid ?? '' },
          ],
        }),
  },
  spec: { group: 'example.com', names: { plural: 'databases', kind: 'Database' }, scope: 'Namespaced', versions: [] },
});
const request = (phase: 'Pending' | 'Failed' | 'Succeeded', resources = [databases]): APIServiceExportRequest => ({
  apiVersion,
  kind: 'APIServiceExportRequest',
  metadata: { name: 'databases', namespace: 'kube-bind-abc' },
  spec: { resources },
  status: { phase, ...(phase === 'Failed' ? { terminalMessage: 'no template allows it' } : {}) },
});
const exported = (resources = [databases]): APIServiceExport => ({
  apiVersion,
  kind: 'APIServiceExport',
  metadata: { name: 'databases', namespace: 'kube-bind-abc' },
  spec: { resources, informerScope: 'Namespaced', isolation: 'Prefixed' },
});
const alsoOwned = (one: CustomResourceDefinition): CustomResourceDefinition => ({
  ...one,
  metadata: {
    ...one.metadata,
    ownerReferences: [
      ...(one.metadata.ownerReferences ?? []),
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'release', uid: 'r' },
    ],
  },
});
const kinds = ({ steps }: BindPlan): readonly string[] => steps.map(({ kind }) => kind);
const reasons = ({ refusals }: BindPlan): readonly string[] => refusals.map(({ reason }) => reason);

describe('planBinding', () => {
  it('asks the provider first, then makes what the consumer lacks', () => {
    const plan = planBinding(wish, { ...nothing, isServed: false, namespace: undefined });
    expect(plan).toMatchObject({ secret: 'kubeconfig-databases', resources: ['databases.example.com'], refusals: [] });
    expect(kinds(plan)).toEqual(['request', 'installCRDs', 'namespace', 'createSecret', 'binding']);
    expect(plan.steps.at(-1)).toMatchObject({
      object: {
        metadata: { name: 'databases' },
        spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig-databases', key: 'kubeconfig' } },
      },
    });
  });

  it('has nothing to do where all is there', () => {
    const own = binding('databases', 'kubeconfig-x7k2p');
    expect(
      planBinding(wish, { ...nothing, secrets: [secret()], bindings: [own], crds: [crd(own)], export: exported() }),
    ).toMatchObject({ steps: [], refusals: [], secret: 'kubeconfig-x7k2p' });
  });

  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['the request is pending', { request: request('Pending') }, ['awaitRequest', 'createSecret', 'binding']],
    [
      'an export has more versions than are asked for',
      { export: exported([{ ...databases, versions: ['v1', 'v2'] }]) },
      ['createSecret', 'binding'],
    ],
    ['the request was granted', { request: request('Succeeded') }, ['createSecret', 'binding']],
    ['the request was granted and cleaned up since', { export: exported() }, ['createSecret', 'binding']],
    ['a Secret reaches the same', { secrets: [secret()], export: exported() }, ['binding']],
    [
      'a Secret reaches the same with an older credential',
      { secrets: [secret({ isSame: false })], export: exported() },
      ['updateSecret', 'binding'],
    ],
    [
      'a Secret of the CLI without its label',
      { secrets: [secret({ isLabelled: false })], export: exported() },
      ['updateSecret', 'binding'],
    ],
    [
      'Secrets of other providers',
      {
        secrets: [
          secret({ reaches: { server: 'https://other', clusterNamespace: 'kube-bind-abc' } }),
          secret({ name: 'other', reaches: undefined }),
        ],
        export: exported(),
      },
      ['createSecret', 'binding'],
    ],
  ])('goes on where it is when %s', (_, given, expected) => {
    const plan = planBinding(wish, { ...nothing, ...given });
    expect(reasons(plan)).toEqual([]);
    expect(kinds(plan)).toEqual(expected);
  });

  it('changes only what differs in a Secret, and only the one it looked at', () => {
    const [step] = planBinding(wish, { ...nothing, export: exported(), secrets: [secret({ isSame: false })] }).steps;
    expect(step).toEqual({
      kind: 'updateSecret',
      namespace: 'kube-bind',
      name: 'kubeconfig-x7k2p',
      patch: {
        metadata: { uid: 'u', resourceVersion: '7' },
        data: { kubeconfig: Buffer.from('the-credential').toString('base64') },
      },
    });
  });

  const withdrawn = (because: string, uid?: string): APIServiceExport => ({
    ...exported(),
    metadata: {
      ...exported().metadata,
      annotations: {
        ...(because === '' ? {} : { 'hawser.dev/withdrawn': because }),
        ...(uid === undefined ? {} : { 'hawser.dev/request': uid }),
      },
    },
  });
  const answered = (uid: string, phase: 'Pending' | 'Succeeded' = 'Succeeded'): APIServiceExportRequest => ({
    ...request(phase),
    metadata: { ...request(phase).metadata, uid },
  });
  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['was taken back with its request', { export: withdrawn('RequestDeleted', 'old') }, ['request']],
    ['lost its request just now', { export: withdrawn('', 'old') }, ['request']],
    ['was unbound, and never had a record', { export: withdrawn('Unbound') }, ['request']],
    [
      'waits for another request',
      { export: withdrawn('RequestDeleted', 'old'), request: answered('new', 'Pending') },
      ['awaitRequest'],
    ],
    ['was unbound and kept its request', { export: withdrawn('Unbound', 'same'), request: answered('same') }, []],
    ['stands with its request', { export: withdrawn('', 'same'), request: answered('same') }, []],
  ])('asks again for an export that %s', (_, given, expected) => {
    const plan = planBinding(wish, { ...nothing, ...given });
    expect(reasons(plan)).toEqual([]);
    expect(kinds(plan)).toEqual([...expected, 'createSecret', 'binding']);
  });

  it('asks again for all that the export has, its claims too', () => {
    const permissionClaims = [
      { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'x' } } } },
    ];
    const before = withdrawn('RequestDeleted', 'old');
    const [step] = planBinding(wish, {
      ...nothing,
      export: {
        ...before,
        spec: { ...before.spec, permissionClaims, resources: [{ ...databases, versions: ['v1', 'v2'] }] },
      },
    }).steps;
    expect(step).toMatchObject({
      kind: 'request',
      object: { spec: { permissionClaims, resources: [{ versions: ['v1', 'v2'] }] } },
    });
  });

  it('says why the provider refused to give an export back', () => {
    expect(
      reasons(
        planBinding(wish, { ...nothing, export: withdrawn('RequestDeleted', 'old'), request: request('Failed') }),
      ),
    ).toEqual(['RequestFailed']);
  });

  it.each<[string, Partial<Observed>]>([
    ['of that name', {}],
    ['that was made anew', { bindings: [binding('databases', 'kubeconfig-databases')] }],
  ])('waits for the CRD that a former binding left: %s', (_, given) => {
    const left = crd({ ...binding('databases', 'x'), metadata: { name: 'databases', uid: 'former' } });
    const plan = planBinding(wish, {
      ...nothing,
      export: exported(),
      secrets: [secret({ name: 'kubeconfig-databases' })],
      crds: [left],
      ...given,
    });
    expect(reasons(plan)).toEqual([]);
    expect(kinds(plan)).toEqual(['awaitCRDGone', ...(given.bindings === undefined ? ['binding'] : [])]);
  });

  it('copies a template into the request', () => {
    const template: APIServiceExportTemplate = {
      apiVersion,
      kind: 'APIServiceExportTemplate',
      metadata: { name: 'db' },
      spec: {
        scope: 'Namespaced',
        description: 'A database',
        resources: [databases],
        permissionClaims: [
          { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } },
        ],
        namespaces: [{ name: 'team-a' }],
        schemaUpdatePolicy: 'Always',
      },
    };
    const plan = planBinding({ ...wish, offer: { kind: 'template', name: 'db' } }, { ...nothing, template });
    // What is asked for is agreed to, and nothing that the provider makes of it.
    expect(plan.steps.at(-1)).toMatchObject({
      kind: 'binding',
      object: {
        metadata: {
          annotations: { 'hawser.dev/accepted-claims': template.spec.permissionClaims?.map(claimId).join() },
        },
      },
    });
    expect(stepText(plan.steps.at(-1) ?? { kind: 'awaitRequest', name: '' })).toBe(
      'create APIServiceBinding databases on the consumer. With it you agree that the provider at https://provider (namespace kube-bind-abc) reads and writes on this cluster: secrets labelled app=db. ' +
        'Only a person can widen that, by annotation hawser.dev/accepted-claims of the binding',
    );
    expect(plan.steps[0]).toEqual({
      kind: 'request',
      object: {
        apiVersion,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'databases', namespace: 'kube-bind-abc' },
        spec: {
          resources: [databases],
          permissionClaims: template.spec.permissionClaims,
          namespaces: [{ name: 'team-a' }],
          schemaUpdatePolicy: 'Always',
        },
      },
    });
  });

  const tables = [{ group: 'example.com', resource: 'tables', versions: ['v1'] }];
  const other = binding('other', 'kubeconfig-x7k2p');
  it.each<[string, BindingWish, Partial<Observed>, string, string]>([
    ['a namespace of nobody', wish, { clusterBinding: undefined }, 'NotOnboarded', 'provider'],
    [
      'a template that is not there',
      { ...wish, offer: { kind: 'template', name: 'nope' } },
      {},
      'TemplateNotFound',
      'provider',
    ],
    ['a request for something else', wish, { request: request('Pending', tables) }, 'RequestDiffers', 'consumer'],
    [
      'a request for another version',
      { ...wish, offer: { kind: 'resources', resources: [{ ...databases, versions: ['v2'] }] } },
      { request: request('Pending') },
      'RequestDiffers',
      'consumer',
    ],
    [
      'an export of another version',
      { ...wish, offer: { kind: 'resources', resources: [{ ...databases, versions: ['v1', 'v2'] }] } },
      { export: exported() },
      'ExportDiffers',
      'consumer',
    ],
    ['a request that failed', wish, { request: request('Failed') }, 'RequestFailed', 'provider'],
    ['an export of something else', wish, { export: exported(tables) }, 'ExportDiffers', 'consumer'],
    [
      'a binding of that name with another connection',
      wish,
      {
        bindings: [binding('databases', 'elsewhere')],
        secrets: [secret({ name: 'elsewhere', reaches: { server: 'https://other', clusterNamespace: 'x' } })],
      },
      'SecretTaken',
      'operator',
    ],
    [
      'a binding of that name with another Secret',
      { ...wish, secretName: 'mine' },
      { bindings: [binding('databases', 'elsewhere')] },
      'BindingDiffers',
      'operator',
    ],
    [
      'a binding that is going',
      wish,
      {
        bindings: [
          { ...binding('databases', 'x'), metadata: { name: 'databases', deletionTimestamp: '2026-01-01T00:00:00Z' } },
        ],
      },
      'BindingTerminating',
      'operator',
    ],
    [
      'a Secret of that name for something else',
      { ...wish, secretName: 'mine' },
      { secrets: [secret({ name: 'mine', reaches: undefined, isSame: false })] },
      'SecretTaken',
      'operator',
    ],
    ['a CRD of nobody', wish, { crds: [crd()] }, 'ForeignCRD', 'operator'],
    ['a CRD of another binding', wish, { crds: [crd(other)], bindings: [other] }, 'ResourceBound', 'operator'],
    [
      'a CRD that somebody else owns besides a binding that is gone',
      wish,
      { crds: [alsoOwned(crd(other))] },
      'ForeignCRD',
      'operator',
    ],
    [
      'a namespace that is going',
      wish,
      {
        namespace: {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'kube-bind', deletionTimestamp: '2026-01-01T00:00:00Z' },
        },
      },
      'NamespaceTerminating',
      'operator',
    ],
  ])('refuses %s, and says who must act', (_, wanted, given, reason, actor) => {
    const { refusals } = planBinding(wanted, { ...nothing, ...given });
    expect(refusals).toEqual([expect.objectContaining({ reason, actor })]);
    expect(refusals.map(refusalText).join()).toMatch(
      new RegExp(`^${reason}: .*\\. Who acts: the ${actor} \\(.+\\)\\.$`, 'u'),
    );
  });

  it('takes what a provider has answered, agrees to what was accepted of it, and grants the konnector that and no more', () => {
    const secrets = { group: '', resource: 'secrets', selector: {} };
    const settings = { group: '', resource: 'configmaps', selector: {} };
    // Not claimable, whoever accepts it.
    const power = { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', selector: {} };
    const spec = { resources: [databases], permissionClaims: [secrets, settings, power] };
    const answered: BindingWish = {
      ...wish,
      offer: { kind: 'request', spec },
      acceptedClaims: [claimId(settings), claimId(power)],
      grantsKonnector: true,
    };
    const plan = planBinding(answered, { ...nothing, konnectorRole: undefined });
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['request', 'createSecret', 'grantKonnector', 'binding']);
    const { provider, consumer } = manifestsOf(plan, { credentials: false });
    expect(provider).toMatchObject([{ spec }]);
    const [, role, bound] = consumer;
    expect(role).toMatchObject({
      kind: 'ClusterRole',
      metadata: { name: 'hawser-bound-databases', labels: { 'rbac.hawser.dev/aggregate-to-konnector': 'true' } },
    });
    expect(JSON.stringify(role)).toContain('configmaps');
    expect(JSON.stringify(role)).not.toMatch(/secrets|clusterrolebindings/u);
    expect(bound?.metadata.annotations).toEqual({
      'hawser.dev/accepted-claims': [settings, power].map(claimId).join(','),
    });
    const granted = { ...role, metadata: { ...role?.metadata, uid: 'u' } } as BoundRole;
    const steps = (konnectorRole: Observed['konnectorRole']): readonly string[] =>
      planBinding(answered, { ...nothing, konnectorRole }).steps.map(({ kind }) => kind);
    expect(steps(granted)).not.toContain('grantKonnector');
    expect(steps({ ...granted, rules: [] })).toContain('grantKonnector');
    expect(steps('unknown')).not.toContain('grantKonnector');
  });

  describe('what the konnector is granted for a binding', () => {
    const secrets = { group: '', resource: 'secrets', selector: {} };
    const settings = { group: '', resource: 'configmaps', selector: {} };
    const again: BindingWish = {
      ...wish,
      offer: { kind: 'request', spec: { resources: [databases], permissionClaims: [secrets, settings] } },
      grantsKonnector: true,
    };
    const grantOf = (observed: Partial<Observed>): Extract<BindStep, { kind: 'grantKonnector' }> | undefined =>
      planBinding(again, { ...nothing, ...observed }).steps.find((step) => step.kind === 'grantKonnector');
    const role = (
      change: Partial<BoundRole> = {},
      labels: Readonly<Record<string, string>> = { 'rbac.hawser.dev/aggregate-to-konnector': 'true' },
    ): BoundRole => {
      const made = grantOf({ konnectorRole: undefined })?.object;
      if (made === undefined) throw new Error('there is no role');
      return { ...made, ...change, metadata: { ...made.metadata, uid: 'u', resourceVersion: '7', labels } };
    };

    it('keeps what others have added to it, as policy Delete needs', () => {
      const [objects, ...rest] = role().rules ?? [];
      const widened = [{ ...objects, verbs: [...(objects?.verbs ?? []), 'delete'] }, ...rest] as BoundRole['rules'];
      expect(grantOf({ konnectorRole: role({ rules: widened }) })).toBeUndefined();
      const partly = grantOf({ konnectorRole: role({ rules: widened?.slice(0, 1) }) });
      expect(partly?.object.rules?.slice(0, 1)).toEqual(widened?.slice(0, 1));
      expect(covers(partly?.object.rules ?? [], widened ?? [])).toBe(true);
    });

    it('leaves a role of that name alone that others have made for something else', () => {
      const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
      expect(grantOf({ konnectorRole: role({ rules: everything }, { app: 'another' }) })).toBeUndefined();
    });

    it('has no claim in it that the binding which is there does not agree to', () => {
      const bound = binding('databases', 'kubeconfig-x7k2p');
      const annotations = { 'hawser.dev/accepted-claims': claimId(settings) };
      const agreed = { ...bound, metadata: { ...bound.metadata, annotations } };
      const text = JSON.stringify(grantOf({ konnectorRole: undefined, bindings: [agreed], secrets: [secret()] }));
      expect(text).toContain('configmaps');
      expect(text).not.toContain('"secrets"');
      // One of a Go konnector says nothing of claims.
      const silent = JSON.stringify(grantOf({ konnectorRole: undefined, bindings: [bound], secrets: [secret()] }));
      expect(silent).toContain('"secrets"');
    });
  });

  it('says in a refusal why the provider refused', () => {
    expect(planBinding(wish, { ...nothing, request: request('Failed') }).refusals[0]?.message).toContain(
      'no template allows it',
    );
  });

  it('shows neither in its lines nor in its manifests what the kubeconfig is', () => {
    const hidden = Buffer.from(wish.kubeconfig).toString('base64');
    const plan = planBinding(wish, { ...nothing, namespace: undefined });
    const replacing = planBinding(wish, { ...nothing, secrets: [secret({ isSame: false })] });
    const shown =
      [...plan.steps, ...replacing.steps].map(stepText).join('\n') +
      JSON.stringify(manifestsOf(plan, { credentials: false }));
    expect(shown).not.toContain(hidden);
    expect(shown).not.toContain(wish.kubeconfig);
    expect(JSON.stringify(manifestsOf(plan, { credentials: true }).consumer)).toContain(hidden);
    expect(manifestsOf(plan, { credentials: false }).provider).toHaveLength(1);
  });
});

describe('planBinding in Klutch', () => {
  const { apiVersion: klutch, apiGroup } = klutchDialect;
  const klutchWish: BindingWish = {
    name: 'databases.example.com',
    dialect: klutchDialect,
    offer: { kind: 'resources', resources: [{ group: 'example.com', resource: 'databases' }] },
    kubeconfig: 'the-credential',
    clusterNamespace: 'cluster-abc',
  };
  const empty: Observed = { ...nothing, namespace: undefined, isServed: false };
  const there: APIServiceExport = {
    ...exported(),
    metadata: { name: 'databases.example.com', namespace: 'cluster-abc' },
  };
  const secrets: PermissionClaim = {
    group: '',
    version: 'v1',
    resource: 'secrets',
    selector: { names: ['*'], namespaces: ['*'], owner: 'Provider' },
  };
  const settings: PermissionClaim = {
    group: '',
    resource: 'configmaps',
    selector: { names: ['settings'], namespaces: ['team-a'], owner: 'Consumer' },
  };
  const consents = (...answers: readonly (readonly [PermissionClaim, Consent])[]): ReadonlyMap<string, Consent> =>
    new Map(answers.map(([claim, consent]) => [claimText(claim), consent]));

  it('speaks of the kinds, the namespace and the names of Klutch, and puts no label on the Secret', () => {
    const plan = planBinding(klutchWish, empty);
    expect(plan).toMatchObject({
      secret: 'kubeconfig-cluster-abc',
      resources: ['databases.example.com'],
      refusals: [],
    });
    expect(plan.steps.map(stepText)).toEqual([
      'create APIServiceExportRequest cluster-abc/databases.example.com on the provider, and wait for its answer',
      `install the CRDs of ${apiGroup} on the consumer`,
      'create Namespace klutch-bind on the consumer',
      "create Secret klutch-bind/kubeconfig-cluster-abc with the provider's kubeconfig on the consumer",
      'create APIServiceBinding databases.example.com on the consumer',
    ]);
    const { provider, consumer } = manifestsOf(plan, { credentials: false });
    expect(provider).toEqual([
      {
        apiVersion: klutch,
        kind: 'APIServiceExportRequest',
        metadata: { name: 'databases.example.com', namespace: 'cluster-abc' },
        spec: { resources: [{ group: 'example.com', resource: 'databases' }] },
      },
    ]);
    expect(consumer.map(({ kind }) => kind)).toEqual([
      'CustomResourceDefinition',
      'Namespace',
      'Secret',
      'APIServiceBinding',
    ]);
    expect(consumer[2]?.metadata).toEqual({ name: 'kubeconfig-cluster-abc', namespace: 'klutch-bind' });
    expect(consumer[3]).toEqual({
      apiVersion: klutch,
      kind: 'APIServiceBinding',
      metadata: { name: 'databases.example.com' },
      spec: { kubeconfigSecretRef: { namespace: 'klutch-bind', name: 'kubeconfig-cluster-abc', key: 'kubeconfig' } },
    });
  });

  it('knows what is claimed once the provider has answered, and not before', () => {
    const plan = planBinding(klutchWish, empty);
    expect(plan.undecided).toBeUndefined();
    expect(stepsOnProvider(plan).map(({ kind }) => kind)).toEqual(['request']);
    expect(planBinding(klutchWish, { ...empty, export: there }).undecided).toEqual([]);
    expect(planBinding(klutchWish, { ...empty, export: there, claims: [secrets, settings] }).undecided).toEqual([
      'secrets (all; in all namespaces; made by the provider)',
      'configmaps (settings; in team-a; made by the consumer)',
    ]);
  });

  it('writes the answer to each claim into the binding, with the claim as it is', () => {
    const plan = planBinding(
      { ...klutchWish, consents: consents([secrets, 'Accepted'], [settings, 'Rejected']) },
      { ...empty, export: there, claims: [secrets, settings] },
    );
    expect(plan.undecided).toEqual([]);
    expect(plan.steps.at(-1)).toMatchObject({
      object: {
        spec: {
          permissionClaims: [
            { ...secrets, state: 'Accepted' },
            { ...settings, state: 'Rejected' },
          ],
        },
      },
    });
  });

  it('leaves a binding that is there as it is, with its answers, and a Secret without the label', () => {
    const own: APIServiceBinding = {
      ...binding('databases.example.com', 'kubeconfig-x7k2p'),
      spec: { kubeconfigSecretRef: { namespace: 'klutch-bind', name: 'kubeconfig-x7k2p', key: 'kubeconfig' } },
    };
    const reaches = { server: 'https://provider', clusterNamespace: 'cluster-abc' };
    expect(
      planBinding(klutchWish, {
        ...nothing,
        export: there,
        claims: [secrets],
        bindings: [own],
        secrets: [secret({ isLabelled: false, reaches })],
        crds: [crd(own)],
      }),
    ).toMatchObject({ steps: [], refusals: [], undecided: [] });
  });

  it('refuses to wait for a request that was answered and whose export is gone', () => {
    const spent = { ...request('Succeeded'), metadata: { name: 'databases.example.com', namespace: 'cluster-abc' } };
    expect(planBinding(klutchWish, { ...empty, request: spent }).refusals).toEqual([
      expect.objectContaining({ reason: 'RequestSpent', actor: 'consumer' }),
    ]);
    expect(planBinding(klutchWish, { ...empty, request: spent, export: there }).refusals).toEqual([]);
  });
});
