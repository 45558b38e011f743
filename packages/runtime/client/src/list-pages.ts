import { ApiError } from './api-error.js';
import type { Client, KubeList, ListOptions } from './client.js';
import { isAnswerTooLong } from './malformed-error.js';
import type { KubeObject, Resource, UnstructuredObject } from './object.js';
import { resourceName } from './object-key.js';
import { PageSize } from './page-size.js';

/** As the list tools of Kubernetes ask for. */
const PAGE = 500;

/**
 * All objects of a resource, page by page, each asked for when the one before it has been dealt with. `limit` is the size of a page, 500 by default.
 * A page that is longer than `maxBytes`, 8 MiB by default, is asked for again with fewer objects, down to one.
 *
 * The pages of one list show one moment. A server that has forgotten that moment (`Expired`), or fails otherwise, ends the iteration with its ApiError: what has
 * been seen by then is not everything, and whoever began to conclude from it has to begin anew.
 * @throws {ApiError} `Malformed` also if the server hands out the same continuation again, so that the list would never end.
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

/** The objects of {@link listPages} together: all of them, or a rejection. */
export async function listAll<T extends KubeObject = UnstructuredObject>(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  options: Omit<ListOptions, 'continue'> = {},
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const items of listPages<T>(client, resource, options)) all.push(...items);
  return all;
}

/** The objects of a list and the version at which they were so. */
export interface ListSnapshot<T extends KubeObject> {
  /** Undefined if the server does not say it. */
  readonly resourceVersion: string | undefined;
  readonly items: readonly T[];
}

/**
 * As {@link listAll}, with the version that the pages show. `take` is called with each object and returns what is kept in its place, so that what a caller has already is not kept
 * twice.
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
