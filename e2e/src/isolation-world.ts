import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, databases, sampleCrd } from '@hawser/installation';
import { type APIServiceExportRequest, type APIServiceNamespace, fixedNames, resources } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type RawResponse, eventually, rawRequest } from '@hawser/testenv';
import type { Attempted, Scope } from './attempts.js';
import { renderChart } from './chart.js';
import { type Plane, openPlane } from './plane.js';
import { type Program, startProgram, working } from './program.js';
import { executables } from './roles.js';
import { root } from './root.js';
import { startWatchdog } from './watchdog.js';

/** A consumer and its credential. */
export interface Consumer {
  readonly namespace: string;
  readonly connection: ConnectionConfig;
}

/** A provider, run by the built program with the chart's ServiceAccount and no other right, and several consumers of it. */
export interface IsolationWorld {
  readonly plane: Plane;
  readonly provider: Program;
  readonly consumers: { readonly own: Consumer; readonly other: Consumer; readonly unbound: Consumer };
  /** Credential of `own` from before its revocation. */
  readonly revoked: ConnectionConfig;
  /** As whoever has `connection`. */
  send(connection: ConnectionConfig, attempted: Attempted, own: string): Promise<RawResponse>;
  /** As the administrator. */
  look(path: string): Promise<RawResponse>;
  /** `{own}` and `{other}` filled in. */
  fill(text: string, own?: string): string;
  /** Has the provider do something for `own`, and resolves when that is done: whatever it was asked before, it has looked at. */
  turn(): Promise<void>;
  close(): Promise<void>;
}

export const providerUser = 'system:serviceaccount:hawser:hawser-provider';
const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };
const vaults: SampleApi = { group: 'example.com', plural: 'vaults', kind: 'Vault', scope: 'Namespaced' };
const rbac = 'rbac.authorization.k8s.io';
const apiVersion = 'kube-bind.io/v1alpha2';
const templates = ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml', 'consumer-rights.yaml', 'consumer-roles.yaml', 'onboarding-rights.yaml', 'admissionpolicy.yaml'];

export async function openIsolationWorld(scope: Scope): Promise<IsolationWorld> {
  const folder = join(root, 'tmp/e2e', `isolation-${scope.toLowerCase()}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const watchdog = startWatchdog();
  const plane = await openPlane('provider');
  const { controlPlane, client } = plane;
  if (controlPlane === undefined) throw new Error('it needs a cluster of its own');
  await plane.apply(...['hawser', 'onboarding'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  const exportedResources = [databases, zones].map(({ group, plural }) => ({ group, resource: plural }));
  await plane.apply(...renderChart(join(root, 'charts/provider'), templates, { name: 'provider', namespace: 'hawser', values: { exportedResources, onboardingNamespaces: ['onboarding'] } }));
  const account = await controlPlane.serviceAccountAccess('hawser', 'hawser-provider');
  const kubeconfig = join(folder, 'provider.kubeconfig');
  writeFileSync(kubeconfig, account.kubeconfig, { mode: 0o600 });
  const config = join(folder, 'provider.json');
  writeFileSync(config, JSON.stringify({ roles: ['provider'], provider: { informerScope: scope, isolation: 'Prefixed', sharedClusterScope: scope === 'Cluster', requestAdmission: 'Template' } }));
  const provider = await startProgram({ name: 'provider', command: executables.hawser, args: ['run', `--config=${config}`, `--provider-kubeconfig=${kubeconfig}`], env: { POD_NAME: 'provider', POD_NAMESPACE: 'hawser' }, folder, watchdog });
  await working(provider, 'provider works', 120_000);

  await plane.apply(...[databases, zones, vaults].map(sampleCrd));
  for (const { plural, group } of [databases, zones, vaults]) await plane.kubectl(['wait', '--for=condition=Established', `crd/${plural}.${group}`, '--timeout=60s']);
  await plane.apply(
    template('databases', databases, [{ group: '', resource: 'secrets', selector: { labelSelector: {} } }]),
    template('zones', zones, []),
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'customers' }, rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], resourceNames: ['databases', 'zones'], verbs: ['bind'] }] },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'customers' }, roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'customers' }, subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:serviceaccounts' }] },
  );

  const send: IsolationWorld['send'] = (connection, { method, path, body }, own) => rawRequest(connection, {
    method, path: fill(path, own), ...(body === undefined ? {} : { body: fill(JSON.stringify(body), own) }), ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
  });
  const fill = (text: string, own = 'kube-bind-a'): string => text.replaceAll('{own}', own).replaceAll('{other}', 'kube-bind-b');

  const onboard = async (name: string): Promise<Consumer> => {
    const namespace = `kube-bind-${name}`;
    await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': name } } });
    const { connection, kubeconfig: text } = await controlPlane.serviceAccountAccess(namespace, fixedNames.binder);
    await plane.apply(
      { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: fixedNames.binder, namespace }, roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: fixedNames.binder }, subjects: [{ kind: 'ServiceAccount', name: fixedNames.binder, namespace }] },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubeconfig', namespace }, stringData: { kubeconfig: text } },
      { apiVersion, kind: 'ClusterBinding', metadata: { name: 'cluster', namespace }, spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } } },
    );
    const as = (attempted: Attempted): Promise<void> => eventually(async () => {
      const { status, text: answer } = await send(connection, attempted, namespace);
      if (status >= 400 && status !== 409) throw new Error(`${attempted.method} ${attempted.path}: ${status} ${answer}`);
    }, { timeoutMs: 60_000 });
    const own = `/apis/${apiVersion}/namespaces/${namespace}`;
    const ask = async (api: SampleApi, claims: readonly object[]): Promise<void> => {
      await as({ method: 'POST', path: `${own}/apiserviceexportrequests`, body: { apiVersion, kind: 'APIServiceExportRequest', metadata: { name: api.plural }, spec: { resources: [{ group: api.group, resource: api.plural, versions: ['v1'] }], permissionClaims: claims } } });
      await eventually(async () => {
        const request = await client.get<APIServiceExportRequest>(resources.apiServiceExportRequests, { namespace, name: api.plural });
        if (request.status?.phase !== 'Succeeded') throw new Error(JSON.stringify(request.status));
      }, { timeoutMs: 60_000 });
    };
    await ask(databases, [{ group: '', resource: 'secrets', selector: { labelSelector: {} } }]);
    await ask(zones, []);
    for (const team of ['team-a', 'team-b']) {
      await as({ method: 'POST', path: `${own}/apiservicenamespaces`, body: { apiVersion, kind: 'APIServiceNamespace', metadata: { name: team } } });
      await assigned(namespace, team);
      await as({ method: 'POST', path: `/apis/example.com/v1/namespaces/${namespace}-${team}/databases`, body: { apiVersion: 'example.com/v1', kind: 'Database', metadata: { name: 'orders', annotations: { 'kube-bind.io/cluster-namespace': namespace } } } });
    }
    if (scope === 'Cluster') await as({ method: 'POST', path: '/apis/example.com/v1/zones', body: { apiVersion: 'example.com/v1', kind: 'Zone', metadata: { name: `${namespace}-north` } } });
    return { namespace, connection };
  };
  const assigned = (namespace: string, name: string): Promise<void> => eventually(async () => {
    const found = await client.get<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace, name });
    if (found.status?.namespace === undefined) throw new Error(`${namespace}/${name} has no namespace`);
  }, { timeoutMs: 60_000 });

  const [own, other, unbound] = await Promise.all([onboard('a'), onboard('b'), onboard('c')]);
  // A namespace that has nothing to do with consumers, and the name of one.
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind-a-foreign' } });
  for (const resource of [resources.apiServiceExportRequests, resources.apiServiceExports]) await client.delete(resource, { namespace: unbound.namespace, name: 'databases' });
  const revoked = await revokedToken(plane, own);
  let turns = 0;

  return {
    plane,
    provider,
    consumers: { own, other, unbound },
    revoked,
    send,
    look: (path) => rawRequest(plane.connection, { method: 'GET', path: fill(path) }),
    fill,
    async turn() {
      const name = `turn-${turns++}`;
      await client.create(resources.apiServiceNamespaces, { apiVersion, kind: 'APIServiceNamespace', metadata: { name, namespace: own.namespace } });
      await assigned(own.namespace, name);
    },
    async close() {
      await provider.stop();
      await watchdog.close();
      await plane.stop();
    },
  };
}

function template(name: string, { group, plural, scope }: SampleApi, permissionClaims: readonly object[]): object {
  return { apiVersion, kind: 'APIServiceExportTemplate', metadata: { name }, spec: { scope, resources: [{ group, resource: plural, versions: ['v1'] }], permissionClaims } };
}

/** A token of the kind that lives until its Secret is deleted, and after that. */
async function revokedToken({ client, connection }: Plane, { namespace }: Consumer): Promise<ConnectionConfig> {
  const key = { namespace, name: 'revoked' };
  await client.create(resources.secrets, { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token', metadata: { ...key, annotations: { 'kubernetes.io/service-account.name': fixedNames.binder } } } as KubeObject);
  const data = await eventually(async () => {
    const { data: found } = await client.get<KubeObject & { readonly data?: { readonly token?: string } }>(resources.secrets, key);
    if (found?.token === undefined) throw new Error('there is no token yet');
    return found.token;
  }, { timeoutMs: 30_000 });
  const old: ConnectionConfig = { ...connection, credentials: { kind: 'token', token: Buffer.from(data, 'base64').toString('utf8') } };
  const { status } = await rawRequest(old, { method: 'GET', path: `/apis/${apiVersion}/namespaces/${namespace}/apiserviceexports` });
  if (status !== 200) throw new Error(`the token did not work before it was revoked: ${status}`);
  await client.delete(resources.secrets, key);
  return old;
}
