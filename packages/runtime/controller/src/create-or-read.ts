import { type Client, type KubeObject, type Resource, type WriteOptions, isAlreadyExists, keyOf } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';

/**
 * Makes an object of which its cache knows nothing, and has the cache take it in. Where it is there already, the cache lags behind and takes in what is read live: whose that is
 * decides the next round.
 *
 * @throws the client's ApiError; `AlreadyExists` where the cache does not take it in, as after a restore of the server to an earlier state. Only a new list tells then, so this is tried later.
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
