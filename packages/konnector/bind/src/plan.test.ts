import { describe, expect, it } from '@jest/globals';
import type { APIServiceBinding, APIServiceExport, APIServiceExportRequest, APIServiceExportTemplate, ClusterBinding, CustomResourceDefinition } from '@hawser/kube-bind';
import { type BindPlan, type BindingWish, type KubeconfigSecret, type Observed, manifestsOf, planBinding, refusalText, stepText } from './index.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const databases = { group: 'example.com', resource: 'databases', versions: ['v1'] };
const wish: BindingWish = { name: 'databases', offer: { kind: 'resources', resources: [databases] }, kubeconfig: 'the-credential', clusterNamespace: 'kube-bind-abc' };
const clusterBinding: ClusterBinding = { apiVersion, kind: 'ClusterBinding', metadata: { name: 'cluster', namespace: 'kube-bind-abc' }, spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } } };
const nothing: Observed = {
  clusterBinding, template: undefined, request: undefined, export: undefined, isServed: true, namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind' } },
  secrets: [], bindings: [], crds: [], server: 'https://provider',
};
const secret = (given: Partial<KubeconfigSecret> = {}): KubeconfigSecret => ({
  name: 'kubeconfig-x7k2p', uid: 'u', resourceVersion: '7', reaches: { server: 'https://provider', clusterNamespace: 'kube-bind-abc' }, isSame: true, isLabelled: true, ...given,
});
const binding = (name: string, secretName: string): APIServiceBinding => ({ apiVersion, kind: 'APIServiceBinding', metadata: { name, uid: `uid-${name}` }, spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: secretName, key: 'kubeconfig' } } });
const crd = (owner?: APIServiceBinding): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.example.com', ...(owner === undefined ? {} : { ownerReferences: [{ apiVersion, kind: 'APIServiceBinding', name: owner.metadata.name, uid: owner.metadata.uid ?? '' }] }) },
  spec: { group: 'example.com', names: { plural: 'databases', kind: 'Database' }, scope: 'Namespaced', versions: [] },
});
const request = (phase: 'Pending' | 'Failed' | 'Succeeded', resources = [databases]): APIServiceExportRequest => ({
  apiVersion, kind: 'APIServiceExportRequest', metadata: { name: 'databases', namespace: 'kube-bind-abc' }, spec: { resources }, status: { phase, ...(phase === 'Failed' ? { terminalMessage: 'no template allows it' } : {}) },
});
const exported = (resources = [databases]): APIServiceExport => ({ apiVersion, kind: 'APIServiceExport', metadata: { name: 'databases', namespace: 'kube-bind-abc' }, spec: { resources, informerScope: 'Namespaced', isolation: 'Prefixed' } });
const kinds = ({ steps }: BindPlan): readonly string[] => steps.map(({ kind }) => kind);
const reasons = ({ refusals }: BindPlan): readonly string[] => refusals.map(({ reason }) => reason);

describe('planBinding', () => {
  it('asks the provider first, then makes what the consumer lacks', () => {
    const plan = planBinding(wish, { ...nothing, isServed: false, namespace: undefined });
    expect(plan).toMatchObject({ secret: 'kubeconfig-databases', resources: ['databases.example.com'], refusals: [] });
    expect(kinds(plan)).toEqual(['request', 'installCRDs', 'namespace', 'createSecret', 'binding']);
    expect(plan.steps.at(-1)).toMatchObject({ object: { metadata: { name: 'databases' }, spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig-databases', key: 'kubeconfig' } } } });
  });

  it('has nothing to do where all is there', () => {
    const own = binding('databases', 'kubeconfig-x7k2p');
    expect(planBinding(wish, { ...nothing, secrets: [secret()], bindings: [own], crds: [crd(own)], export: exported() })).toMatchObject({ steps: [], refusals: [], secret: 'kubeconfig-x7k2p' });
  });

  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['the request is pending', { request: request('Pending') }, ['awaitRequest', 'createSecret', 'binding']],
    ['the request was granted', { request: request('Succeeded') }, ['createSecret', 'binding']],
    ['the request was granted and cleaned up since', { export: exported() }, ['createSecret', 'binding']],
    ['a Secret reaches the same', { secrets: [secret()], export: exported() }, ['binding']],
    ['a Secret reaches the same with an older credential', { secrets: [secret({ isSame: false })], export: exported() }, ['updateSecret', 'binding']],
    ['a Secret of the CLI without its label', { secrets: [secret({ isLabelled: false })], export: exported() }, ['updateSecret', 'binding']],
    ['Secrets of other providers', { secrets: [secret({ reaches: { server: 'https://other', clusterNamespace: 'kube-bind-abc' } }), secret({ name: 'other', reaches: undefined })], export: exported() }, ['createSecret', 'binding']],
  ])('goes on where it is when %s', (_, given, expected) => {
    const plan = planBinding(wish, { ...nothing, ...given });
    expect(reasons(plan)).toEqual([]);
    expect(kinds(plan)).toEqual(expected);
  });

  it('changes only what differs in a Secret, and only the one it looked at', () => {
    const [step] = planBinding(wish, { ...nothing, export: exported(), secrets: [secret({ isSame: false })] }).steps;
    expect(step).toEqual({ kind: 'updateSecret', name: 'kubeconfig-x7k2p', patch: { metadata: { uid: 'u', resourceVersion: '7' }, data: { kubeconfig: Buffer.from('the-credential').toString('base64') } } });
  });

  it('copies a template into the request', () => {
    const template: APIServiceExportTemplate = {
      apiVersion, kind: 'APIServiceExportTemplate', metadata: { name: 'db' },
      spec: { scope: 'Namespaced', description: 'A database', resources: [databases], permissionClaims: [{ group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } }], namespaces: [{ name: 'team-a' }], schemaUpdatePolicy: 'Always' },
    };
    const plan = planBinding({ ...wish, offer: { kind: 'template', name: 'db' } }, { ...nothing, template });
    expect(plan.steps[0]).toEqual({
      kind: 'request',
      object: { apiVersion, kind: 'APIServiceExportRequest', metadata: { name: 'databases', namespace: 'kube-bind-abc' }, spec: { resources: [databases], permissionClaims: template.spec.permissionClaims, namespaces: [{ name: 'team-a' }], schemaUpdatePolicy: 'Always' } },
    });
  });

  const tables = [{ group: 'example.com', resource: 'tables', versions: ['v1'] }];
  const other = binding('other', 'kubeconfig-x7k2p');
  it.each<[string, BindingWish, Partial<Observed>, string, string]>([
    ['a namespace of nobody', wish, { clusterBinding: undefined }, 'NotOnboarded', 'provider'],
    ['a template that is not there', { ...wish, offer: { kind: 'template', name: 'nope' } }, {}, 'TemplateNotFound', 'provider'],
    ['a request for something else', wish, { request: request('Pending', tables) }, 'RequestDiffers', 'consumer'],
    ['a request that failed', wish, { request: request('Failed') }, 'RequestFailed', 'provider'],
    ['an export of something else', wish, { export: exported(tables) }, 'ExportDiffers', 'consumer'],
    ['a binding of that name with another connection', wish, { bindings: [binding('databases', 'elsewhere')], secrets: [secret({ name: 'elsewhere', reaches: { server: 'https://other', clusterNamespace: 'x' } })] }, 'SecretTaken', 'operator'],
    ['a binding of that name with another Secret', { ...wish, secretName: 'mine' }, { bindings: [binding('databases', 'elsewhere')] }, 'BindingDiffers', 'operator'],
    ['a binding that is going', wish, { bindings: [{ ...binding('databases', 'x'), metadata: { name: 'databases', deletionTimestamp: '2026-01-01T00:00:00Z' } }] }, 'BindingTerminating', 'operator'],
    ['a Secret of that name for something else', { ...wish, secretName: 'mine' }, { secrets: [secret({ name: 'mine', reaches: undefined, isSame: false })] }, 'SecretTaken', 'operator'],
    ['a CRD of nobody', wish, { crds: [crd()] }, 'ForeignCRD', 'operator'],
    ['a CRD of another binding', wish, { crds: [crd(other)], bindings: [other] }, 'ResourceBound', 'operator'],
    ['a CRD of a binding of that name that was made anew', wish, { crds: [crd({ ...other, metadata: { name: 'databases', uid: 'former' } })], bindings: [binding('databases', 'kubeconfig-databases')] }, 'ForeignCRD', 'operator'],
    ['a namespace that is going', wish, { namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind', deletionTimestamp: '2026-01-01T00:00:00Z' } } }, 'NamespaceTerminating', 'operator'],
  ])('refuses %s, and says who must act', (_, wanted, given, reason, actor) => {
    const { refusals } = planBinding(wanted, { ...nothing, ...given });
    expect(refusals).toEqual([expect.objectContaining({ reason, actor })]);
    expect(refusals.map(refusalText).join()).toMatch(new RegExp(`^${reason}: .*\\. Who acts: the ${actor} \\(.+\\)\\.$`, 'u'));
  });

  it('says in a refusal why the provider refused', () => {
    expect(planBinding(wish, { ...nothing, request: request('Failed') }).refusals[0]?.message).toContain('no template allows it');
  });

  it('shows neither in its lines nor in its manifests what the kubeconfig is', () => {
    const hidden = Buffer.from(wish.kubeconfig).toString('base64');
    const plan = planBinding(wish, { ...nothing, namespace: undefined });
    const replacing = planBinding(wish, { ...nothing, secrets: [secret({ isSame: false })] });
    const shown = [...plan.steps, ...replacing.steps].map(stepText).join('\n') + JSON.stringify(manifestsOf(plan, { credentials: false }));
    expect(shown).not.toContain(hidden);
    expect(shown).not.toContain(wish.kubeconfig);
    expect(JSON.stringify(manifestsOf(plan, { credentials: true }).consumer)).toContain(hidden);
    expect(manifestsOf(plan, { credentials: false }).provider).toHaveLength(1);
  });
});
