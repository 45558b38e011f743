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

/** What became of a namespace whose APIServiceNamespace is missing. */
export type Reclaimed =
  | { readonly kind: 'deleted' }
  /** Something needs it, or it is not the one that was thought of: nothing to do until that changes. */
  | { readonly kind: 'kept'; readonly because: 'needed' | 'changed' }
  /** It holds something. Nobody tells when that goes. */
  | { readonly kind: 'occupied'; readonly by: string };

/**
 * Deletes `namespace`, if all of this is read live: its APIServiceNamespace answers 404, no other one has it, it still says that it is ours and was
 * created by us, and it holds nothing.
 *
 * Nothing can be put into it meanwhile by way of the contract: a recreated APIServiceNamespace has no namespace before this controller, which
 * has one worker per APIServiceNamespace, assigns it one.
 * @throws {ApiError} if one of the questions got no answer; then nothing is deleted.
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
  // Not only what is exported: an export may be gone while its objects are not, and a namespace takes along whatever else the provider's operators put there.
  const by = await firstObjectIn(client, name, isFurniture, signal);
  if (by !== undefined) return { kind: 'occupied', by };
  // The look around took its time.
  if (await isNeeded(client, dialect, name, owner, signal)) return { kind: 'kept', because: 'needed' };
  const { resourceVersion } = live.metadata;
  await client.delete(resources.namespaces, { name }, { preconditions: { uid, resourceVersion }, signal });
  return { kind: 'deleted' };
}

/** Whether the APIServiceNamespace stands, or any other one has this namespace: several can share one under isolation None. */
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
