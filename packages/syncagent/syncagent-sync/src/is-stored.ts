import { type Client, type KubeObject, type Resource, getIfExists, keyOf, versionOf } from '@hawser/client';

/**
 * Whether an object is stored as a cache shows it, by a live read: after a restored backup, the cache shows another
 * state for a while.
 */
export async function isStored(
  client: Client,
  resource: Resource,
  object: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const live = await getIfExists<KubeObject>(client, resource, keyOf(object), { representation: 'metadata', signal });
  return live !== undefined && versionOf(live) === versionOf(object);
}
