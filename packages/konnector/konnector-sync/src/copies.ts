import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import type { Informer, InformerHandle, InformerState, SharedInformers, Subscription } from '@hawser/informer';

/** One cache of copies, for health. */
export interface CopiesState {
  readonly namespace: string | undefined;
  readonly state: InformerState;
  readonly informer: Informer<UnstructuredObject>;
}

/** The known copies of one resource on the provider. */
export interface Copies {
  get(key: ObjectKey): UnstructuredObject | undefined;
  /** Whether the cache for this namespace is filled: only then is a missing copy known to be missing. */
  ready(namespace: string | undefined): boolean;
  observe(copy: UnstructuredObject): void;
  /** A copy in step with `consumer` shares its equal parts. */
  share(key: ObjectKey, consumer: UnstructuredObject): void;
  /** Lists the copies in a provider namespace. */
  list(namespace: string | undefined): readonly UnstructuredObject[];
  /** The caches behind it. */
  states(): readonly CopiesState[];
  close(): void;
}

export interface CopiesListener {
  /** `own`: the change is the answer to our own request. */
  changed(copy: UnstructuredObject, how: 'present' | 'gone', own: boolean): void;
  /** The cache of this namespace (undefined: the only one) has been filled. */
  filled(namespace: string | undefined): void;
  /** A cache has been opened. Its closing closes the subscription. */
  opened(cache: Informer<UnstructuredObject>): Subscription;
}

/** The caches of copies; each watches only once it is opened. */
export interface CopyCaches extends Copies {
  /** `namespace`: the only one that the cache covers; undefined: all. Idempotent. */
  open(namespace: string | undefined): void;
  release(namespace: string): void;
}

/**
 * `layout`: `one` cache for all copies, cluster-wide or of one namespace; or one `perNamespace`, opened and closed with
 * service namespaces. With the latter, an unreadable namespace delays only its own objects.
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
  // Filled at the moment of closing, it would be asked for objects that it has dropped.
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
