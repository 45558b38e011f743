import { ApiError } from './api-error.js';
import type { Client, KubeList, ListOptions } from './client.js';
import { isAnswerTooLong } from './malformed-error.js';
import type { KubeObject, Resource, UnstructuredObject } from './object.js';
import { resourceName } from './object-key.js';
import { PageSize } from './page-size.js';

/** The page size of the list tools of Kubernetes. */
const PAGE = 500;

/**
 * Lists all objects of a resource page by page; requests the next page when the caller is done with the last. `limit`
 * is the page size, 500 by default. A page beyond `maxBytes`, 8 MiB by default, is requested again with fewer objects,
 * down to one.
 *
 * All pages of one list show one moment. If the server no longer has that moment (`Expired`), or fails otherwise, the
 * iteration ends with its ApiError. The list is then incomplete: start anew before you conclude from it.
 * @throws {ApiError} `Malformed` also if the server repeats a continuation token: the list would never end.
 */
export async function* listPages<T extends KubeObject = UnstructuredObject>(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  options: Omit<ListOptions, 'continue'> = {},
): AsyncGenerator<readonly T[], void, undefined> {
  for await (const { items } of pagesOf<T>(client, resource, options)) yield items;
}

async function* pagesOf<T extends KubeObject>(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  options: Omit<ListOptions, 'continue'>,
): AsyncGenerator<KubeList<T>, void, undefined> {
  const size = new PageSize(options.limit ?? PAGE, options.maxBytes);
  let next: string | undefined;
  do {
    const page = await readPage<T>(client, resource, options, size, next);
    yield page;
    const following = page.metadata.continue === '' ? undefined : page.metadata.continue;
    if (following !== undefined && following === next) {
      const request = {
        cluster: client.name,
        verb: 'list',
        resource: resourceName(resource),
        namespace: options.namespace,
      };
      throw new ApiError('Malformed', `${client.name}: list ${resourceName(resource)}: the list does not end`, request);
    }
    next = following;
  } while (next !== undefined);
}

async function readPage<T extends KubeObject>(
  client: Pick<Client, 'list'>,
  resource: Resource,
  options: ListOptions,
  size: PageSize,
  next: string | undefined,
): Promise<KubeList<T>> {
  for (;;) {
    try {
      const page = await client.list<T>(resource, {
        ...options,
        limit: size.limit,
        maxBytes: size.maxBytes,
        ...(next === undefined ? {} : { continue: next }),
      });
      size.fits();
      return page;
    } catch (error) {
      if (!isAnswerTooLong(error) || !size.shrink()) throw error;
    }
  }
}

/** Collects the objects of {@link listPages}: all of them, or a rejection. */
export async function listAll<T extends KubeObject = UnstructuredObject>(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  options: Omit<ListOptions, 'continue'> = {},
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const items of listPages<T>(client, resource, options)) all.push(...items);
  return all;
}

/** The objects of a list and the resourceVersion of that state. */
export interface ListSnapshot<T extends KubeObject> {
  /** Undefined: the server did not send it. */
  readonly resourceVersion: string | undefined;
  readonly items: readonly T[];
}

/**
 * Like {@link listAll}, with the version of the list. `take` maps each object to the one to keep, to avoid a second
 * copy of a known object.
 */
export async function listSnapshot<T extends KubeObject = UnstructuredObject>(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  options: Omit<ListOptions, 'continue'> = {},
  take: (object: T) => T = (object) => object,
): Promise<ListSnapshot<T>> {
  const items: T[] = [];
  let resourceVersion: string | undefined;
  for await (const page of pagesOf<T>(client, resource, options)) {
    resourceVersion ??= page.metadata.resourceVersion;
    for (const object of page.items) items.push(take(object));
  }
  return { resourceVersion, items };
}
