import type { KubeObject, Resource } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';

/** Metadata of the provider's objects: one cache per namespace of this consumer, never of others. */
export interface ProviderCaches {
  get(namespace: string, name: string): KubeObject | undefined;
  /** Whether a missing object is known to be missing. */
  ready(namespace: string): boolean;
  list(namespace: string): readonly KubeObject[];
  observe(object: KubeObject): void;
  open(namespace: string): void;
  release(namespace: string): void;
  readonly informers: readonly InformerHandle<KubeObject>[];
  close(): void;
}

export interface ProviderCachesListener {
  /**
   * Called with the states of an object, including its former or last one. `deleted`: reported by the watch; `missing`:
   * absent from a list. `own`: from the answer to our request.
   */
  changed(objects: readonly KubeObject[], how: 'present' | 'deleted' | 'missing', own: boolean): void;
  filled(namespace: string): void;
  stateChanged(): void;
}

export function createProviderCaches(
  informers: SharedInformers,
  resource: Resource,
  listener: ProviderCachesListener,
): ProviderCaches {
  const caches = new Map<
    string,
    { readonly informer: InformerHandle<KubeObject>; readonly closing: AbortController }
  >();
  const release = (namespace: string): void => {
    const cache = caches.get(namespace);
    caches.delete(namespace);
    cache?.closing.abort();
    cache?.informer.release();
  };
  return {
    get: (namespace, name) => caches.get(namespace)?.informer.get({ namespace, name }),
    ready: (namespace) => caches.get(namespace)?.informer.hasSynced ?? false,
    list: (namespace) => caches.get(namespace)?.informer.list() ?? [],
    observe: (object) => {
      caches.get(object.metadata.namespace ?? '')?.informer.observe(object);
    },
    open(namespace) {
      if (caches.has(namespace)) return;
      const informer = informers.acquire<KubeObject>({ resource, namespace, projection: 'metadata' });
      const closing = new AbortController();
      caches.set(namespace, { informer, closing });
      informer.addHandler({
        onAdd: (object, _initial, _key, own) => {
          listener.changed([object], 'present', own);
        },
        onUpdate: (before, object, _key, own) => {
          listener.changed([before, object], 'present', own);
        },
        onDelete: (object, witnessed, _key, own) => {
          listener.changed([object], witnessed ? 'deleted' : 'missing', own);
        },
      });
      informer.onStateChange(() => {
        listener.stateChanged();
      });
      informer.synced(closing.signal).then(
        () => {
          if (!closing.signal.aborted) listener.filled(namespace);
        },
        () => undefined,
      );
    },
    release,
    get informers() {
      return [...caches.values()].map(({ informer }) => informer);
    },
    close() {
      for (const namespace of [...caches.keys()]) release(namespace);
    },
  };
}
