import {
  type Client,
  type Resource,
  type UnstructuredObject,
  type WatchEvent,
  type WatchStream,
  isApiError,
} from '@hawser/client';

/** An event of an object. */
export type ObjectEvent = Exclude<WatchEvent<UnstructuredObject>, { readonly type: 'BOOKMARK' }>;

/** Watches one resource from outside: measures what a user sees. */
export interface Observer {
  /**
   * Resolves with the time (ms, monotonic) at which `count` different names have satisfied `predicate` since this call.
   */
  count(count: number, predicate: (event: ObjectEvent) => boolean, timeoutMs: number): Promise<number>;
  close(): void;
}

/** `namespace` absent: all. `nameOf` gives the name to count. */
export async function observe(
  client: Client,
  resource: Resource,
  namespace?: string,
  nameOf = ({ metadata }: UnstructuredObject): string => metadata.name,
): Promise<Observer> {
  const closing = new AbortController();
  const listeners = new Set<(event: WatchEvent<UnstructuredObject>) => void>();
  const { metadata } = await client.list(resource, { namespace, limit: 1, representation: 'metadata' });
  let { resourceVersion } = metadata;
  const open = (): Promise<WatchStream<UnstructuredObject>> =>
    client.watch(resource, { namespace, resourceVersion, allowBookmarks: true, signal: closing.signal });
  let stream = await open();
  void (async () => {
    try {
      // A busy server ends watches that fall behind: resume where it ended.
      for (; ; stream = await open()) {
        for await (const event of stream) {
          resourceVersion = event.object.metadata.resourceVersion;
          for (const listener of [...listeners]) listener(event);
        }
      }
    } catch (error) {
      // Aborted: the client was closed because of another error, which is the one to show.
      if (!closing.signal.aborted && !isApiError(error, 'Aborted')) throw error;
    }
  })();
  return {
    count(count, predicate, timeoutMs) {
      const names = new Set<string>();
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          listeners.delete(listener);
          reject(
            new Error(
              `${resource.resource} in ${namespace ?? 'all namespaces'}: ${names.size} of ${count} after ${timeoutMs} ms`,
            ),
          );
        }, timeoutMs);
        const listener = (event: WatchEvent<UnstructuredObject>): void => {
          if (event.type === 'BOOKMARK' || !predicate(event)) return;
          names.add(nameOf(event.object));
          if (names.size < count) return;
          clearTimeout(timer);
          listeners.delete(listener);
          resolve(performance.now());
        };
        listeners.add(listener);
      });
    },
    close: () => {
      closing.abort();
    },
  };
}
