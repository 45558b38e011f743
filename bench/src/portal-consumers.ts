import type { Client, KubeObject, Resource } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { writers } from './writers.js';

const WIDTH = 32;
const apiVersion = 'kube-bind.io/v1alpha2';

/** Creates the consumers of an operator's page: reporting, each with that many exports, every tenth out of sync. */
export async function makeConsumers(admin: Client, consumers: number, exports: number): Promise<void> {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const make = async (
    resource: Resource,
    kind: string,
    namespace: string,
    name: string,
    spec: object,
    status: object,
  ) => {
    const version = resource.group === '' ? resource.version : apiVersion;
    await admin.create<KubeObject>(resource, {
      apiVersion: version,
      kind,
      metadata: { namespace, name },
      spec,
    } as KubeObject);
    await admin.patch(resource, { namespace, name }, { type: 'merge', patch: { status } }, { subresource: 'status' });
  };
  await writers(consumers, WIDTH, async (index) => {
    const namespace = `bench-${index}`;
    await admin.create<KubeObject>(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await make(
      resources.clusterBindings,
      'ClusterBinding',
      namespace,
      'cluster',
      { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Bench' },
      { lastHeartbeatTime: now, heartbeatInterval: '5m0s', konnectorVersion: 'v1.2.3' },
    );
  });
  await writers(consumers * exports, WIDTH, async (index) => {
    const isOpen = index % 10 === 0;
    await make(
      resources.apiServiceExports,
      'APIServiceExport',
      `bench-${index % consumers}`,
      `export-${Math.floor(index / consumers)}`,
      {
        resources: [{ group: 'example.com', resource: `things${Math.floor(index / consumers)}`, versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation: 'Prefixed',
      },
      {
        conditions: [
          { type: 'Connected', status: 'True', lastTransitionTime: now },
          {
            type: 'ConsumerInSync',
            status: isOpen ? 'False' : 'True',
            lastTransitionTime: now,
            ...(isOpen ? { reason: 'Bench', message: 'The consumer does not take the schema.' } : {}),
          },
        ],
      },
    );
  });
}
