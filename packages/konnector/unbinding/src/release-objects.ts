import { type Client, type KubeObject, type Resource, isConflict, isNotFound, listPages } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';

import { forEach } from './live.js';

/**
 * Releases every object of a resource: removes the finalizer of the dialect (default: `kubebind.io/syncer`), and
 * nothing else. Resolves to the number that had it.
 */
export async function releaseObjects(
  client: Client,
  resource: Resource,
  signal: AbortSignal,
  dialect: Dialect,
): Promise<number> {
  let released = 0;
  for await (const items of listPages<KubeObject>(client, resource, { representation: 'metadata', signal })) {
    const held = items.filter((object) => isHeld(object, dialect));
    await forEach(held, (object) => releaseObject(client, resource, object, dialect, signal));
    released += held.length;
  }
  return released;
}

/** Whether a konnector holds the object. */
export function isHeld({ metadata }: KubeObject, { finalizer }: Dialect): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

async function releaseObject(
  client: Client,
  resource: Resource,
  object: KubeObject,
  { finalizer: ours }: Dialect,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, uid, resourceVersion, finalizers: before = [] } = object.metadata;
  const rest = before.filter((finalizer) => finalizer !== ours);
  const patch = { metadata: { uid, resourceVersion, finalizers: rest.length === 0 ? null : rest } };
  try {
    await client.patch(resource, { name, namespace }, { type: 'merge', patch }, { representation: 'metadata', signal });
  } catch (error) {
    // A deleted object is released; the next round sees a changed one again.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
