import { type Client, isNotFound, type KubeObject, type Resource } from '@hawser/client';
import { finalizers } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { storedResource } from '@hawser/kube-bind';

/** A set of objects of an API. */
export interface Extent {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Whether an object belongs to the binding. */
  readonly serves: (object: KubeObject) => boolean;
  /** Whether an object of another binding has a copy at this binding's provider. */
  readonly isMoving: (object: KubeObject) => boolean;
}

const PAGE = 500;

/**
 * Counts objects with the finalizer, read live: of the binding and of others. `moving`: those of others that have a
 * copy of the binding.
 * @throws {ApiError}
 */
export async function countHeld(
  client: Client,
  crd: CustomResourceDefinition,
  { namespace, serves, isMoving }: Extent,
  signal: AbortSignal,
): Promise<{ readonly own: number; readonly others: number; readonly moving: number }> {
  let [own, others, moving] = [0, 0, 0];
  for await (const { object } of heldObjects(client, crd, namespace, signal)) {
    if (serves(object)) own++;
    else {
      others++;
      if (isMoving(object)) moving++;
    }
  }
  return { own, others, moving };
}

/** Objects with the finalizer, page by page. `namespace` undefined: all namespaces. */
export async function* heldObjects(
  client: Client,
  crd: CustomResourceDefinition,
  namespace: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ readonly object: KubeObject; readonly resource: Resource }> {
  const resource = storedResource(crd.spec);
  if (resource === undefined) return;
  let after: string | undefined;
  do {
    const page = await client
      .list<KubeObject>(resource, { namespace, limit: PAGE, continue: after, representation: 'metadata', signal })
      .catch((error: unknown) => {
        // The CRD is gone, and with it all objects.
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (page === undefined) return;
    for (const object of page.items) {
      if (object.metadata.finalizers?.includes(finalizers.syncer) === true) yield { object, resource };
    }
    after = page.metadata.continue;
  } while (after !== undefined && after !== '');
}
