import { type Client, getIfExists, isTerminating, keyOf, objectKey } from '@hawser/client';
import { equal } from '@hawser/json';
import { type AppClusterBinding, resources } from '@hawser/klutch';
import { releasedBecause } from '@hawser/kube-bind';
import { deletionPolicyAnnotation } from './marks.js';

/**
 * Confirms by a live read that an AppClusterBinding still is a reason to delete objects: after a restored backup, the
 * cache shows another state for a while.
 * @throws {ApiError | StaleAppClusterBindingError}
 */
export async function confirmReason(client: Client, cached: AppClusterBinding, signal: AbortSignal): Promise<void> {
  const live = await getIfExists<AppClusterBinding>(client, resources.appClusterBindings, keyOf(cached), { signal });
  if (live === undefined || !hasSameWish(live, cached)) throw new StaleAppClusterBindingError(objectKey(cached));
}

/** Whether both states of an AppClusterBinding want the same. Pure. */
export function hasSameWish(one: AppClusterBinding, other: AppClusterBinding): boolean {
  return (
    one.metadata.uid === other.metadata.uid &&
    isTerminating(one) === isTerminating(other) &&
    one.metadata.annotations?.[deletionPolicyAnnotation] === other.metadata.annotations?.[deletionPolicyAnnotation] &&
    releasedBecause(one.metadata) === releasedBecause(other.metadata) &&
    equal(one.spec, other.spec)
  );
}

/** The live state differs from the cached one: decide again. */
class StaleAppClusterBindingError extends Error {
  override readonly name = 'StaleAppClusterBindingError';
  readonly code = 'StaleAppClusterBinding';

  constructor(key: string) {
    super(`AppClusterBinding ${key} has changed, and nothing of it is deleted`);
  }
}
