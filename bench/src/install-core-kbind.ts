import type { Client, KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { apiVersion, fixedNames, installCRDs, labels, resources } from '@hawser/core-kbind';
import { type SampleApi, ensure, sampleCrd } from '@hawser/installation';
import { type CustomResourceDefinition, resources as kubeResources } from '@hawser/kube-bind';

export interface CoreKbindBinding {
  readonly consumer: Client;
  readonly name: string;
  readonly connection: string;
  readonly api: SampleApi;
}

/** The CRDs of `core.kbind.io` and the namespace for kubeconfigs, on the consumer. */
export async function installCoreKbind(consumer: Client): Promise<void> {
  await installCRDs(consumer, { clock: systemClock });
  await ensure(consumer, kubeResources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: fixedNames.namespace },
  });
}

/** A CRD that a provider offers to Connections. */
export function offeredCrd(api: SampleApi): CustomResourceDefinition {
  const crd = sampleCrd(api);
  return { ...crd, metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } } };
}

/** A Connection and its Secret. */
export async function connect(consumer: Client, name: string, kubeconfig: string): Promise<void> {
  const { namespace } = fixedNames;
  await ensure(consumer, kubeResources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: { [fixedNames.kubeconfigKey]: Buffer.from(kubeconfig).toString('base64') },
  } as KubeObject);
  await ensure(consumer, resources.connections, {
    apiVersion,
    kind: 'Connection',
    metadata: { name },
    spec: { kubeconfigSecretRef: { namespace, name } },
  } as KubeObject);
}

/** A ClusterBinding for one API. */
export async function bindCluster({ consumer, name, connection, api }: CoreKbindBinding): Promise<void> {
  await ensure(consumer, resources.clusterBindings, {
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name },
    spec: { connectionRef: { name: connection }, apis: [{ name: `${api.plural}.${api.group}` }] },
  } as KubeObject);
}
