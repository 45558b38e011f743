import { type Client, createClient, getIfExists, type KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { installCRDs, resources } from '@hawser/core-kbind';
import { createSharedInformers } from '@hawser/informer';
import { resources as kubeResources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { type ControlPlane, startControlPlane } from '@hawser/testenv';
import type { OpenProvider } from '../links.js';

/** Two control planes of their own, each with its cluster identity. The consumer has the CRDs of `core.kbind.io`. */
export interface KbindClusters {
  readonly planes: Readonly<Record<'consumer' | 'provider', ControlPlane>>;
  readonly consumer: Client;
  readonly provider: Client;
  /** Creates Secret `kbind/<name>`, or changes its kubeconfig. Default: that of the provider. */
  putSecret(name: string, kubeconfig?: string): Promise<void>;
  /** Creates a Connection of that name, by the Secret of that name. */
  connect(connection: string, secret?: string): Promise<void>;
  close(): Promise<void>;
}

/** @param namespaces of the consumer, besides `kbind` */
export async function openKbindClusters(namespaces: readonly string[] = []): Promise<KbindClusters> {
  const [one, other] = await Promise.all([
    startControlPlane({ name: 'kbind-consumer' }),
    startControlPlane({ name: 'kbind-provider' }),
  ]);
  const consumer = createClient({ name: 'consumer', connection: one.connection });
  const provider = createClient({ name: 'provider', connection: other.connection });
  await installCRDs(consumer, { clock: systemClock });
  for (const name of ['kbind', ...namespaces])
    await consumer.create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return {
    planes: { consumer: one, provider: other },
    consumer,
    provider,
    async putSecret(name, kubeconfig = other.kubeconfig) {
      const key = { namespace: 'kbind', name };
      const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: key, data } as KubeObject;
      if ((await getIfExists(consumer, kubeResources.secrets, key)) === undefined)
        await consumer.create(kubeResources.secrets, secret);
      else await consumer.patch(kubeResources.secrets, key, { type: 'merge', patch: { data } });
    },
    async connect(connection, secret = connection) {
      await consumer.create(resources.connections, {
        apiVersion: 'core.kbind.io/v1alpha1',
        kind: 'Connection',
        metadata: { name: connection },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name: secret }, schema: { source: 'CRD' } },
      } as KubeObject);
    },
    async close() {
      await consumer.close();
      await provider.close();
      await Promise.all([one.stop(), other.stop()]);
    },
  };
}

/** Opens a provider as the konnector does, without Events and metrics. */
export const openProvider: OpenProvider = (connection) => {
  const client = createClient({ name: 'provider', connection });
  const telemetry = { clock: systemClock, random: Math.random, logger: silentLogger, metrics: noMetrics };
  const informers = createSharedInformers({ client, ...telemetry });
  const events = { record: () => undefined, flush: () => Promise.resolve() };
  return {
    cluster: { name: 'provider', client, informers, events },
    close: async () => {
      await informers.close();
      await client.close();
    },
  };
};
