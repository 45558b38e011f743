import { type Client, type KubeObject, getIfExists, isAlreadyExists, isConflict, isForbidden, isNotFound } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { Informer, UnderWay } from '@hawser/informer';
import { type APIServiceNamespace, commitStatus, type Dialect, resources } from '@hawser/kube-bind';
import type { Action } from './decision.js';
import type { NamespaceRights } from './namespace-rights.js';
import { assignedName } from './placement.js';
import { type Reclaimed, reclaim } from './reclaim.js';

/** Field manager of everything that this controller writes. */
export const fieldManager = 'hawser-servicenamespace';

export interface ActOptions {
  readonly dialect: Dialect;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly serviceNamespaces: Informer<APIServiceNamespace>;
  readonly namespaces: Informer<KubeObject>;
  readonly underWay: UnderWay;
  readonly rights: NamespaceRights | undefined;
  /** Uids of APIServiceNamespaces whose owners may not be changed. */
  readonly ownersRefused: Set<string | undefined>;
  /** Uids of exports that are cached and do not exist any more. */
  readonly exportsGone: Set<string>;
}

/** What an action came to. */
export type Done =
  /** Something changed: observe and decide again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'reclaimed'; readonly result: Reclaimed };

const changed: Done = { kind: 'changed' };

/** The one place that writes. Failures are the client's ApiErrors. */
export async function act(options: ActOptions, action: Action, signal: AbortSignal): Promise<Done> {
  switch (action.type) {
    case 'createNamespace':
      await options.underWay.during(action.consumer, action.name, () => createNamespace(options, action, signal));
      return changed;
    case 'assign':
      await assign(options, action, signal);
      return changed;
    case 'addOwners':
      await addOwners(options, action, signal);
      return changed;
    case 'reclaim':
      return { kind: 'reclaimed', result: await reclaim(options.client, options.dialect, action.namespace, signal) };
  }
}

async function createNamespace({ client, namespaces }: ActOptions, action: Extract<Action, { type: 'createNamespace' }>, signal: AbortSignal): Promise<void> {
  const { name, annotations } = action;
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
  try {
    namespaces.observe(await client.create<KubeObject>(resources.namespaces, object, { fieldManager, representation: 'metadata', signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The cache lags behind. Whose it is decides the next round.
    namespaces.observe(await client.get<KubeObject>(resources.namespaces, { name }, { representation: 'metadata', signal }));
  }
}

async function assign({ dialect, client, clock, random, serviceNamespaces, rights }: ActOptions, action: Extract<Action, { type: 'assign' }>, signal: AbortSignal): Promise<void> {
  const { metadata } = action.serviceNamespace;
  // A konnector that hears of a namespace before it may use it is refused there, and comes back late.
  await rights?.ensure({ clusterNamespace: metadata.namespace ?? '', consumerNamespace: metadata.name, namespace: action.namespace }, signal);
  const written = await commitStatus(
    client, dialect.resources.apiServiceNamespaces, action.serviceNamespace,
    // Once assigned it is never assigned anew, whoever did it.
    (status, current) => (assignedName(current) === undefined ? { ...status, namespace: action.namespace } : status),
    { clock, random, signal },
  );
  if (written !== undefined) serviceNamespaces.observe(written);
}

/** Each is read live: the garbage collector takes a reference to what is no more away again, and it would be added again and again. */
async function addOwners({ dialect, client, serviceNamespaces, ownersRefused, exportsGone }: ActOptions, { serviceNamespace: { metadata }, owners }: Extract<Action, { type: 'addOwners' }>, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid, resourceVersion, ownerReferences = [] } = metadata;
  for (const owner of owners) {
    const live = await getIfExists<KubeObject>(client, dialect.resources.apiServiceExports, { namespace, name: owner.name }, { representation: 'metadata', signal });
    if (live?.metadata.uid !== owner.uid) exportsGone.add(owner.uid);
  }
  const standing = owners.filter((owner) => !exportsGone.has(owner.uid));
  if (standing.length === 0) return;
  const resource = dialect.resources.apiServiceNamespaces;
  const patch = { metadata: { uid, resourceVersion, ownerReferences: [...ownerReferences, ...standing] } };
  try {
    serviceNamespaces.observe(await client.patch<APIServiceNamespace>(resource, { namespace, name }, { type: 'merge', patch }, { fieldManager, signal }));
  } catch (error) {
    // The cache lags behind.
    if (isConflict(error)) serviceNamespaces.observe(await client.get<APIServiceNamespace>(resource, { namespace, name }, { signal }));
    // OwnerReferencesPermissionEnforcement wants a right that is not given. It lives as long as the owners that it has.
    else if (isForbidden(error)) ownersRefused.add(uid);
    else if (!isNotFound(error)) throw error;
  }
}
