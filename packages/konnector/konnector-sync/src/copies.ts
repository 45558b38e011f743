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
  /** `own`: by what a request of ours was answered. */
  changed(copy: UnstructuredObject, how: 'present' | 'gone', own: boolean): void;
  /** The cache of this namespace (undefined: the only one) has been filled. */
  filled(namespace: string | undefined): void;
  /** A cache has been opened. The subscription is closed with it. */
  opened(cache: Informer<UnstructuredObject>): Subscription;
}

/** The caches of copies: nothing is watched before one is opened. */
export interface CopyCaches extends Copies {
  /** `namespace`: of which alone there are copies in it; undefined: of all. Idempotent. */
  open(namespace: string | undefined): void;
  release(namespace: string): void;
}

/**
 * `layout`: `one` cache for all copies, cluster-wide or of one namespace; or one `perNamespace`, opened and closed as service namespaces come and go, so that one that
 * cannot be read holds up only its own objects.
 */
export function createCopyCaches(
  informers: SharedInformers,
  resource: Resource,
  layout: 'one' | 'perNamespace',
  listener: CopiesListener,
): CopyCaches {
  const caches = new Map<string, Cache>();
  const keyOf = (namespace: string | undefined): string => (layout === 'one' ? '' : (namespace ?? ''));
  const of = (namespace: string | undefined): InformerHandle<UnstructuredObject> | undefined =>
    caches.get(keyOf(namespace))?.informer;
  return {
    get: (key) => of(key.namespace)?.get(key),
    ready: (namespace) => of(namespace)?.hasSynced ?? false,
    observe: (copy) => {
      of(copy.metadata.namespace)?.observe(copy);
    },
    share: (key, consumer) => {
      of(key.namespace)?.share(key, consumer);
    },
    list: (namespace) => of(namespace)?.list(namespace) ?? [],
    states: () =>
      [...caches.values()].map(({ informer }) => ({
        namespace: informer.spec.namespace,
        state: informer.state,
        informer,
      })),
    open(namespace) {
      const key = keyOf(namespace);
      if (!caches.has(key))
        caches.set(
          key,
          openCache(
            informers,
            resource,
            namespace,
            () => {
              listener.filled(layout === 'one' ? undefined : namespace);
            },
            listener,
          ),
        );
    },
    release(namespace) {
      caches.get(keyOf(namespace))?.close();
      caches.delete(keyOf(namespace));
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

function openCache(
  informers: SharedInformers,
  resource: Resource,
  namespace: string | undefined,
  filled: () => void,
  listener: CopiesListener,
): Cache {
  const informer = informers.acquire<UnstructuredObject>(
    namespace === undefined ? { resource } : { resource, namespace },
  );
  const closing = new AbortController();
  const following = listener.opened(informer);
  const subscription: Subscription = informer.addHandler({
    onAdd: (copy, _initial, _key, own) => {
      listener.changed(copy, 'present', own);
    },
    onUpdate: (_, copy, _key, own) => {
      listener.changed(copy, 'present', own);
    },
    onDelete: (copy, _witnessed, _key, own) => {
      listener.changed(copy, 'gone', own);
    },
  });
  // Filled in the moment in which it is closed, it would be asked for objects that it no longer has.
  informer.synced(closing.signal).then(
    () => {
      if (!closing.signal.aborted) filled();
    },
    () => undefined,
  );
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
