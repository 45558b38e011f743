import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  type APIServiceNamespace,
  type Namespace,
  annotations,
  apiVersion,
  installCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { eventually, startControlPlane } from '@hawser/testenv';
import { runOnCluster } from './on-cluster.js';

const clusterNamespace = 'kube-bind-acme';
const consumerNamespace = 'team-a';

/** Starts a control plane, runs the controller on it, and throws unless an APIServiceNamespace gets its namespace. */
export async function runOnOwnControlPlane(signal: AbortSignal): Promise<void> {
  await using plane = await startControlPlane({
    name: 'provider',
    print: (line) => {
      console.log(line);
    },
  });
  const client = createClient({ name: 'provider', connection: plane.connection });
  try {
    await installCRDs(client, providerCRDs, { clock: systemClock, signal });
    await client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: clusterNamespace },
    });
    await runOnCluster(
      plane.connection,
      'Prefixed',
      async () => {
        const key = { namespace: clusterNamespace, name: consumerNamespace };
        await client.create(resources.apiServiceNamespaces, { apiVersion, kind: 'APIServiceNamespace', metadata: key });
        console.log(`made APIServiceNamespace ${key.namespace}/${key.name}`);
        const name = await eventually(
          async () =>
            (await client.get<APIServiceNamespace>(resources.apiServiceNamespaces, key)).status?.namespace ?? false,
        );
        const namespace = await client.get<Namespace>(resources.namespaces, { name });
        const owner = namespace.metadata.annotations?.[annotations.apiServiceNamespace];
        if (
          name !== `${clusterNamespace}-${consumerNamespace}` ||
          owner !== `${clusterNamespace}/${consumerNamespace}`
        ) {
          throw new Error(`it got namespace ${name}, which belongs to ${owner ?? 'nobody'}`);
        }
        console.log(`it got namespace ${name}, marked as belonging to ${owner}`);
      },
      signal,
    );
  } finally {
    await client.close();
  }
}
