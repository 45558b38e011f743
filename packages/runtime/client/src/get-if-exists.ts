import type { Client, ReadOptions } from './client.js';
import type { KubeObject, ObjectKey, Resource, UnstructuredObject } from './object.js';
import { isObjectNotFound } from './status-error.js';

/**
 * The object as it is now; undefined only if the server says that this very object does not exist. An API or a namespace that is missing is a failure
 * like every other: it proves nothing about the object.
 * @throws {ApiError}
 */
export async function getIfExists<T extends KubeObject = UnstructuredObject>(
  client: Pick<Client, 'get'>,
  resource: Resource,
  key: ObjectKey,
  options: ReadOptions = {},
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, key, options);
  } catch (error) {
    if (isObjectNotFound(error, resource, key)) return undefined;
    throw error;
  }
}
