import { ApiError } from './api-error.js';
import type { Client, KubeList, ListOptions } from './client.js';
import type { KubeObject, Resource, UnstructuredObject } from './object.js';
import { resourceName } from './object-key.js';

/** As the list tools of Kubernetes ask for. */
const PAGE = 500;

/**
 * All objects of a resource, page by page, each asked for when the one before it has been dealt with. `limit` is the size of a page, 500 by default.
 *
 * The pages of one list show one moment. A server that has forgotten that moment (`Expired`), or fails otherwise, ends the iteration with its ApiError: what has
 * been seen by then is not everything, and whoever began to conclude from it has to begin anew.
 * @throws {ApiError} `Malformed` also if the server hands out the same continuation again, so that the list would never end.
 */
export async function* listPages<T extends KubeObject = UnstructuredObject>(client: Pick<Client, 'list' | 'name'>, resource: Resource, options: Omit<ListOptions, 'continue'> = {}): AsyncGenerator<readonly T[], void, undefined> {
  let next: string | undefined;
  do {
    const page: KubeList<T> = await client.list<T>(resource, { limit: PAGE, ...options, ...(next === undefined ? {} : { continue: next }) });
    yield page.items;
    const following = page.metadata.continue === '' ? undefined : page.metadata.continue;
    if (following !== undefined && following === next) {
      const request = { cluster: client.name, verb: 'list', resource: resourceName(resource), namespace: options.namespace };
      throw new ApiError('Malformed', `${client.name}: list ${resourceName(resource)}: the list does not end`, request);
    }
    next = following;
  } while (next !== undefined);
}

/** The objects of {@link listPages} together: all of them, or a rejection. */
export async function listAll<T extends KubeObject = UnstructuredObject>(client: Pick<Client, 'list' | 'name'>, resource: Resource, options: Omit<ListOptions, 'continue'> = {}): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const items of listPages<T>(client, resource, options)) all.push(...items);
  return all;
}
