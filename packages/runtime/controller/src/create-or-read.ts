import { type Client, type KubeObject, type Resource, type WriteOptions, isAlreadyExists, keyOf } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';

/**
 * Creates an object that the cache lacks, and puts the answer into the cache. If it exists, the cache lags behind:
 * reads it live into the cache. The next round decides about its ownership.
 *
 * @throws the client's ApiError; `AlreadyExists` if the cache refuses the object, as after a restore of the server to
 * an earlier state. Only a new list resolves that, so the key retries later.
 */
export async function createOrRead<T extends KubeObject>(
  cache: Pick<InformerHandle<T>, 'get' | 'observe'>,
  client: Client,
  resource: Resource,
  object: T,
  { fieldManager, representation, signal }: Pick<WriteOptions, 'fieldManager' | 'representation' | 'signal'>,
): Promise<void> {
  try {
    cache.observe(await client.create<T>(resource, object, { fieldManager, representation, signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const live = await client.get<T>(resource, keyOf(object), { representation, signal });
    cache.observe(live);
    if (cache.get(keyOf(live))?.metadata.uid !== live.metadata.uid) throw error;
  }
}
