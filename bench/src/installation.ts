import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Client, type KubeObject, createClient } from '@hawser/client';
import { bind, databases, ensure, issueKubeconfig, onboardConsumer, requestExport, sampleCrd } from '@hawser/installation';
import { crds, installCRDs, resources } from '@hawser/kube-bind';
import { systemClock } from '@hawser/clock';
import { type ControlPlane, eventually, startControlPlane } from '@hawser/testenv';

import { rawResource, resource } from './sample.js';

/** Two control planes with one binding, nobody syncing yet. */
export interface Installation {
  readonly folder: string;
  readonly planes: { readonly consumer: ControlPlane; readonly provider: ControlPlane };
  readonly consumer: Client;
  readonly provider: Client;
  readonly clusterNamespace: string;
  readonly consumerNamespace: string;
  readonly providerNamespace: string;
  readonly providerKubeconfig: string;
  close(): Promise<void>;
}

const NAMESPACE = 'team-a';

/**
 * Everything a konnector finds when it comes to a running installation: CRDs, binding, service namespace. The bound CRD is on the consumer already,
 * so that the reference needs no controllers.
 */
export async function install(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const [consumerPlane, providerPlane] = await Promise.all([startControlPlane({ name: 'consumer' }), startControlPlane({ name: 'provider' })]);
  const open = (plane: ControlPlane, name: string): Client => createClient({ name, connection: plane.connection, concurrency: 64, userAgent: 'bench' });
  const consumer = open(consumerPlane, 'consumer');
  const provider = open(providerPlane, 'provider');
  const clusterNamespace = 'kube-bind-bench';
  const providerNamespace = `${clusterNamespace}-${NAMESPACE}`;
  const install = { clock: systemClock };
  await Promise.all([installCRDs(consumer, crds, install), installCRDs(provider, crds, install)]);
  await ensure(provider, resources.customResourceDefinitions, sampleCrd(databases));
  await ensure(provider, resources.customResourceDefinitions, sampleCrd({ ...databases, group: rawResource.group }));
  await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await ensure(provider, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'raw' } });
  const access = { provider, connection: providerPlane.connection, clusterNamespace, prettyName: 'Bench', apis: [databases] };
  const { kubeconfig } = await onboardConsumer(access);
  await requestExport(provider, clusterNamespace, 'databases', [databases]);
  await bind({ consumer, name: 'databases', kubeconfig });
  await eventually(() => provider.list(resource, { limit: 1 }), { timeoutMs: 30_000 });
  await eventually(() => provider.list(rawResource, { limit: 1 }), { timeoutMs: 30_000 });
  writeFileSync(join(folder, 'consumer.kubeconfig'), consumerPlane.kubeconfig, { mode: 0o600 });
  writeFileSync(join(folder, 'provider.kubeconfig'), providerPlane.kubeconfig, { mode: 0o600 });
  return {
    folder,
    planes: { consumer: consumerPlane, provider: providerPlane },
    consumer,
    provider,
    clusterNamespace,
    consumerNamespace: NAMESPACE,
    providerNamespace,
    providerKubeconfig: await issueKubeconfig(access),
    async close() {
      await Promise.all([consumer.close(), provider.close()]);
      await Promise.all([consumerPlane.stop(), providerPlane.stop()]);
    },
  };
}

/** Waits until a konnector has bound the API: the CRD stands on the consumer and the provider has assigned the namespace. */
export async function bound({ consumer, provider, clusterNamespace }: Installation): Promise<void> {
  await eventually(() => consumer.list(resource, { limit: 1 }), { timeoutMs: 60_000 });
  await eventually(async () => {
    const objects = await provider.list<KubeObject & { readonly status?: { readonly namespace?: string } }>(resources.apiServiceNamespaces, { namespace: clusterNamespace });
    return objects.items.some(({ status }) => status?.namespace !== undefined);
  }, { timeoutMs: 60_000 });
}
