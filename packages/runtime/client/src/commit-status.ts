import { backoffDelay, type Clock, type Random, sleep } from '@hawser/clock';
import { isConflict } from './api-error.js';
import type { Client } from './client.js';
import type { KubeObject, Resource } from './object.js';
import { keyOf } from './object-key.js';
import { isObjectNotFound } from './status-error.js';
import { statusPatch } from './status-patch.js';

/** The status type of a kind. */
export type StatusOf<T extends { readonly status?: unknown }> = NonNullable<T['status']>;

export interface CommitStatusOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Default Math.random. */
  readonly random?: Random | undefined;
  /** How often to answer a conflict by reading the object and applying `mutate` again. Default 8. */
  readonly maxTries?: number | undefined;
}

/**
 * Writes the changes of `mutate` to the status of `object`, and nothing else. Without a change it sends no request.
 *
 * Several controllers share a status, so the write carries uid and resourceVersion. After a conflict `mutate` sees the
 * newest status. `mutate` must set only its own fields, depend only on its arguments, and be cheap to repeat. Its first
 * run sees the status of `object`, usually a cached one.
 *
 * Resolves to the current object: `object` itself if nothing had to be written, undefined if it is gone or recreated.
 * @throws {ApiError} `Conflict` once the tries are used up; any other failure of a request at once.
 */
export async function commitStatus<T extends KubeObject & { readonly status?: unknown }>(
  client: Client,
  resource: Resource,
  object: T,
  mutate: (status: StatusOf<T>, object: T) => StatusOf<T>,
  options: CommitStatusOptions,
): Promise<T | undefined> {
  const { clock, signal, random = Math.random, maxTries = 8 } = options;
  const key = keyOf(object);
  let current = object;
  try {
    for (let tries = 1; ; tries++) {
      const status = (current.status ?? {}) as StatusOf<T>;
      const changes = statusPatch(status, mutate(status, current));
      if (changes === undefined) return current;
      const { uid, resourceVersion } = current.metadata;
      try {
        return await client.patch<T>(
          resource,
          key,
          { type: 'merge', patch: { metadata: { uid, resourceVersion }, status: changes } },
          { subresource: 'status', signal },
        );
      } catch (error) {
        if (!isConflict(error) || tries >= maxTries) throw error;
      }
      // The first conflict usually means a stale cache: retry at once. Further ones mean many writers.
      if (tries > 1) await sleep(clock, backoffDelay(conflictBackoff, tries - 1, random), signal);
      current = await client.get<T>(resource, key, { signal });
      if (current.metadata.uid !== object.metadata.uid) return undefined;
    }
  } catch (error) {
    if (isObjectNotFound(error, resource, key)) return undefined;
    throw error;
  }
}

const conflictBackoff = { initialMs: 10, capMs: 1000 };
