import type { Client, KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Cluster, Controller } from '@hawser/controller';
import { installCRDs, resources } from '@hawser/core-kbind';
import { resources as kubeResources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import type { OpenProvider } from '../links.js';

/** An API server in this process: the client of people, and the cluster as the konnector sees it. */
export interface EmbeddedCluster {
  readonly people: Client;
  readonly cluster: Cluster;
  close(): Promise<void>;
}

/** Two API servers in this process. */
export interface EmbeddedClusters<C extends EmbeddedCluster> {
  readonly consumer: C;
  readonly provider: C;
  readonly open: OpenProvider;
  start(controller: Controller<'consumer'>): Promise<void>;
  /** Creates Secret and Connection of that name. */
  connect(name: string, spec?: object): Promise<void>;
  /** Stops the controllers, the last started first. */
  close(): Promise<void>;
}

/** The consumer has the CRDs of `core.kbind.io`, and namespaces `kbind` and `team`. */
export async function openEmbeddedClusters<C extends EmbeddedCluster>(
  open: (name: string) => C,
): Promise<EmbeddedClusters<C>> {
  const [consumer, provider] = [open('consumer'), open('provider')];
  const { people } = consumer;
  const started: Controller<'consumer'>[] = [];
  await installCRDs(people, { clock: systemClock });
  for (const name of ['kbind', 'team'])
    await people.create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return {
    consumer,
    provider,
    open: () => ({ cluster: provider.cluster, close: () => Promise.resolve() }),
    async start(controller) {
      started.unshift(controller);
      await controller.start({
        clusters: { consumer: consumer.cluster },
        clock: systemClock,
        random: Math.random,
        logger: silentLogger,
        metrics: noMetrics,
        signal: new AbortController().signal,
      });
    },
    async connect(name, spec = {}) {
      await people.create(kubeResources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'kbind', name },
        data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
      } as KubeObject);
      await people.create(resources.connections, {
        apiVersion: 'core.kbind.io/v1alpha1',
        kind: 'Connection',
        metadata: { name },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name }, schema: { source: 'CRD' }, ...spec },
      } as KubeObject);
    },
    async close() {
      for (const controller of started) await controller.stop();
      await consumer.close();
      await provider.close();
    },
  };
}

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'one',
  contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
  clusters: [{ name: 'one', cluster: { server: 'https://provider.invalid' } }],
  users: [{ name: 'one', user: { token: 'none' } }],
});
