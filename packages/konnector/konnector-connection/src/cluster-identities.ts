import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import { resources } from '@hawser/kube-bind';

const SYSTEM = 'kube-system';
const DEFAULT = 'default';

/**
 * Which cluster the consumer is: the uid of `kube-system`, else of `default`. Only the server's own statement that there is no `kube-system` leads to the
 * latter: one that merely may not be read would give the same cluster another identity.
 * @throws {ApiError} if neither can be read.
 */
export async function readConsumerIdentity(consumer: Client, signal: AbortSignal): Promise<string> {
  const options = { representation: 'metadata', signal } as const;
  const system = await getIfExists<KubeObject>(consumer, resources.namespaces, { name: SYSTEM }, options);
  return uidOf(system ?? (await consumer.get<KubeObject>(resources.namespaces, { name: DEFAULT }, options)));
}

/**
 * Which cluster the provider is: the uid of the cluster namespace, since a konnector's credential can read no more.
 * @throws {ApiError} if it cannot be read.
 */
export async function readProviderIdentity(
  provider: Client,
  clusterNamespace: string,
  signal: AbortSignal,
): Promise<string> {
  return uidOf(
    await provider.get<KubeObject>(
      resources.namespaces,
      { name: clusterNamespace },
      { representation: 'metadata', signal },
    ),
  );
}

/** Who the two sides of a connection are. */
export interface ClusterIdentities {
  readonly clusterNamespaceUid: string;
  readonly consumerCluster: string;
}

/** Both of them, live. @throws {ApiError} if one cannot be read. */
export async function readClusterIdentities(
  { consumer, provider, clusterNamespace }: ConnectionSides,
  signal: AbortSignal,
): Promise<ClusterIdentities> {
  const [clusterNamespaceUid, consumerCluster] = await Promise.all([
    readProviderIdentity(provider, clusterNamespace, signal),
    readConsumerIdentity(consumer, signal),
  ]);
  return { clusterNamespaceUid, consumerCluster };
}

/** Where {@link readClusterIdentities} looks. */
export interface ConnectionSides {
  readonly consumer: Client;
  readonly provider: Client;
  readonly clusterNamespace: string;
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
