import type { KubeObject } from '@hawser/client';
import type {
  APIServiceBinding,
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceExportTemplate,
  AppClusterBinding,
} from '@hawser/klutch';
import type { Secret } from '@hawser/kube-bind';
import type { Observed, ObservedDeletion } from '../observed.js';

export const apiVersion = 'klutch.anynines.com/v1alpha1';
export const root = 'klutch-bind-apps-shop';
export const mine = {
  'klutch.anynines.com/appclusterbinding-name': 'shop',
  'klutch.anynines.com/appclusterbinding-namespace': 'apps',
} as const;
export const finalizer = 'klutch.anynines.com/appclusterbinding-cleanup';
export const name = 'databases.example.com';

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: app
contexts: [{name: app, context: {cluster: app, user: app}}]
clusters: [{name: app, cluster: {server: https://app.example.com}}]
users: [{name: app, user: {token: t0ken}}]
`;
export const kubeconfigData = Buffer.from(kubeconfig).toString('base64');

export function secret(data: string = kubeconfigData, annotations: Readonly<Record<string, string>> = {}): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'app', namespace: 'apps', annotations, resourceVersion: '7' },
    data: { value: data },
  };
}

export function appClusterBinding(
  spec: Partial<AppClusterBinding['spec']> = {},
  metadata: Partial<AppClusterBinding['metadata']> = {},
): AppClusterBinding {
  return {
    apiVersion,
    kind: 'AppClusterBinding',
    metadata: { name: 'shop', namespace: 'apps', uid: 'u', finalizers: [finalizer], ...metadata },
    spec: { kubeconfigSecretRef: { namespace: 'apps', name: 'app', key: 'value' }, ...spec },
  };
}

export function object(kind: string, of: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: of, uid: `uid-of-${of}`, ...metadata } };
}

const rights = (role: string): NonNullable<Observed['roleBinding']> => ({
  ...object('RoleBinding', role, { labels: mine }),
  roleRef: { kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: 'klutch-binder', namespace: root }],
});

/** Everything in place, without an API. */
export function observed(changes: Partial<Observed> = {}): Observed {
  return {
    binding: appClusterBinding(),
    source: { kind: 'found', secret: secret() },
    root: object('Namespace', root, { labels: mine }),
    account: object('ServiceAccount', 'klutch-binder'),
    mirror: {
      ...secret(),
      metadata: { name: 'kubeconfig', namespace: root, annotations: { 'hawser.dev/kubeconfig-revision': '7' } },
      data: { kubeconfig: kubeconfigData },
    },
    clusterBinding: {
      ...object('ClusterBinding', 'cluster'),
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
    },
    roleBinding: rights('control-plane-connector'),
    clusterRoleBinding: rights('klutch-konnector'),
    bindings: [],
    requests: [],
    exports: [],
    deployments: [],
    templates: new Map(),
    unreachable: undefined,
    ...changes,
  };
}

export const claim = { group: '', resource: 'secrets' } as const;

export function apiExport(metadata: Partial<APIServiceExport['metadata']> = {}, of = name): APIServiceExport {
  return {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name: of, namespace: root, ...metadata },
    spec: {
      group: 'example.com',
      names: { plural: 'databases', kind: 'Database' },
      scope: 'Namespaced',
      versions: [],
      informerScope: 'Cluster',
      permissionClaims: [claim],
    },
  };
}

export function apiBinding(
  claims: APIServiceBinding['spec']['permissionClaims'] = [{ ...claim, state: 'Accepted' }],
  of = name,
  labels: Readonly<Record<string, string>> = mine,
): APIServiceBinding {
  return {
    apiVersion,
    kind: 'APIServiceBinding',
    metadata: { name: of, namespace: root, labels },
    spec: { kubeconfigSecretRef: { namespace: root, name: 'kubeconfig', key: 'kubeconfig' }, permissionClaims: claims },
  };
}

export function request(
  status?: APIServiceExportRequest['status'],
  metadata: Partial<APIServiceExportRequest['metadata']> = {},
  resource = 'databases',
): APIServiceExportRequest {
  return {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: { name: 'any', namespace: root, uid: 'of-request', labels: mine, ...metadata },
    spec: { resources: [{ group: 'example.com', resource }] },
    ...(status === undefined ? {} : { status }),
  };
}

export function template(): APIServiceExportTemplate {
  return {
    apiVersion: 'example-backend.klutch.anynines.com/v1alpha1',
    kind: 'APIServiceExportTemplate',
    metadata: { name: 'databases' },
    spec: { APIServiceSelector: { group: 'example.com', resource: 'databases' }, permissionClaims: [claim] },
  };
}

/** Only the root namespace is left. */
export function observedDeletion(
  policy: string | undefined,
  changes: Partial<ObservedDeletion> = {},
): ObservedDeletion {
  return {
    binding: appClusterBinding(
      {},
      {
        deletionTimestamp: 't',
        finalizers: ['other', finalizer],
        ...(policy === undefined ? {} : { annotations: { 'hawser.dev/deletion-policy': policy } }),
      },
    ),
    root: object('Namespace', root, { labels: mine }),
    bindings: [],
    deployment: undefined,
    clusterRoleBinding: undefined,
    clusterRole: undefined,
    roleBinding: undefined,
    mirror: undefined,
    account: undefined,
    serviceNamespaces: [],
    records: [],
    clusterScoped: [],
    unknown: undefined,
    note: undefined,
    ...changes,
  };
}
