import { type Client, type KubeObject, type Resource, isApiError, listPages, objectKey } from '@hawser/client';

/** How a pass over all objects has ended. */
export interface Migration {
  readonly objects: number;
  /** What the API server did not let be rewritten, in its words: the first of them. The pass has ended early if these are {@link MAX_REFUSED}. */
  readonly refused: readonly { readonly object: string; readonly message: string }[];
}

export interface MigrateOptions {
  readonly pageSize: number;
  /** Requests at the same time. */
  readonly atOnce: number;
  readonly signal: AbortSignal;
}

/** More of them are no news. */
export const MAX_REFUSED = 10;

/**
 * Has the API server store every object anew, in the storage version of its CRD: by patches that change nothing, each on the condition that the object is still the one that was listed.
 * One that has been changed meanwhile was stored anew by that, and one that is gone is no matter. What is stored in that version already costs no write, so that a pass may be repeated.
 * @throws {ApiError} if the objects cannot be listed, or the server does not answer: nothing is concluded then
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
    // By a right that is missing, by admission, or because the object is not valid any more: asking again at once does not help.
    if (isApiError(error, 'Forbidden', 'Invalid', 'BadRequest'))
      return { object: objectKey(object), message: error.status?.message ?? error.message };
    throw error;
  }
}
