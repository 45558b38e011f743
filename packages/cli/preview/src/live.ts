import {
  type ApiError,
  type Client,
  type KubeObject,
  type ListOptions,
  type ObjectKey,
  type ReadOptions,
  type Resource,
  type UnstructuredObject,
  getIfExists,
  isApiError,
  listAll,
} from '@hawser/client';

/** Result of a live read of one object. */
export type Live<T> =
  | { readonly kind: 'found'; readonly object: T }
  /** The server says that this very object does not exist. */
  | { readonly kind: 'missing' }
  /** The server refused, or could not be reached. */
  | { readonly kind: 'failed'; readonly error: ApiError };

export async function read<T extends KubeObject>(
  client: Client,
  resource: Resource,
  key: ObjectKey,
  options: ReadOptions = {},
): Promise<Live<T>> {
  try {
    const object = await getIfExists<T>(client, resource, key, options);
    return object === undefined ? { kind: 'missing' } : { kind: 'found', object };
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return { kind: 'failed', error };
    throw error;
  }
}

/** Result of a live list. */
export type LiveList<T> =
  { readonly kind: 'listed'; readonly items: readonly T[] } | { readonly kind: 'failed'; readonly error: ApiError };

/** All pages. A resource that is not served is a failure, not an empty list. */
export async function list<T extends KubeObject = UnstructuredObject>(
  client: Client,
  resource: Resource,
  options: ListOptions = {},
): Promise<LiveList<T>> {
  try {
    return { kind: 'listed', items: await listAll<T>(client, resource, options) };
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return { kind: 'failed', error };
    throw error;
  }
}
