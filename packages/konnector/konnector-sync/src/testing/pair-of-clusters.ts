import { kubeBindDialect } from '@hawser/kube-bind';
import { type Client, type Resource, type UnstructuredObject, createClient, isNotFound } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SharedInformers, createSharedInformers } from '@hawser/informer';
import { crdOf } from '@hawser/installation';
import {
  type EventRecorder,
  type ObjectReference,
  type EventMessage,
  noMetrics,
  silentLogger,
} from '@hawser/telemetry';
import {
  type AuditEntry,
  type AuditMark,
  eventually,
  settled,
  sharedControlPlane,
  uniqueGroup,
  uniqueNamespace,
} from '@hawser/testenv';

import type { DeletionProof, PairSettings } from '../observed.js';
import type { NamespaceChange, ServiceNamespaces } from '../service-namespaces.js';
import { type Sync, createSync } from '../sync.js';
import { type SyncOptions } from '../sync-options.js';

/** Two real API servers with one resource on both, for tests of the engine alone. */
export interface PairOfClusters {
  readonly resource: Resource;
  readonly consumer: Client;
  readonly provider: Client;
  readonly namespace: string;
  readonly providerNamespace: string;
  readonly settings: PairSettings;
  readonly events: { readonly regarding: ObjectReference; readonly event: EventMessage }[];
  /** Answers of the deletion proof, changeable by the test. */
  proof: DeletionProof;
  startSync(settings?: Partial<PairSettings>, options?: Partial<SyncOptions>): Promise<Sync>;
  object(name: string, spec: unknown, metadata?: Record<string, unknown>): UnstructuredObject;
  /** Removes the consumer object with force, without our finalizer. */
  tearOut(name: string): Promise<void>;
  /** Removes the consumer object like an API server that deletes it although it has just got a finalizer. */
  slipsAway(name: string): Promise<void>;
  onConsumer(name: string): Promise<UnstructuredObject | undefined>;
  onProvider(name: string): Promise<UnstructuredObject | undefined>;
  /** Waits until writes to this resource stop on both sides; returns those since the mark. */
  writesSince(mark: readonly [AuditMark, AuditMark]): Promise<readonly AuditEntry[]>;
  mark(): Promise<readonly [AuditMark, AuditMark]>;
  close(): Promise<void>;
}

export interface PairOptions {
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly statusSubresource?: boolean;
  /** Further schema of the spec, on the provider only. */
  readonly providerSpec?: Record<string, unknown>;
}

export async function openPair(options: PairOptions = {}): Promise<PairOfClusters> {
  const scope = options.scope ?? 'Namespaced';
  const planes = { consumer: await sharedControlPlane('consumer'), provider: await sharedControlPlane('provider') };
  const group = uniqueGroup('sync');
  const resource: Resource = { group, version: 'v1', resource: 'databases' };
  const namespace = uniqueNamespace('team');
  const clusterNamespace = uniqueNamespace('kube-bind');
  const providerNamespace = `${clusterNamespace}-${namespace}`;
  const open = (name: 'consumer' | 'provider'): Client =>
    createClient({
      name,
      connection: planes[name].connection,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
  const consumer = open('consumer');
  const provider = open('provider');
  await installCrd(consumer, group, scope, options.statusSubresource ?? true, {});
  await installCrd(provider, group, scope, options.statusSubresource ?? true, options.providerSpec ?? {});
  await consumer.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await provider.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: providerNamespace } });
  const ns = await provider.create(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: clusterNamespace },
  });
  const settings: PairSettings = {
    dialect: kubeBindDialect,
    isolation: scope === 'Namespaced' ? 'ServiceNamespace' : 'Prefixed',
    clusterNamespace,
    clusterNamespaceUid: ns.metadata.uid ?? '',
    consumerCluster: 'test-cluster',
    statusSubresource: options.statusSubresource ?? true,
  };
  const closers: (() => Promise<void>)[] = [];
  const events: { regarding: ObjectReference; event: EventMessage }[] = [];
  const recorder: EventRecorder = {
    record: (regarding, event) => {
      events.push({ regarding, event });
    },
    flush: () => Promise.resolve(),
  };
  const read = async (
    client: Client,
    key: { namespace?: string; name: string },
  ): Promise<UnstructuredObject | undefined> => {
    try {
      return await client.get(resource, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  const pair: PairOfClusters = {
    resource,
    consumer,
    provider,
    namespace,
    providerNamespace,
    settings,
    events,
    proof: { kind: 'byUser' },
    async startSync(changed = {}, more = {}) {
      const informers: Record<'consumer' | 'provider', SharedInformers> = {
        consumer: informersOf(consumer),
        provider: informersOf(provider),
      };
      const sync = createSync({
        name: 'databases',
        resource,
        settings: { ...settings, ...changed },
        informerScope: 'Namespaced',
        consumer: { client: consumer, informers: informers.consumer, events: recorder },
        provider: { client: provider, informers: informers.provider },
        namespaces: fixedNamespaces(namespace, providerNamespace),
        exportOwner: {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceExport',
          name: 'databases',
          uid: 'export-uid',
        },
        prove: () => Promise.resolve(pair.proof),
        clock: systemClock,
        random: Math.random,
        logger: silentLogger,
        metrics: noMetrics,
        ...more,
      });
      closers.push(async () => {
        await sync.stop();
        await Promise.all([informers.consumer.close(), informers.provider.close()]);
      });
      await sync.start(AbortSignal.timeout(20_000));
      return sync;
    },
    object: (name, spec, metadata = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Database',
      metadata: { name, ...(scope === 'Namespaced' ? { namespace } : {}), ...metadata },
      spec,
    }),
    async tearOut(name) {
      const key = scope === 'Namespaced' ? { namespace, name } : { name };
      await consumer.patch(resource, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await consumer.delete(resource, key);
    },
    slipsAway: (name) => planes.consumer.removeFromStorage(`/registry/${group}/databases/${namespace}/${name}`),
    onConsumer: (name) => read(consumer, scope === 'Namespaced' ? { namespace, name } : { name }),
    onProvider: (name) =>
      read(
        provider,
        scope === 'Namespaced' ? { namespace: providerNamespace, name } : { name: `${clusterNamespace}-${name}` },
      ),
    async mark() {
      return [await planes.consumer.auditLog().mark(), await planes.provider.auditLog().mark()];
    },
    async writesSince([onConsumer, onProvider]) {
      return settled<AuditEntry>(async () => [
        ...(await planes.consumer.auditLog().writes({ since: onConsumer, resource: 'databases', group })),
        ...(await planes.provider.auditLog().writes({ since: onProvider, resource: 'databases', group })),
      ]);
    },
    async close() {
      await Promise.all(closers.map((closer) => closer()));
      await Promise.all([consumer.close(), provider.close()]);
    },
  };
  return pair;
}

const namespaces: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const crds: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

export function informersOf(client: Client): SharedInformers {
  return createSharedInformers({
    client,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
  });
}

function fixedNamespaces(consumerNamespace: string, providerNamespace: string): ServiceNamespaces {
  return {
    toProvider: (namespace) => (namespace === consumerNamespace ? providerNamespace : undefined),
    toConsumer: (namespace) => (namespace === providerNamespace ? consumerNamespace : undefined),
    pendingSince: () => undefined,
    ensure: () => Promise.resolve('pending'),
    share: () => Promise.resolve(),
    unshared: () => undefined,
    onChange(listener: (change: NamespaceChange) => void) {
      listener({ consumer: consumerNamespace, before: undefined, after: providerNamespace });
      return { close: () => undefined };
    },
    assigned: () => [{ consumer: consumerNamespace, provider: providerNamespace }],
  };
}

async function installCrd(
  client: Client,
  group: string,
  scope: 'Namespaced' | 'Cluster',
  statusSubresource: boolean,
  spec: Record<string, unknown>,
): Promise<void> {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const properties = {
    spec: { ...open, properties: { size: { type: 'string' }, ...spec } },
    status: open,
    extra: open,
  };
  await client.create(
    crds,
    crdOf({ group, plural: 'databases', kind: 'Database', scope }, { properties, statusSubresource }),
  );
  await eventually(async () => {
    await client.list({ group, version: 'v1', resource: 'databases' });
  });
}
