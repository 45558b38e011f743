import {
  type Client,
  type KubeObject,
  firstObjectIn,
  getIfExists,
  listPages,
  objectKey,
  isTerminating,
} from '@hawser/client';
import { type APIServiceNamespace, type Dialect, resources } from '@hawser/kube-bind';
import { isFurniture } from './furniture.js';
import { isCreatedByUs, ownerOf } from './marks.js';

/** Result for a namespace whose APIServiceNamespace is missing. */
export type Reclaimed =
  | { readonly kind: 'deleted' }
  /** It is needed, or it has changed: wait for a change. */
  | { readonly kind: 'kept'; readonly because: 'needed' | 'changed' }
  /** It is not empty. No event reports when it becomes empty. */
  | { readonly kind: 'occupied'; readonly by: string };

/**
 * Deletes `namespace` if live reads prove all of this: its APIServiceNamespace answers 404, no other one has it, it
 * still names us as its creator and owner, and it is empty.
 *
 * The contract offers no way to fill it meanwhile. A recreated APIServiceNamespace has no namespace before this
 * controller, with one worker per APIServiceNamespace, assigns it one.
 * @throws {ApiError} if one of the reads failed; then nothing is deleted.
 */
export async function reclaim(
  client: Client,
  dialect: Dialect,
  namespace: KubeObject,
  signal: AbortSignal,
): Promise<Reclaimed> {
  const owner = ownerOf(dialect, namespace);
  const { name, uid } = namespace.metadata;
  if (owner === undefined || uid === undefined) return { kind: 'kept', because: 'changed' };
  const live = await getIfExists<KubeObject>(
    client,
    resources.namespaces,
    { name },
    { representation: 'metadata', signal },
  );
  if (
    live === undefined ||
    live.metadata.uid !== uid ||
    isTerminating(live) ||
    ownerOf(dialect, live) !== owner ||
    !isCreatedByUs(live)
  )
    return { kind: 'kept', because: 'changed' };
  if (await isNeeded(client, dialect, name, owner, signal)) return { kind: 'kept', because: 'needed' };
  // Checks all resources: an export may be gone while its objects are not, and a namespace takes along what the
  // provider's operators put there.
  const by = await firstObjectIn(client, name, isFurniture, signal);
  if (by !== undefined) return { kind: 'occupied', by };
  // The check took some time.
  if (await isNeeded(client, dialect, name, owner, signal)) return { kind: 'kept', because: 'needed' };
  const { resourceVersion } = live.metadata;
  await client.delete(resources.namespaces, { name }, { preconditions: { uid, resourceVersion }, signal });
  return { kind: 'deleted' };
}

/**
 * Whether the APIServiceNamespace exists, or another one has this namespace: several can share one under isolation
 * None.
 */
async function isNeeded(
  client: Client,
  { resources: kinds }: Dialect,
  namespace: string,
  owner: string,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const page of listPages<APIServiceNamespace>(client, kinds.apiServiceNamespaces, { signal })) {
    if (page.some((one) => objectKey(one) === owner || one.status?.namespace === namespace)) return true;
  }
  const [clusterNamespace = '', consumerNamespace = ''] = owner.split('/', 2);
  const key = { namespace: clusterNamespace, name: consumerNamespace };
  return (
    (await getIfExists(client, kinds.apiServiceNamespaces, key, { representation: 'metadata', signal })) !== undefined
  );
}
