import type { Client } from '@hawser/client';
import {
  type BindableResourcesRequest,
  type Secret,
  apiVersion,
  bindingResponseSecretName,
  fixedNames,
  identityHash,
  resources,
} from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { stringify } from 'yaml';
import { Deviation } from '../check.js';
import { allVerbs } from '../verbs.js';
import type { World } from './world.js';

const rbac = 'rbac.authorization.k8s.io';

/** How konnectors reach the provider. */
export type ProviderAddress = Pick<ConnectionConfig, 'server' | 'caData' | 'tlsServerName'>;

/** Name of the request for a consumer of that identity. */
export const onboardingRequestName = (identity: string): string => `conformance-${identityHash(identity)}`;

/**
 * Asks a backend to take on a cluster of that identity, by the flow without a browser (spec/kube-bind-backend.md §7.3).
 * Resolves to the kubeconfig.
 */
export async function askToOnboard(world: World, identity: string, requestNamespace: string): Promise<string> {
  const { provider } = world;
  const name = onboardingRequestName(identity);
  await world.apply(provider, resources.namespaces, { metadata: { name: requestNamespace } }, 'v1', 'Namespace');
  await world.apply(
    provider,
    resources.bindableResourcesRequests,
    {
      metadata: { name, namespace: requestNamespace },
      spec: { author: 'hawser conformance', clusterIdentity: { identity, prettyName: 'conformance' } },
    },
    apiVersion,
    'BindableResourcesRequest',
  );
  const request = await world.until(`BindableResourcesRequest ${requestNamespace}/${name} is answered`, async () => {
    const found = await provider.get<BindableResourcesRequest>(resources.bindableResourcesRequests, {
      namespace: requestNamespace,
      name,
    });
    if (found.status?.phase === 'Succeeded') return found;
    throw new Deviation(
      `it is ${found.status?.phase ?? 'Pending'}: ${found.status?.conditions?.map(({ message }) => message).join(' ') ?? 'without a condition'}`,
    );
  });
  const answer = request.status?.kubeconfigSecretRef;
  const { data } = await provider.get<Secret>(resources.secrets, {
    namespace: requestNamespace,
    name: answer?.name ?? bindingResponseSecretName(name),
  });
  const stored = data?.[answer?.key ?? fixedNames.bindingResponseKey] ?? '';
  const { kubeconfig = '' } = JSON.parse(Buffer.from(stored, 'base64').toString()) as { readonly kubeconfig?: string };
  return Buffer.from(kubeconfig, 'base64').toString();
}

/** Plays the backend: makes the objects of a consumer (spec/kube-bind-backend.md §6). Resolves to the kubeconfig. */
export async function playOnboarding(world: World, address: ProviderAddress): Promise<string> {
  const { provider, clusterNamespace: namespace } = world;
  const { binder: name, clusterBinding, kubeconfigKey: key, providerKubeconfigSecret: secret } = fixedNames;
  await world.apply(provider, resources.namespaces, { metadata: { name: namespace } }, 'v1', 'Namespace');
  await world.apply(provider, resources.serviceAccounts, { metadata: { name, namespace } }, 'v1', 'ServiceAccount');
  await grantBookkeeping(world);
  await grantObjects(world);
  const kubeconfig = await kubeconfigFor(provider, namespace, address);
  await world.apply(
    provider,
    resources.secrets,
    {
      metadata: { name: secret, namespace },
      type: 'Opaque',
      data: { [key]: Buffer.from(kubeconfig).toString('base64') },
    },
    'v1',
    'Secret',
  );
  await world.apply(
    provider,
    resources.clusterBindings,
    {
      metadata: { name: clusterBinding, namespace },
      spec: { providerPrettyName: 'Conformance', kubeconfigSecretRef: { name: secret, key } },
    },
    apiVersion,
    'ClusterBinding',
  );
  return kubeconfig;
}

const rule = (groups: readonly string[], names: readonly string[], verbs: readonly string[]): object => ({
  apiGroups: groups,
  resources: names,
  verbs,
});

/** Grants rights in the cluster namespace. */
async function grantBookkeeping(world: World): Promise<void> {
  const { provider, clusterNamespace: namespace } = world;
  const name = fixedNames.binder;
  const metadata = { name, namespace };
  const rules = [
    rule(['kube-bind.io'], ['apiserviceexportrequests', 'apiservicenamespaces'], allVerbs),
    rule([''], ['namespaces'], ['get']),
    rule([''], ['secrets'], ['get', 'list', 'watch']),
    rule(['kube-bind.io'], ['clusterbindings', 'apiserviceexports', 'boundschemas'], ['get', 'list', 'watch']),
    rule(
      ['kube-bind.io'],
      ['clusterbindings/status', 'apiserviceexports/status', 'boundschemas/status'],
      ['get', 'list', 'patch', 'update'],
    ),
  ];
  await world.apply(provider, resources.roles, { metadata, rules }, `${rbac}/v1`, 'Role');
  await world.apply(
    provider,
    resources.roleBindings,
    { metadata, roleRef: { apiGroup: rbac, kind: 'Role', name }, subjects: subjectsOf(namespace) },
    `${rbac}/v1`,
    'RoleBinding',
  );
}

/** Grants rights in the whole cluster. */
async function grantObjects(world: World): Promise<void> {
  const { provider, clusterNamespace, api, secondApi } = world;
  const name = `conformance-${clusterNamespace}`;
  const rules = [rule([api.group], [api.plural, secondApi.plural], allVerbs), rule([''], ['secrets'], allVerbs)];
  await world.apply(provider, resources.clusterRoles, { metadata: { name }, rules }, `${rbac}/v1`, 'ClusterRole');
  await world.apply(
    provider,
    resources.clusterRoleBindings,
    {
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: subjectsOf(clusterNamespace),
    },
    `${rbac}/v1`,
    'ClusterRoleBinding',
  );
}

const subjectsOf = (namespace: string): readonly object[] => [
  { kind: 'ServiceAccount', name: fixedNames.binder, namespace },
];

/** In the form of spec/kube-bind-api.md §12.2. Its token expires after some hours. */
async function kubeconfigFor(provider: Client, namespace: string, address: ProviderAddress): Promise<string> {
  const { status } = (await provider.raw(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${fixedNames.binder}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 6 * 3_600 } },
  )) as { readonly status: { readonly token: string } };
  const { server, caData, tlsServerName } = address;
  const cluster = {
    server,
    ...(caData === undefined ? {} : { 'certificate-authority-data': Buffer.from(caData).toString('base64') }),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
  };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default', cluster }],
    users: [{ name: 'default', user: { token: status.token } }],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'default', namespace } }],
    'current-context': 'default',
  });
}
