import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Client, type Resource, createClient } from '@hawser/client';
import {
  type SampleApi,
  bind,
  databases,
  ensure,
  onboardConsumer,
  requestExport,
  sampleCrd,
} from '@hawser/installation';
import { crds, installCRDs, resources } from '@hawser/kube-bind';
import { systemClock } from '@hawser/clock';
import { type ControlPlane, eventually, startControlPlane } from '@hawser/testenv';

import type { Place } from './load.js';
import { rawResource, referenceResource } from './sample.js';

/** Two control planes with bindings, nobody syncing yet. */
export interface Installation {
  readonly folder: string;
  readonly planes: { readonly consumer: ControlPlane; readonly provider: ControlPlane };
  readonly consumer: Client;
  readonly provider: Client;
  readonly clusterNamespace: string;
  /** Where the konnector syncs, one place for each binding. */
  readonly places: readonly Place[];
  /** The first of them. */
  readonly place: Place;
  /** Where the reference syncs: the same API in a group of its own, so that both may run at the same time. */
  readonly referencePlace: Place;
  close(): Promise<void>;
}

export interface InstallOptions {
  /** Each of an API of its own. Default 1. */
  readonly bindings?: number;
  /** Provider connections over which the bindings are spread: cluster namespaces with kubeconfigs of their own. Default 1. */
  readonly providers?: number;
  /** Stands between konnectors and the provider's API server, at whose address it is given. */
  readonly between?: ((server: string) => Promise<string>) | undefined;
}

const NAMESPACE = 'team-a';

/** Everything a konnector finds when it comes to a running installation: CRDs, bindings, an APIServiceExportRequest for each. */
export async function install({ bindings = 1, providers = 1, between }: InstallOptions = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const [consumerPlane, providerPlane] = await Promise.all([
    startControlPlane({ name: 'consumer' }),
    startControlPlane({ name: 'provider' }),
  ]);
  const open = (plane: ControlPlane, name: string): Client =>
    createClient({ name, connection: plane.connection, concurrency: 64, userAgent: 'bench' });
  const consumer = open(consumerPlane, 'consumer');
  const provider = open(providerPlane, 'provider');
  const install = { clock: systemClock };
  await Promise.all([installCRDs(consumer, crds, install), installCRDs(provider, crds, install)]);
  const apis = Array.from({ length: bindings }, (_, index): SampleApi => ({
    ...databases,
    group: index === 0 ? databases.group : `b${index}.${databases.group}`,
  }));
  for (const api of [
    ...apis,
    { ...databases, group: rawResource.group },
    { ...databases, group: referenceResource.group },
  ])
    await offer(provider, api);
  await offer(consumer, { ...databases, group: referenceResource.group });
  await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await ensure(provider, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'raw' } });
  const { connection } = providerPlane;
  const reached = between === undefined ? connection : { ...connection, server: await between(connection.server) };
  const clusterNamespaces = Array.from({ length: providers }, (_, index) =>
    index === 0 ? 'kube-bind-bench' : `kube-bind-bench-${index}`,
  );
  const places: Place[] = [];
  for (const [index, clusterNamespace] of clusterNamespaces.entries()) {
    const own = apis.filter((_, api) => api % providers === index);
    const { kubeconfig } = await onboardConsumer({
      provider,
      connection: reached,
      clusterNamespace,
      prettyName: 'Bench',
      apis: own,
    });
    for (const api of own) {
      const name = `databases-${apis.indexOf(api)}`;
      await requestExport(provider, clusterNamespace, name, [api]);
      await bind({ consumer, name, kubeconfig, secret: `kubeconfig-${index}` });
      places.push({
        resource: resourceOf(api),
        consumer,
        provider,
        consumerNamespace: NAMESPACE,
        providerNamespace: `${clusterNamespace}-${NAMESPACE}`,
      });
    }
  }
  const [place] = places;
  if (place === undefined) throw new Error('an installation has at least one binding');
  writeFileSync(join(folder, 'consumer.kubeconfig'), consumerPlane.kubeconfig, { mode: 0o600 });
  writeFileSync(join(folder, 'provider.kubeconfig'), providerPlane.kubeconfig, { mode: 0o600 });
  return {
    folder,
    planes: { consumer: consumerPlane, provider: providerPlane },
    consumer,
    provider,
    clusterNamespace: 'kube-bind-bench',
    places,
    place,
    referencePlace: { ...place, resource: referenceResource },
    async close() {
      await Promise.all([consumer.close(), provider.close()]);
      await Promise.all([consumerPlane.stop(), providerPlane.stop()]);
    },
  };
}

async function offer(client: Client, api: SampleApi): Promise<void> {
  await ensure(client, resources.customResourceDefinitions, sampleCrd(api));
  await eventually(() => client.list(resourceOf(api), { limit: 1 }), { timeoutMs: 30_000 });
}

function resourceOf({ group, plural }: SampleApi): Resource {
  return { group, version: 'v1', resource: plural };
}
