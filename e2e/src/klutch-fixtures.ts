import type { KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SampleApi, ensure, sampleCrd } from '@hawser/installation';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceNamespace,
  type ClusterBinding,
  consumerCRDs,
  exportHash,
  inlineSpecFromCRD,
  installCRDs,
  klutchDialect,
  providerCRDs,
  serviceNamespaceName,
} from '@hawser/klutch';
import type { CustomResourceDefinition } from '@hawser/kube-bind';
import { resources as kubernetes } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { eventually, kubeconfigText } from '@hawser/testenv';
import { LONG } from './copies.js';
import type { Plane } from './plane.js';
import { serviceAccountConnection } from './service-account.js';
import type { System } from './system.js';

const { resources, names, annotations, apiVersion } = klutchDialect;
const RBAC = 'rbac.authorization.k8s.io/v1';
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** A consumer of a Klutch provider (`spec/klutch.md §7, §8`). */
export interface KlutchConsumer {
  readonly clusterNamespace: string;
  /** The content of the Secret that konnectors read. */
  readonly kubeconfig: string;
  readonly connection: ConnectionConfig;
}

/** Installs Klutch's kinds on both sides. */
export async function installKlutch({ consumer, provider }: System): Promise<void> {
  await installCRDs(consumer.client, consumerCRDs, { clock: systemClock });
  await installCRDs(provider.client, providerCRDs, { clock: systemClock });
}

/**
 * The first objects that the web part of a Klutch backend creates when a consumer signs in. They suffice where the
 * provider role issues the credential.
 */
export function klutchConsumerObjects(namespace: string): readonly KubeObject[] {
  const binding: ClusterBinding = {
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name: names.clusterBinding, namespace },
    spec: { providerPrettyName: 'A Klutch provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, annotations: { [annotations.identity]: `jane#${namespace}` } },
    },
    binding,
  ];
}

/**
 * Creates everything that the web part of a Klutch backend creates when a consumer signs in: namespace, ServiceAccount,
 * kubeconfig and ClusterBinding. No rights yet.
 */
export async function onboardKlutchConsumer(provider: Plane, clusterNamespace: string): Promise<KlutchConsumer> {
  const namespace = clusterNamespace;
  const [home, binding] = klutchConsumerObjects(namespace);
  await provider.apply(home ?? {}, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: names.binder, namespace },
  });
  const connection = await serviceAccountConnection(provider, namespace, names.binder);
  const kubeconfig = kubeconfigText('provider', {
    ...provider.podsConnection,
    credentials: connection.credentials,
    namespace,
  });
  await provider.apply(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace },
      data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
    },
    binding ?? {},
  );
  return { clusterNamespace, kubeconfig, connection };
}

/** Grants what a Klutch backend grants under consumer scope Cluster. */
export async function allowEverywhere(
  provider: Plane,
  { clusterNamespace: namespace }: KlutchConsumer,
  apis: readonly SampleApi[],
): Promise<void> {
  const role = `${names.binder}-${namespace}`;
  await provider.apply(
    {
      apiVersion: RBAC,
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [
        { apiGroups: [klutchDialect.apiGroup], resources: ['*'], verbs: ALL },
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
        { apiGroups: [''], resources: ['secrets'], verbs: ALL },
        ...apis.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ALL })),
      ],
    },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: names.binder, namespace }],
    },
  );
}

/** On the provider: creates the CRD and an export that carries it. */
export async function exportInline(
  provider: Plane,
  { clusterNamespace }: KlutchConsumer,
  api: SampleApi,
  change: (crd: CustomResourceDefinition) => CustomResourceDefinition = (crd) => crd,
): Promise<void> {
  const crd = change(sampleCrd(api));
  await provider.apply(crd);
  await provider.kubectl(['wait', '--for=condition=Established', `crd/${crd.metadata.name}`, '--timeout=60s']);
  const spec = inlineSpecFromCRD(crd);
  const exported: APIServiceExport = {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: {
      name: crd.metadata.name,
      namespace: clusterNamespace,
      annotations: { [annotations.sourceSpecHash]: exportHash(spec) },
    },
    spec: {
      ...spec,
      informerScope: api.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
      ...(api.scope === 'Cluster' ? { clusterScopedIsolation: 'Prefixed' as const } : {}),
    },
  };
  await provider.apply(exported);
}

/** On the consumer: creates the Secret in `klutch-bind`, and a binding for each API. */
export async function bindKlutch(
  consumer: Plane,
  { kubeconfig }: KlutchConsumer,
  apis: readonly SampleApi[],
  claims: APIServiceBinding['spec']['permissionClaims'] = [],
): Promise<void> {
  const namespace = names.konnectorNamespace;
  await consumer.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig-abcde', namespace },
      data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
    },
    ...apis.map(({ group, plural }) => ({
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: { name: `${plural}.${group}` },
      spec: {
        kubeconfigSecretRef: { namespace, name: 'kubeconfig-abcde', key: 'kubeconfig' },
        permissionClaims: claims,
      },
    })),
  );
}

/** Does the backend's part for an APIServiceNamespace. */
export async function assignNamespace(
  provider: Plane,
  { clusterNamespace: namespace }: KlutchConsumer,
  consumerNamespace: string,
): Promise<string> {
  const request = await eventually(
    () =>
      provider.client.get<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace, name: consumerNamespace }),
    LONG,
  );
  const assigned = serviceNamespaceName(namespace, consumerNamespace);
  await ensure(provider.client, kubernetes.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: assigned,
      annotations: { [annotations.apiServiceNamespace]: `${namespace}/${consumerNamespace}` },
    },
  });
  await provider.client.patch(
    resources.apiServiceNamespaces,
    { namespace, name: request.metadata.name },
    { type: 'merge', patch: { status: { namespace: assigned } } },
    { subresource: 'status' },
  );
  return assigned;
}
