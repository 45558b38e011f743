import { type ApiError, type Client, type KubeObject, type ObjectKey, type Resource, isApiError } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';

/** State of one object. */
export type NamedReading<T extends KubeObject> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'missing' }
  /** The server forbids reading it, and always has. */
  | { readonly kind: 'denied'; readonly error: ApiError }
  /** Not read yet. */
  | { readonly kind: 'unknown' };

/** Watches single objects of one resource: only the wanted ones, however many others there are. */
export interface NamedWatches<T extends KubeObject> {
  /** Sets the wanted keys: opens new watches, closes the others. */
  want(keys: readonly ObjectKey[]): void;
  read(key: ObjectKey): NamedReading<T>;
  /** Takes in a wanted object that was read live, if it is newer than the known state. */
  observe(object: T): void;
  /** Resolves when each wanted object was read once, successfully or not; rejects when `signal` aborts. */
  settled(signal: AbortSignal): Promise<void>;
  /** Closes all watches. Idempotent. */
  close(): void;
}

/**
 * Whether an object can have this key. Names come from objects with many writers: an invalid one would be a request
 * that fails for ever, and one with a comma would be another selector.
 */
function canExist({ namespace, name }: ObjectKey): boolean {
  return (
    name.length <= 253 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u.test(name) &&
    (namespace === undefined || /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(namespace))
  );
}

const selectorOf = ({ name }: ObjectKey): string => `metadata.name=${name}`;

const text = ({ namespace = '', name }: ObjectKey): string => `${namespace}/${name}`;

/** `changed` is called whenever {@link NamedWatches.read} of a wanted object may have changed. */
export function createNamedWatches<T extends KubeObject>(
  informers: SharedInformers,
  resource: Resource,
  changed: (key: ObjectKey) => void,
): NamedWatches<T> {
  const open = new Map<string, InformerHandle<T>>();

  const watch = (key: ObjectKey): InformerHandle<T> => {
    const handle = informers.acquire<T>({
      resource,
      namespace: key.namespace,
      fieldSelector: selectorOf(key),
    });
    const notify = (): void => {
      changed(key);
    };
    handle.addHandler({ onAdd: notify, onUpdate: notify, onDelete: notify });
    handle.onStateChange(notify);
    return handle;
  };
  return {
    want(keys) {
      const wanted = new Map(keys.map((key) => [text(key), key]));
      for (const [id, handle] of open) {
        if (wanted.has(id)) continue;
        open.delete(id);
        handle.release();
      }
      for (const [id, key] of wanted) if (!open.has(id) && canExist(key)) open.set(id, watch(key));
    },
    read(key) {
      if (!canExist(key)) return { kind: 'missing' };
      const handle = open.get(text(key));
      if (handle === undefined) return { kind: 'unknown' };
      if (!handle.hasSynced) {
        const error = deniedError(handle);
        return error === undefined ? { kind: 'unknown' } : { kind: 'denied', error };
      }
      const object = handle.get(key);
      return object === undefined ? { kind: 'missing' } : { kind: 'found', object };
    },
    observe(object) {
      open.get(text(object.metadata))?.observe(object);
    },
    async settled(signal) {
      await Promise.all([...open.values()].map((handle) => settledOne(handle, signal)));
    },
    close() {
      for (const handle of open.values()) handle.release();
      open.clear();
    },
  };
}

/**
 * Reads the present object with the rights of a watch: `list` and `watch` may be granted without `get`.
 * @throws {ApiError}
 */
export async function readNamed<T extends KubeObject>(
  client: Pick<Client, 'list'>,
  resource: Resource,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (!canExist(key)) return undefined;
  const { namespace, name } = key;
  const { items } = await client.list<T>(resource, { namespace, fieldSelector: selectorOf(key), signal });
  return items.find(({ metadata }) => metadata.name === name);
}

/** Resolves when the first list was delivered or has failed. */
async function settledOne<T extends KubeObject>(handle: InformerHandle<T>, signal: AbortSignal): Promise<void> {
  const failed = Promise.withResolvers<undefined>();
  const look = (): void => {
    if (handle.state.phase === 'waiting') failed.resolve(undefined);
  };
  const subscription = handle.onStateChange(look);
  look();
  try {
    await Promise.race([handle.synced(signal), failed.promise]);
  } finally {
    subscription.close();
  }
}

/**
 * The error if the server forbids the watch: an answer to our credentials and rights, which waiting does not change.
 * Undefined while the watch works, and while the server is unreachable.
 */
export function deniedError({ state }: Pick<InformerHandle<KubeObject>, 'state'>): ApiError | undefined {
  return state.phase === 'waiting' && isApiError(state.error, 'Unauthorized', 'Forbidden') ? state.error : undefined;
}
