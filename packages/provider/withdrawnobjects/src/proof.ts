import { type Client, getIfExists, type KubeObject, listAll, isTerminating } from '@hawser/client';
import { apiServiceNamespaceKey, type APIServiceNamespace, type Dialect, releasedBecause, resources, type WithdrawnObjectsPolicy, withdrawnObjectsPolicyOf } from '@hawser/kube-bind';
import { ownerOf, type Place } from './belonging.js';
import { type ExportObject, hasEnded, resourcesOf } from './export-object.js';

/**
 * Whether, read live, this very export has ended, wants its copies deleted, and no other export of the consumer stands for the resource.
 * @throws {ApiError} if one of the questions got no answer; then nothing may be deleted
 */
export async function isEndedLive(client: Client, dialect: Dialect, found: ExportObject, resource: string, provider: WithdrawnObjectsPolicy, signal: AbortSignal): Promise<boolean> {
  const { namespace = '', uid } = found.metadata;
  const owner = await getIfExists<KubeObject>(client, resources.namespaces, { name: namespace }, { representation: 'metadata', signal });
  // With a cluster namespace everything in it goes; nobody has said that of the copies.
  if (owner === undefined || isTerminating(owner)) return false;
  const live = await listAll<ExportObject>(client, dialect.resources.apiServiceExports, { namespace, signal });
  const self = live.find((one) => one.metadata.uid === uid);
  if (self === undefined || !hasEnded(self) || releasedBecause(self.metadata) !== undefined || withdrawnObjectsPolicyOf(self.metadata, provider).policy !== 'Delete') return false;
  return !live.some((one) => !hasEnded(one) && resourcesOf(one).includes(resource));
}

/** Whether a namespace, read live, still is what it was taken for. @throws {ApiError} as {@link isEndedLive} */
export async function isPlaceLive(client: Client, dialect: Dialect, clusterNamespace: string, { namespace, consumerNamespace, isShared }: Place, signal: AbortSignal): Promise<boolean> {
  if (namespace === clusterNamespace) return true;
  if (isShared) {
    const assigned = await getIfExists<APIServiceNamespace>(client, dialect.resources.apiServiceNamespaces, { namespace: clusterNamespace, name: consumerNamespace }, { signal });
    return assigned?.status?.namespace === namespace;
  }
  const live = await getIfExists<KubeObject>(client, resources.namespaces, { name: namespace }, { representation: 'metadata', signal });
  return live !== undefined && ownerOf(dialect, live.metadata.annotations) === apiServiceNamespaceKey(clusterNamespace, consumerNamespace);
}
