import { type Client, type KubeObject, type Resource, type UnstructuredObject, isAlreadyExists } from '@hawser/client';

/** Creates `object` unless its name is taken. Returns the stored object. */
export async function ensure(client: Client, resource: Resource, object: KubeObject): Promise<UnstructuredObject> {
  try {
    return await client.create(resource, object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = object.metadata;
    return client.get(resource, { name, namespace });
  }
}
