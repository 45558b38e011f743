import { type ApiError, type Client, type KubeObject, type ListOptions, type ObjectKey, type ReadOptions, type Resource, type UnstructuredObject, isApiError, isNotFound } from '@hawser/client';

/** What a live read of one object showed. */
export type Live<T> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'missing' }
  /** The server refused, or could not be reached. */
  | { readonly kind: 'failed'; readonly error: ApiError };

export async function read<T extends KubeObject>(client: Client, resource: Resource, key: ObjectKey, options: ReadOptions = {}): Promise<Live<T>> {
  try {
    return { kind: 'found', object: await client.get<T>(resource, key, options) };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'missing' };
    if (isApiError(error) && error.code !== 'Aborted') return { kind: 'failed', error };
    throw error;
  }
}

/** What a live list showed. */
export type LiveList<T> = { readonly kind: 'listed'; readonly items: readonly T[] } | { readonly kind: 'failed'; readonly error: ApiError };

const PAGE = 500;

/** All pages. A resource that is not served is a failure, not an empty list. */
export async function list<T extends KubeObject = UnstructuredObject>(client: Client, resource: Resource, options: ListOptions = {}): Promise<LiveList<T>> {
  const items: T[] = [];
  try {
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: Awaited<ReturnType<typeof client.list<T>>> = await client.list<T>(resource, { ...options, limit: PAGE, ...(next === '' ? {} : { continue: next }) });
      items.push(...page.items);
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    }
    return { kind: 'listed', items };
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return { kind: 'failed', error };
    throw error;
  }
}
