import { type Client, type KubeObject, getIfExists, isForbidden } from '@hawser/client';
import { type ControllerContext, createOrRead, done, type Outcome } from '@hawser/controller';
import { type APIServiceNamespace, type Dialect, resources } from '@hawser/kube-bind';
import type { Action } from './decision.js';
import { occupiedEvent, sharedEvent } from './events.js';
import { ownerOf } from './marks.js';
import type { Memory } from './memory.js';
import type { NamespaceCaches } from './namespace-caches.js';
import type { NamespaceRights } from './namespace-rights.js';
import { assignedName } from './placement.js';
import { reclaim } from './reclaim.js';

/** Field manager of everything that this controller writes. */
export const fieldManager = 'hawser-servicenamespace';

export interface ActOptions extends Pick<ControllerContext, 'logger'> {
  readonly dialect: Dialect;
  readonly client: Client;
  readonly caches: NamespaceCaches;
  readonly memory: Memory;
  readonly rights: NamespaceRights | undefined;
  /** Delay before a namespace with content is checked again for reclaiming, in milliseconds. */
  readonly reclaimRetryMs: number;
}

/** The only place that writes. Failures are the client's ApiErrors. */
export async function act(options: ActOptions, action: Action, signal: AbortSignal): Promise<Outcome | undefined> {
  switch (action.type) {
    case 'createNamespace':
      await options.memory.underWay.during(action.consumer, action.name, () =>
        createNamespace(options, action, signal),
      );
      return undefined;
    case 'assign':
      await assign(options, action, signal);
      return undefined;
    case 'addOwners':
      await addOwners(options, action, signal);
      return undefined;
    case 'reclaim':
      return reclaimed(options, action.namespace, signal);
  }
}

async function reclaimed(
  { client, dialect, logger, reclaimRetryMs }: ActOptions,
  namespace: KubeObject,
  signal: AbortSignal,
): Promise<Outcome> {
  const result = await reclaim(client, dialect, namespace, signal);
  const key = ownerOf(dialect, namespace) ?? '';
  logger.info('The APIServiceNamespace of a namespace is gone.', {
    key,
    namespace: namespace.metadata.name,
    result: result.kind,
  });
  return result.kind === 'occupied'
    ? { kind: 'requeue', afterMs: reclaimRetryMs, priority: 'background', event: occupiedEvent(key, result.by) }
    : done;
}

async function createNamespace(
  { client, caches: { namespaces } }: ActOptions,
  { name, annotations }: Extract<Action, { type: 'createNamespace' }>,
  signal: AbortSignal,
): Promise<void> {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
  await createOrRead(namespaces, client, resources.namespaces, namespace, {
    fieldManager,
    representation: 'metadata',
    signal,
  });
}

async function assign(
  { caches: { serviceNamespaces }, rights }: ActOptions,
  { serviceNamespace, namespace, shared }: Extract<Action, { type: 'assign' }>,
  signal: AbortSignal,
): Promise<void> {
  const { metadata } = serviceNamespace;
  // Rights first: a konnector that learns of a namespace before it may use it is refused there, and retries late.
  await rights?.ensure(
    { clusterNamespace: metadata.namespace ?? '', consumerNamespace: metadata.name, namespace },
    signal,
  );
  // Assigned once, by any backend, it is never reassigned.
  await serviceNamespaces.commitStatus(
    serviceNamespace,
    (status, current) => (assignedName(current) === undefined ? { ...status, namespace } : status),
    signal,
  );
  if (shared) serviceNamespaces.recordEvent(serviceNamespace, sharedEvent(namespace));
}

/**
 * Reads each owner live: the garbage collector removes a reference to a deleted object, and it would be added again and
 * again.
 */
async function addOwners(
  { dialect, client, caches: { serviceNamespaces }, memory: { ownersRefused, exportsGone } }: ActOptions,
  { serviceNamespace: { metadata }, owners }: Extract<Action, { type: 'addOwners' }>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid, resourceVersion, ownerReferences = [] } = metadata;
  for (const owner of owners) {
    const live = await getIfExists<KubeObject>(
      client,
      dialect.resources.apiServiceExports,
      { namespace, name: owner.name },
      { representation: 'metadata', signal },
    );
    if (live?.metadata.uid !== owner.uid) exportsGone.add(owner.uid);
  }
  const standing = owners.filter((owner) => !exportsGone.has(owner.uid));
  if (standing.length === 0) return;
  const resource = dialect.resources.apiServiceNamespaces;
  const patch = { metadata: { uid, resourceVersion, ownerReferences: [...ownerReferences, ...standing] } };
  try {
    serviceNamespaces.observe(
      await client.patch<APIServiceNamespace>(
        resource,
        { namespace, name },
        { type: 'merge', patch },
        { fieldManager, signal },
      ),
    );
  } catch (error) {
    // OwnerReferencesPermissionEnforcement requires a missing right. It lives as long as its present owners.
    if (!isForbidden(error)) throw error;
    ownersRefused.add(uid);
  }
}
