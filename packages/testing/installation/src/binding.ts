import type { Client, KubeObject } from '@hawser/client';
import { type PermissionClaim, fixedNames, labels, resources } from '@hawser/kube-bind';

import type { SampleApi } from './sample-api.js';
import { ensure } from './ensure.js';

/** On the provider: requests an export of `apis`, with these claims. */
export async function requestExport(
  provider: Client,
  clusterNamespace: string,
  name: string,
  apis: readonly SampleApi[],
  claims?: readonly PermissionClaim[],
): Promise<void> {
  await ensure(provider, resources.apiServiceExportRequests, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExportRequest',
    metadata: { name, namespace: clusterNamespace },
    spec: {
      resources: apis.map(({ group, plural }) => ({ group, resource: plural, versions: ['v1'] })),
      ...(claims === undefined ? {} : { permissionClaims: claims }),
    },
  } as KubeObject);
}

export interface BindOptions {
  readonly consumer: Client;
  /** Name of the export and of the binding. */
  readonly name: string;
  readonly kubeconfig: string;
  /** Default `kubeconfig-<name>`. */
  readonly secret?: string;
}

/** On the consumer: creates the Secret with the provider's kubeconfig, and the binding. */
export async function bind({ consumer, name, kubeconfig, secret = `kubeconfig-${name}` }: BindOptions): Promise<void> {
  const namespace = fixedNames.konnectorNamespace;
  await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await ensure(consumer, resources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: secret, namespace, labels: { [labels.providerKubeconfig]: 'true' } },
    data: { [fixedNames.kubeconfigKey]: Buffer.from(kubeconfig).toString('base64') },
  } as KubeObject);
  await ensure(consumer, resources.apiServiceBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { name },
    spec: { kubeconfigSecretRef: { namespace, name: secret, key: fixedNames.kubeconfigKey } },
  } as KubeObject);
}
