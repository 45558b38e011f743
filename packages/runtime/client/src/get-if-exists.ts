import type { Client, ReadOptions } from './client.js';
import type { KubeObject, ObjectKey, Resource, UnstructuredObject } from './object.js';
import { isObjectNotFound } from './status-error.js';

/**
 * Reads an object live; undefined only if the server says that this very object does not exist. A missing API or
 * namespace is a failure: it proves nothing about the object.
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
