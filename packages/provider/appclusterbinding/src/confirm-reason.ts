import { type Client, getIfExists, isTerminating, keyOf, objectKey } from '@hawser/client';
import { StaleError } from '@hawser/controller';
import { equal } from '@hawser/json';
import { type APIServiceBinding, type AppClusterBinding, resources } from '@hawser/klutch';
import { releasedBecause } from '@hawser/kube-bind';
import { deletionPolicyAnnotation, isChildOf } from './marks.js';

/**
 * Confirms by a live read that an AppClusterBinding still is a reason to delete objects: after a restored backup, the
 * cache shows another state for a while.
 * @throws {ApiError | StaleError}
 */
export async function confirmReason(client: Client, cached: AppClusterBinding, signal: AbortSignal): Promise<void> {
  const live = await getIfExists<AppClusterBinding>(client, resources.appClusterBindings, keyOf(cached), { signal });
  if (live === undefined || !hasSameWish(live, cached))
    throw new StaleError(
      'StaleAppClusterBinding',
      `AppClusterBinding ${objectKey(cached)} has changed, and nothing of it is deleted`,
    );
}

/**
 * Confirms by live reads that APIs of an AppClusterBinding are bound no more, before their export or request is
 * deleted: after a restored backup, the cache lacks APIServiceBindings for a while, and the konnector needs both to
 * unbind.
 * @param names of the APIs, `databases.example.com`
 * @throws {ApiError | StaleError}
 */
export async function confirmUnbound(
  client: Client,
  binding: AppClusterBinding,
  { namespace, names }: { readonly namespace: string | undefined; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    const key = { namespace, name };
    const found = await getIfExists<APIServiceBinding>(client, resources.apiServiceBindings, key, { signal });
    if (found !== undefined && isChildOf(found, binding))
      throw new StaleError(
        'StaleAppClusterBinding',
        `APIServiceBinding ${objectKey(found)} is there again, and its export and request are not deleted`,
      );
  }
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
