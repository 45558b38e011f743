import {
  type Client,
  type KubeObject,
  type OwnerReference,
  type Resource,
  getIfExists,
  isAlreadyExists,
  isApiError,
} from '@hawser/client';
import type { InformerHandle, Subscription } from '@hawser/informer';
import { hawserAnnotations } from '@hawser/kube-bind';

import type { NamespaceMap } from './isolation.js';

/** An APIServiceNamespace, reduced to what the map needs (`spec/kube-bind-api.md §6.6`). */
export interface ServiceNamespaceObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: { readonly namespace?: string | undefined } | undefined;
}

/**
 * Maps consumer namespaces to provider namespaces, as the provider assigns them in APIServiceNamespaces. One per
 * connection, shared by all its syncs.
 */
export interface ServiceNamespaces extends NamespaceMap {
  /** Creates the APIServiceNamespace if it is missing. `pending` until the provider has answered. */
  ensure(consumerNamespace: string, owner: OwnerReference, signal: AbortSignal): Promise<'assigned' | 'pending'>;
  /**
   * Adds `owner` to an APIServiceNamespace that another export made, so it lives as long as any export needs it. Leaves
   * it unchanged if the provider forbids that. Rejects with the ApiError of any other failure, a lasting conflict
   * included.
   */
  share(consumerNamespace: string, owner: OwnerReference, signal: AbortSignal): Promise<void>;
  /**
   * Whether `owner` is missing. `foreign`: another konnector made it; taking it over must cost no write of its own, so
   * it waits for one that is due anyway. One without an owner stays so: an owner would make it go.
   */
  unshared(consumerNamespace: string, owner: OwnerReference): Unshared | undefined;
  /** Calls the listener when a consumer namespace gets, changes or loses its provider namespace. */
  onChange(listener: (change: NamespaceChange) => void): Subscription;
  /** All pairs known now. */
  assigned(): readonly { readonly consumer: string; readonly provider: string }[];
}

export type Unshared = 'ours' | 'foreign';

export interface NamespaceChange {
  readonly consumer: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface ServiceNamespacesOptions {
  readonly client: Client;
  readonly resource: Resource;
  readonly clusterNamespace: string;
  /** The APIServiceNamespaces of the cluster namespace. The caller keeps its share while the map is in use. */
  readonly informer: Pick<
    InformerHandle<ServiceNamespaceObject>,
    'get' | 'list' | 'addIndex' | 'byIndex' | 'observe' | 'addHandler'
  >;
  /** Milliseconds of the monotonic clock of the decisions. */
  readonly now: () => number;
  /**
   * Identity of the consumer cluster, if known. Recorded on created objects, since several consumers may use one
   * kubeconfig.
   */
  readonly consumerCluster?: (() => string | undefined) | undefined;
}

const BY_PROVIDER_NAMESPACE = 'status.namespace';
/** Several exports that start at the same time cause conflicts in a row. */
const SHARE_ATTEMPTS = 5;
/** A provider that keeps owners itself does not let its consumers write them. */
const REFUSED_FOR_MS = 600_000;

export function createServiceNamespaces(options: ServiceNamespacesOptions): ServiceNamespaces {
  const { client, resource, clusterNamespace, informer } = options;
  informer.addIndex(BY_PROVIDER_NAMESPACE, (object) =>
    assignedTo(object) === undefined ? [] : [assignedTo(object) ?? ''],
  );
  const get = (consumerNamespace: string): ServiceNamespaceObject | undefined =>
    informer.get({ namespace: clusterNamespace, name: consumerNamespace });
  /** When an unanswered request was first seen here: the provider's clock may differ. */
  const firstSeen = new Map<string, { readonly uid: string | undefined; readonly at: number }>();
  /** Many objects discover the missing owner at the same time. */
  const sharing = new Map<string, Promise<void>>();
  /** When the provider refused an owner. */
  const refused = new Map<string, number>();
  const shareKey = (consumerNamespace: string, { uid }: OwnerReference): string => `${uid}/${consumerNamespace}`;
  const lacks = (
    { metadata: { name, ownerReferences = [] } }: ServiceNamespaceObject,
    owner: OwnerReference,
  ): boolean =>
    ownerReferences.length > 0 &&
    !ownerReferences.some(({ uid }) => uid === owner.uid) &&
    options.now() - (refused.get(shareKey(name, owner)) ?? -Infinity) >= REFUSED_FOR_MS;
  return {
    pendingSince(consumerNamespace) {
      const object = get(consumerNamespace);
      if (object === undefined || assignedTo(object) !== undefined) {
        firstSeen.delete(consumerNamespace);
        return undefined;
      }
      const known = firstSeen.get(consumerNamespace);
      if (known !== undefined && known.uid === object.metadata.uid) return known.at;
      const at = options.now();
      firstSeen.set(consumerNamespace, { uid: object.metadata.uid, at });
      return at;
    },
    toProvider: (consumerNamespace) => {
      const object = get(consumerNamespace);
      return object === undefined ? undefined : assignedTo(object);
    },
    toConsumer: (providerNamespace) => {
      const owners = informer.byIndex(BY_PROVIDER_NAMESPACE, providerNamespace);
      // Two consumer namespaces share one provider namespace: the origin of its objects is unknown.
      return owners.length === 1 ? owners[0]?.metadata.name : undefined;
    },
    assigned: () =>
      informer.list().flatMap((object) => {
        const provider = assignedTo(object);
        return provider === undefined ? [] : [{ consumer: object.metadata.name, provider }];
      }),
    async ensure(consumerNamespace, owner, signal) {
      const known = get(consumerNamespace);
      if (known !== undefined) return assignedTo(known) === undefined ? 'pending' : 'assigned';
      const object = await createOrRead(consumerNamespace, owner, signal);
      informer.observe(object);
      return assignedTo(object) === undefined ? 'pending' : 'assigned';
    },
    unshared: (consumerNamespace, owner) => {
      const object = get(consumerNamespace);
      if (object === undefined || !lacks(object, owner)) return undefined;
      return object.metadata.annotations?.[hawserAnnotations.consumerIdentity] === undefined ? 'foreign' : 'ours';
    },
    async share(consumerNamespace, owner, signal) {
      const key = shareKey(consumerNamespace, owner);
      const running =
        sharing.get(key) ??
        addOwner(consumerNamespace, owner, signal).finally(() => {
          sharing.delete(key);
        });
      sharing.set(key, running);
      await running;
    },
    onChange(listener) {
      const notify = (before: ServiceNamespaceObject | undefined, after: ServiceNamespaceObject | undefined): void => {
        const consumer = (after ?? before)?.metadata.name;
        const was = before === undefined ? undefined : assignedTo(before);
        const is = after === undefined ? undefined : assignedTo(after);
        if (consumer !== undefined && (was !== is || before === undefined || after === undefined))
          listener({ consumer, before: was, after: is });
      };
      return informer.addHandler({
        onAdd: (object) => {
          notify(undefined, object);
        },
        onUpdate: (before, after) => {
          notify(before, after);
        },
        onDelete: (object) => {
          notify(object, undefined);
        },
      });
    },
  };

  async function addOwner(consumerNamespace: string, owner: OwnerReference, signal: AbortSignal): Promise<void> {
    let object = get(consumerNamespace);
    for (let attempt = 1; object !== undefined && lacks(object, owner); attempt++) {
      const { uid, resourceVersion, namespace, name, ownerReferences = [] } = object.metadata;
      try {
        const patch = { metadata: { uid, resourceVersion, ownerReferences: [...ownerReferences, owner] } };
        informer.observe(
          await client.patch<ServiceNamespaceObject>(
            resource,
            { namespace, name },
            { type: 'merge', patch },
            { signal },
          ),
        );
        return;
      } catch (error) {
        if (isApiError(error, 'NotFound')) return;
        if (isApiError(error, 'Forbidden')) {
          refused.set(shareKey(consumerNamespace, owner), options.now());
          return;
        }
        if (!isApiError(error, 'Conflict') || attempt >= SHARE_ATTEMPTS) throw error;
        // The provider writes its status, or another export adds itself.
        object = await getIfExists<ServiceNamespaceObject>(client, resource, { namespace, name }, { signal });
        if (object !== undefined) informer.observe(object);
      }
    }
  }

  async function createOrRead(
    name: string,
    owner: OwnerReference,
    signal: AbortSignal,
  ): Promise<ServiceNamespaceObject> {
    const consumer = options.consumerCluster?.();
    const annotations =
      consumer === undefined ? {} : { annotations: { [hawserAnnotations.consumerIdentity]: consumer } };
    const object = {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: 'APIServiceNamespace',
      // Not a controller reference: other exports may use the same namespace later.
      metadata: { name, namespace: clusterNamespace, ...annotations, ownerReferences: [owner] },
      spec: {},
    };
    try {
      return await client.create<ServiceNamespaceObject>(resource, object, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return client.get<ServiceNamespaceObject>(resource, { namespace: clusterNamespace, name }, { signal });
    }
  }
}

function assignedTo(object: ServiceNamespaceObject): string | undefined {
  const namespace = object.status?.namespace;
  return namespace === undefined || namespace === '' ? undefined : namespace;
}
