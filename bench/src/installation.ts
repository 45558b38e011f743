import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Client, type KubeObject, type Resource, createClient } from '@hawser/client';
import {
  type SampleApi,
  bind,
  databases,
  ensure,
  onboardConsumer,
  requestExport,
  sampleCrd,
} from '@hawser/installation';
import { type CustomResourceDefinition, crds, installCRDs, resources } from '@hawser/kube-bind';
import { systemClock } from '@hawser/clock';
import { type ControlPlane, eventually, startControlPlane } from '@hawser/testenv';

import { type BenchDialect, type DialectName, dialectOf } from './dialect.js';
import { bindCluster, connect, installCoreKbind, offeredCrd } from './install-core-kbind.js';
import type { LoadTarget } from './load.js';
import { rawResource, referenceResource } from './sample.js';

/** Two control planes with bindings and no sync yet. */
export interface Installation {
  readonly dialect: BenchDialect;
  readonly folder: string;
  readonly planes: { readonly consumer: ControlPlane; readonly provider: ControlPlane };
  readonly consumer: Client;
  readonly provider: Client;
  /** Empty in v2, which has no cluster namespace. */
  readonly clusterNamespace: string;
  /** Targets that the konnector syncs, one per binding. */
  readonly targets: readonly LoadTarget[];
  /** The first of them. */
  readonly target: LoadTarget;
  /** The target of the reference: the same API in its own group, so both can run at once. */
  readonly referenceTarget: LoadTarget;
  close(): Promise<void>;
}

export interface InstallOptions {
  /** Default v1. */
  readonly dialect?: DialectName;
  /** Each with its own API. Default 1. */
  readonly bindings?: number;
  /** Provider connections that share the bindings: cluster namespaces, each with its kubeconfig. Default 1. */
  readonly providers?: number;
  /** Wraps the address of the provider's API server for konnectors. */
  readonly between?: ((server: string) => Promise<string>) | undefined;
}

const NAMESPACE = 'team-a';

/** Installs what a konnector finds in a running installation: CRDs, and bindings with their references. */
export async function install({
  dialect = 'v1',
  bindings = 1,
  providers = 1,
  between,
}: InstallOptions = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const [consumerPlane, providerPlane] = await Promise.all([
    startControlPlane({ name: 'consumer' }),
    startControlPlane({ name: 'provider' }),
  ]);
  const open = (plane: ControlPlane, name: string): Client =>
    createClient({ name, connection: plane.connection, concurrency: 64, userAgent: 'bench' });
  const consumer = open(consumerPlane, 'consumer');
  const provider = open(providerPlane, 'provider');
  const apis = Array.from({ length: bindings }, (_, index): SampleApi => ({
    ...databases,
    group: index === 0 ? databases.group : `b${index}.${databases.group}`,
  }));
  const reference = { ...databases, group: referenceResource.group };
  for (const api of [{ ...databases, group: rawResource.group }, reference]) await offer(provider, sampleCrd(api));
  await offer(consumer, sampleCrd(reference));
  await ensure(consumer, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await ensure(provider, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'raw' } });
  const { connection } = providerPlane;
  const server = between === undefined ? connection.server : await between(connection.server);
  const bound = await { v1: bindAll, v2: bindAllCoreKbind }[dialect](
    { consumer, provider, plane: providerPlane, server },
    Array.from({ length: providers }, (_, index) => apis.filter((__, api) => api % providers === index)),
  );
  const targets = bound.map(({ api, providerNamespace }): LoadTarget => ({
    dialect: dialectOf(dialect),
    resource: resourceOf(api),
    consumer,
    provider,
    consumerNamespace: NAMESPACE,
    providerNamespace,
  }));
  const [target] = targets;
  if (target === undefined) throw new Error('an installation has at least one binding');
  writeFileSync(join(folder, 'consumer.kubeconfig'), consumerPlane.kubeconfig, { mode: 0o600 });
  writeFileSync(join(folder, 'provider.kubeconfig'), providerPlane.kubeconfig, { mode: 0o600 });
  return {
    dialect: dialectOf(dialect),
    folder,
    planes: { consumer: consumerPlane, provider: providerPlane },
    consumer,
    provider,
    clusterNamespace: dialect === 'v1' ? clusterNamespaceOf(0) : '',
    targets,
    target,
    referenceTarget: { ...target, resource: referenceResource },
    async close() {
      await Promise.all([consumer.close(), provider.close()]);
      await Promise.all([consumerPlane.stop(), providerPlane.stop()]);
    },
  };
}

interface Sides {
  readonly consumer: Client;
  readonly provider: Client;
  readonly plane: ControlPlane;
  /** The provider's address for the konnector. */
  readonly server: string;
}

interface Bound {
  readonly api: SampleApi;
  readonly providerNamespace: string;
}

function clusterNamespaceOf(provider: number): string {
  return provider === 0 ? 'kube-bind-bench' : `kube-bind-bench-${provider}`;
}

/** In `kube-bind.io`: a cluster namespace for each provider connection, an APIServiceExportRequest and a binding for each API. */
async function bindAll(
  { consumer, provider, plane, server }: Sides,
  perProvider: readonly (readonly SampleApi[])[],
): Promise<readonly Bound[]> {
  const options = { clock: systemClock };
  await Promise.all([installCRDs(consumer, crds, options), installCRDs(provider, crds, options)]);
  const bound: Bound[] = [];
  for (const [index, apis] of perProvider.entries()) {
    for (const api of apis) await offer(provider, sampleCrd(api));
    const clusterNamespace = clusterNamespaceOf(index);
    const connection = { ...plane.connection, server };
    const { kubeconfig } = await onboardConsumer({ provider, connection, clusterNamespace, prettyName: 'Bench', apis });
    for (const api of apis) {
      const name = `databases-${bound.length}`;
      await requestExport(provider, clusterNamespace, name, [api]);
      await bind({ consumer, name, kubeconfig, secret: `kubeconfig-${index}` });
      bound.push({ api, providerNamespace: `${clusterNamespace}-${NAMESPACE}` });
    }
  }
  return bound;
}

/** In `core.kbind.io`: a Connection for each provider connection, and a ClusterBinding for each API. */
async function bindAllCoreKbind(
  { consumer, provider, plane, server }: Sides,
  perProvider: readonly (readonly SampleApi[])[],
): Promise<readonly Bound[]> {
  await installCoreKbind(consumer);
  const kubeconfig = plane.kubeconfig.replaceAll(plane.connection.server, server);
  const bound: Bound[] = [];
  for (const [index, apis] of perProvider.entries()) {
    const connection = `provider-${index}`;
    await connect(consumer, connection, kubeconfig);
    for (const api of apis) {
      await offer(provider, offeredCrd(api));
      await bindCluster({ consumer, name: `databases-${bound.length}`, connection, api });
      bound.push({ api, providerNamespace: NAMESPACE });
    }
  }
  return bound;
}

async function offer(client: Client, crd: KubeObject & Pick<CustomResourceDefinition, 'spec'>): Promise<void> {
  await ensure(client, resources.customResourceDefinitions, crd);
  const { group, names } = crd.spec;
  const resource = { group, version: 'v1', resource: names.plural };
  await eventually(() => client.list(resource, { limit: 1 }), { timeoutMs: 30_000 });
}

function resourceOf({ group, plural }: SampleApi): Resource {
  return { group, version: 'v1', resource: plural };
}
