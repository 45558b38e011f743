import { type Client, isNotFound, type KubeObject, type Resource } from '@hawser/client';
import { finalizers } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import { storedResource } from '@hawser/kube-bind';

/** Which objects of an API are meant. */
export interface Extent {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly except?: readonly string[] | undefined;
}

const PAGE = 500;

/** How many objects bear the finalizer, read live. @throws {ApiError} */
export async function countHeld(
  client: Client,
  crd: CustomResourceDefinition,
  extent: Extent,
  signal: AbortSignal,
): Promise<number> {
  const held: string[] = [];
  for await (const { object } of heldObjects(client, crd, extent, signal)) held.push(object.metadata.name);
  return held.length;
}

/** Objects that bear the finalizer, page by page. */
export async function* heldObjects(
  client: Client,
  crd: CustomResourceDefinition,
  { namespace, except = [] }: Extent,
  signal: AbortSignal,
): AsyncGenerator<{ readonly object: KubeObject; readonly resource: Resource }> {
  const resource = storedResource(crd.spec);
  if (resource === undefined) return;
  let after: string | undefined;
  do {
    const page = await client
      .list<KubeObject>(resource, { namespace, limit: PAGE, continue: after, representation: 'metadata', signal })
      .catch((error: unknown) => {
        // With the CRD all of its objects are gone.
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (page === undefined) return;
    for (const object of page.items) {
      const { finalizers: held = [], namespace: home = '' } = object.metadata;
      if (held.includes(finalizers.syncer) && !except.includes(home)) yield { object, resource };
    }
    after = page.metadata.continue;
  } while (after !== undefined && after !== '');
}
