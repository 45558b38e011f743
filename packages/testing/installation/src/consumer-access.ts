import type { Client, KubeObject } from '@hawser/client';
import { fixedNames, resources } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { stringify } from 'yaml';

import { ensure } from './ensure.js';
import type { SampleApi } from './sample-api.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

export interface ConsumerAccessOptions {
  readonly provider: Client;
  /** Connection from the consumer to the provider; only server, CA and server name are used. */
  readonly connection: Pick<ConnectionConfig, 'server' | 'caData' | 'tlsServerName'>;
  readonly clusterNamespace: string;
  readonly prettyName: string;
  /** APIs that this consumer may use in all namespaces. */
  readonly apis: readonly SampleApi[];
}

/** The provider's output for one consumer. */
export interface ConsumerAccess {
  /** For the consumer's Secret. Holds a credential. */
  readonly kubeconfig: string;
}

/**
 * Onboards a consumer as the provider's backend would: cluster namespace, ServiceAccount, rights (`spec/konnector.md §14.3`), token, kubeconfig Secret,
 * ClusterBinding. Repeatable.
 */
export async function onboardConsumer(options: ConsumerAccessOptions): Promise<ConsumerAccess> {
  const { provider, clusterNamespace: namespace, apis } = options;
  const name = fixedNames.binder;
  await ensure(provider, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await ensure(provider, resources.serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
  });
  await ensure(provider, resources.clusterRoles, binderRole());
  await ensure(provider, resources.roleBindings, {
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  } as KubeObject);
  const exported = `kube-binder-exports-${namespace}`;
  await ensure(provider, resources.clusterRoles, {
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name: exported },
    rules: apis.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ALL })),
  } as KubeObject);
  await ensure(provider, resources.clusterRoleBindings, {
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: exported },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: exported },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  } as KubeObject);
  const kubeconfig = await issueKubeconfig(options);
  await ensure(provider, resources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: fixedNames.providerKubeconfigSecret, namespace },
    data: { [fixedNames.kubeconfigKey]: Buffer.from(kubeconfig).toString('base64') },
  } as KubeObject);
  await ensure(provider, resources.clusterBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'ClusterBinding',
    metadata: { name: fixedNames.clusterBinding, namespace },
    spec: {
      providerPrettyName: options.prettyName,
      kubeconfigSecretRef: { name: fixedNames.providerKubeconfigSecret, key: fixedNames.kubeconfigKey },
    },
  } as KubeObject);
  return { kubeconfig };
}

/**
 * A fresh token for the consumer's ServiceAccount, in a kubeconfig of the backend's form (`spec/kube-bind-api.md
 * §12.2`).
 */
export async function issueKubeconfig({
  provider,
  connection,
  clusterNamespace: namespace,
}: ConsumerAccessOptions): Promise<string> {
  const answer = (await provider.raw(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${fixedNames.binder}/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 86_400 },
    },
  )) as { readonly status: { readonly token: string } };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'default',
        cluster: {
          server: connection.server,
          ...(connection.caData === undefined
            ? {}
            : { 'certificate-authority-data': Buffer.from(connection.caData).toString('base64') }),
          ...(connection.tlsServerName === undefined ? {} : { 'tls-server-name': connection.tlsServerName }),
        },
      },
    ],
    users: [{ name: 'default', user: { token: answer.status.token } }],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'default', namespace } }],
    'current-context': 'default',
  });
}

/** Rights of every consumer in its cluster namespace. */
export function binderRole(): KubeObject {
  const own = (names: readonly string[], verbs: readonly string[]): object => ({
    apiGroups: ['kube-bind.io'],
    resources: names,
    verbs,
  });
  return {
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name: fixedNames.binder },
    rules: [
      own(['apiserviceexportrequests'], ALL),
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
      own(['clusterbindings', 'apiserviceexports', 'boundschemas'], ['get', 'list', 'watch']),
      own(
        ['clusterbindings/status', 'apiserviceexports/status', 'boundschemas/status'],
        ['get', 'list', 'patch', 'update'],
      ),
      own(['apiservicenamespaces'], ALL),
    ],
  } as KubeObject;
}
