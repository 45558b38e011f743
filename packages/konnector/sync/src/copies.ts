import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import type { Informer, InformerHandle, InformerState, SharedInformers, Subscription } from '@hawser/informer';

/** One cache of copies, for health. */
export interface CopiesState {
  readonly namespace: string | undefined;
  readonly state: InformerState;
  readonly informer: Informer<UnstructuredObject>;
}

/** What is known of the provider's copies of one resource. */
export interface Copies {
  get(key: ObjectKey): UnstructuredObject | undefined;
  /** Whether the cache of that place is filled, so that a missing copy is known to be missing. */
  ready(namespace: string | undefined): boolean;
  observe(copy: UnstructuredObject): void;
  /** A copy that is in step with `consumer` holds in common with it what is the same. */
  share(key: ObjectKey, consumer: UnstructuredObject): void;
  /** All copies in a provider namespace. */
  list(namespace: string | undefined): readonly UnstructuredObject[];
  /** The caches behind it. */
  states(): readonly CopiesState[];
  close(): void;
}

export interface CopiesListener {
  changed(copy: UnstructuredObject, how: 'present' | 'gone'): void;
  /** The cache of this namespace (undefined: the only one) has been filled. */
  filled(namespace: string | undefined): void;
  /** A cache has been opened. The subscription is closed with it. */
  opened(cache: Informer<UnstructuredObject>): Subscription;
}

/** One cache for all copies: cluster-wide, or of one namespace. */
export function createSingleCopies(informers: SharedInformers, resource: Resource, namespace: string | undefined, listener: CopiesListener): Copies {
  const cache = openCache(informers, resource, namespace, () => { listener.filled(undefined); }, listener);
  return {
    get: (key) => cache.informer.get(key),
    ready: () => cache.informer.hasSynced,
    observe: (copy) => { cache.informer.observe(copy); },
    share: (key, consumer) => { cache.informer.share(key, consumer); },
    list: (inNamespace) => cache.informer.list(inNamespace),
    states: () => [{ namespace, state: cache.informer.state, informer: cache.informer }],
    close: () => { cache.close(); },
  };
}

/** One cache per service namespace, opened and closed as they come and go; one that cannot be read holds up only its own objects. */
export interface NamespacedCopies extends Copies {
  open(namespace: string): void;
  release(namespace: string): void;
}

export function createNamespacedCopies(informers: SharedInformers, resource: Resource, listener: CopiesListener): NamespacedCopies {
  const caches = new Map<string, Cache>();
  return {
    get: (key) => caches.get(key.namespace ?? '')?.informer.get(key),
    ready: (namespace = '') => caches.get(namespace)?.informer.hasSynced ?? false,
    observe: (copy) => { caches.get(copy.metadata.namespace ?? '')?.informer.observe(copy); },
    share: (key, consumer) => { caches.get(key.namespace ?? '')?.informer.share(key, consumer); },
    list: (namespace = '') => caches.get(namespace)?.informer.list() ?? [],
    states: () => [...caches].map(([namespace, { informer }]) => ({ namespace, state: informer.state, informer })),
    open(namespace) {
      if (!caches.has(namespace)) caches.set(namespace, openCache(informers, resource, namespace, () => { listener.filled(namespace); }, listener));
    },
    release(namespace) {
      caches.get(namespace)?.close();
      caches.delete(namespace);
    },
    close() {
      for (const cache of caches.values()) cache.close();
      caches.clear();
    },
  };
}

interface Cache {
  readonly informer: InformerHandle<UnstructuredObject>;
  close(): void;
}

function openCache(informers: SharedInformers, resource: Resource, namespace: string | undefined, filled: () => void, listener: CopiesListener): Cache {
  const informer = informers.acquire<UnstructuredObject>(namespace === undefined ? { resource } : { resource, namespace });
  const closing = new AbortController();
  const following = listener.opened(informer);
  const subscription: Subscription = informer.addHandler({
    onAdd: (copy) => { listener.changed(copy, 'present'); },
    onUpdate: (_, copy) => { listener.changed(copy, 'present'); },
    onDelete: (copy) => { listener.changed(copy, 'gone'); },
  });
  // Filled in the moment in which it is closed, it would be asked for objects that it no longer has.
  informer.synced(closing.signal).then(() => { if (!closing.signal.aborted) filled(); }, () => undefined);
  return {
    informer,
    close() {
      closing.abort();
      following.close();
      subscription.close();
      informer.release();
    },
  };
}
