import { type Client, type KubeObject, type Resource, isApiError, listPages, objectKey } from '@hawser/client';

/** Result of a pass over all objects. */
export interface Migration {
  readonly objects: number;
  /** Objects whose rewrite the API server refused, in its words. The pass ended early at {@link MAX_REFUSED}. */
  readonly refused: readonly { readonly object: string; readonly message: string }[];
}

export interface MigrateOptions {
  readonly pageSize: number;
  /** Parallel requests. */
  readonly atOnce: number;
  readonly signal: AbortSignal;
}

/** Further refusals add no information. */
export const MAX_REFUSED = 10;

/**
 * Makes the API server store every object in the storage version of its CRD. Sends patches that change nothing, each on
 * the condition that the object is still the listed one. A changed object was stored again by its change; a deleted one
 * needs no rewrite. An object already in that version costs no write, so a pass may be repeated.
 * @throws {ApiError} if the objects cannot be listed, or the server does not answer: then nothing is concluded
 */
export async function migrate(
  client: Client,
  resource: Resource,
  { pageSize, atOnce, signal }: MigrateOptions,
): Promise<Migration> {
  const refused: { object: string; message: string }[] = [];
  let objects = 0;
  for await (const page of listPages<KubeObject>(client, resource, {
    representation: 'metadata',
    limit: pageSize,
    signal,
  })) {
    for (let at = 0; at < page.length; at += atOnce) {
      const some = page.slice(at, at + atOnce);
      const answers = await Promise.all(some.map((object) => rewrite(client, resource, object, signal)));
      objects += some.length;
      for (const answer of answers) if (answer !== undefined) refused.push(answer);
      if (refused.length >= MAX_REFUSED) return { objects, refused: refused.slice(0, MAX_REFUSED) };
    }
  }
  return { objects, refused };
}

async function rewrite(
  client: Client,
  resource: Resource,
  object: KubeObject,
  signal: AbortSignal,
): Promise<Migration['refused'][number] | undefined> {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  try {
    await client.patch(
      resource,
      { name, ...(namespace === undefined ? {} : { namespace }) },
      { type: 'merge', patch: { metadata: { uid, resourceVersion } } },
      { representation: 'metadata', signal },
    );
    return undefined;
  } catch (error) {
    if (isApiError(error, 'Conflict', 'NotFound')) return undefined;
    // A missing right, an admission refusal or an invalid object: an immediate retry does not help.
    if (isApiError(error, 'Forbidden', 'Invalid', 'BadRequest'))
      return { object: objectKey(object), message: error.status?.message ?? error.message };
    throw error;
  }
}
