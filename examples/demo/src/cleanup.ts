import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  isConflict,
  isNotFound,
} from '@hawser/client';
import { sleep, systemClock } from '@hawser/clock';
import {
  type APIServiceNamespace,
  type CustomResourceDefinition,
  annotations,
  finalizers,
  resources,
} from '@hawser/kube-bind';
import type { Cluster } from './cluster.js';
import { messageOf } from './demo-error.js';
import type { Created } from './ledger.js';
import { databaseResource, names } from './names.js';
import type { Timeline } from './timeline.js';

const DELETION_MS = 30_000;
/** Deleting namespaces takes long on real clusters. */
const NAMESPACE_MS = 120_000;

export interface CleanupOptions {
  readonly consumer: Cluster;
  readonly provider: Cluster;
  readonly timeline: Timeline;
  /** Stops konnector and provider. */
  readonly stopRoles: () => Promise<void>;
}

/**
 * Removes what the demo and its processes created on two given clusters. Deletes everything by uid. Resolves to
 * messages about what could not be removed.
 */
export async function cleanUp({ consumer, provider, timeline, stopRoles }: CleanupOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      timeline.doing(undefined, `removed: ${what}`);
    } catch (error) {
      problems.push(`${what}: ${messageOf(error)}`);
    }
  };
  // While the konnector runs, a deletion on the consumer is enough.
  await attempt('the databases', () => removeDatabases(consumer, provider));
  await attempt('the binding and its CRD', () => unbind(consumer));
  await stopRoles();
  const serviceNamespaces = await ownServiceNamespaces(provider).catch(() => []);
  await Promise.all([
    attempt('namespaces on the provider', () =>
      removeAll(provider, [...serviceNamespaces, ...createdOf(provider, resources.namespaces)], NAMESPACE_MS),
    ),
    attempt('namespaces on the consumer', () =>
      removeAll(consumer, createdOf(consumer, resources.namespaces), NAMESPACE_MS),
    ),
  ]);
  for (const cluster of [provider, consumer]) {
    await attempt(`what is cluster-wide on the ${cluster.side}`, () =>
      removeAll(
        cluster,
        cluster.ledger.filter(
          ({ namespace, resource }) => namespace === undefined && resource !== resources.namespaces,
        ),
        DELETION_MS,
      ),
    );
    await attempt(`Events on the ${cluster.side}`, () => removeEvents(cluster));
  }
  return problems;
}

async function removeDatabases(consumer: Cluster, provider: Cluster): Promise<void> {
  const mine = await listed(consumer.client, databaseResource);
  if (mine.length > 0 && !(await ownsCRD(consumer))) throw new Error(`${names.crd} on the consumer is not the demo's`);
  await Promise.all(mine.map((object) => remove(consumer.client, databaseResource, object.metadata)));
  const deadline = performance.now() + DELETION_MS;
  while ((await listed(consumer.client, databaseResource)).length > 0) {
    if (performance.now() > deadline) {
      // The konnector is gone or fails: the copies go with the provider's CRD, which is the demo's too.
      for (const { metadata } of await listed(consumer.client, databaseResource))
        await release(consumer.client, metadata);
      break;
    }
    await sleep(systemClock, 100);
  }
  const service = createdOf(provider, resources.customResourceDefinitions).some(({ name }) => name === names.crd);
  if (service)
    for (const { metadata } of await listed(provider.client, databaseResource))
      await remove(provider.client, databaseResource, metadata);
}

async function release(
  client: Client,
  { namespace, name, uid, resourceVersion, finalizers: held = [] }: KubeObject['metadata'],
): Promise<void> {
  const patch = {
    metadata: { uid, resourceVersion, finalizers: held.filter((finalizer) => finalizer !== finalizers.syncer) },
  };
  await client.patch(databaseResource, { namespace, name }, { type: 'merge', patch }).catch(ignoreMissing);
}

/** The konnector creates the CRD; its owner, the binding, identifies it as the demo's. */
async function unbind(consumer: Cluster): Promise<void> {
  const binding = consumer.ledger.find(({ resource }) => resource === resources.apiServiceBindings);
  if (binding === undefined) return;
  const crd = await ownsCRD(consumer);
  await removeAll(consumer, [binding], DELETION_MS);
  if (crd !== undefined) await removeAll(consumer, [crd], DELETION_MS);
}

async function ownsCRD({ client, ledger }: Cluster): Promise<Created | undefined> {
  const crd = await get<CustomResourceDefinition>(client, resources.customResourceDefinitions, { name: names.crd });
  const binding = ledger.find(({ resource }) => resource === resources.apiServiceBindings);
  if (crd?.metadata.ownerReferences?.some(({ uid }) => uid === binding?.uid) !== true) return undefined;
  return { resource: resources.customResourceDefinitions, name: names.crd, uid: crd.metadata.uid ?? '' };
}

/** The provider creates them; they name their consumer. */
async function ownServiceNamespaces({ client }: Cluster): Promise<readonly Created[]> {
  const assigned = (await listed(
    client,
    resources.apiServiceNamespaces,
    names.clusterNamespace,
  )) as readonly KubeObject[] as readonly APIServiceNamespace[];
  const found = await Promise.all(
    assigned.map(async ({ metadata, status }) => {
      const namespace =
        status?.namespace === undefined
          ? undefined
          : await get<KubeObject>(client, resources.namespaces, { name: status.namespace });
      return namespace?.metadata.annotations?.[annotations.apiServiceNamespace] ===
        `${names.clusterNamespace}/${metadata.name}`
        ? [{ resource: resources.namespaces, name: namespace.metadata.name, uid: namespace.metadata.uid ?? '' }]
        : [];
    }),
  );
  return found.flat();
}

interface ReportedEvent {
  readonly source?: { readonly component?: string };
}

/** Events about cluster-scoped objects are in namespace `default`. */
async function removeEvents({ client }: Cluster): Promise<void> {
  const events = await listed(client, resources.events, 'default');
  const ours = events.filter((event) =>
    ['hawser-konnector', 'hawser-provider'].includes((event as ReportedEvent).source?.component ?? ''),
  );
  for (const { metadata } of ours) await remove(client, resources.events, metadata);
}

function createdOf({ ledger }: Cluster, of: Resource): readonly Created[] {
  return ledger.filter(({ resource }) => resource === of);
}

/** Deletes the objects and waits until they are gone. */
async function removeAll({ client }: Cluster, objects: readonly Created[], patienceMs: number): Promise<void> {
  await Promise.all(objects.map(({ resource, ...key }) => remove(client, resource, key)));
  const deadline = performance.now() + patienceMs;
  const left = new Set(objects);
  for (;;) {
    for (const created of left) {
      const now = await get<KubeObject>(client, created.resource, created);
      if (now?.metadata.uid !== created.uid) left.delete(created);
    }
    if (left.size === 0) return;
    if (performance.now() > deadline)
      throw new Error(
        `still being deleted: ${[...left].map(({ resource, name }) => `${resource.resource} ${name}`).join(', ')}`,
      );
    await sleep(systemClock, 200);
  }
}

async function remove(
  client: Client,
  resource: Resource,
  {
    namespace,
    name,
    uid,
  }: { readonly namespace?: string | undefined; readonly name: string; readonly uid?: string | undefined },
): Promise<void> {
  // An object of that name with another uid is not the demo's.
  await client.delete(resource, { namespace, name }, { preconditions: { uid } }).catch((error: unknown) => {
    if (!isConflict(error)) ignoreMissing(error);
  });
}

async function get<T extends KubeObject>(
  client: Client,
  resource: Resource,
  { namespace, name }: ObjectKey,
): Promise<T | undefined> {
  return client.get<T>(resource, { namespace, name }).catch(ignoreMissing);
}

async function listed(client: Client, resource: Resource, namespace?: string): Promise<readonly UnstructuredObject[]> {
  return (await client.list(resource, { namespace }).catch(ignoreMissing))?.items ?? [];
}

function ignoreMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
