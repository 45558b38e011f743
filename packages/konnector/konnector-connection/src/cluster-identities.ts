import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import { resources } from '@hawser/kube-bind';

const SYSTEM = 'kube-system';
const DEFAULT = 'default';

/**
 * Reads the consumer's identity: the uid of `kube-system`, else of `default`. Uses the latter only if the server states
 * that `kube-system` does not exist: a missing right to read it would give the same cluster another identity.
 * @throws {ApiError} if neither can be read.
 */
export async function readConsumerIdentity(consumer: Client, signal: AbortSignal): Promise<string> {
  const options = { representation: 'metadata', signal } as const;
  const system = await getIfExists<KubeObject>(consumer, resources.namespaces, { name: SYSTEM }, options);
  return uidOf(system ?? (await consumer.get<KubeObject>(resources.namespaces, { name: DEFAULT }, options)));
}

/**
 * Reads the provider's identity: the uid of the cluster namespace, since a konnector's credential can read no more.
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

/** Identities of both sides of a connection. */
export interface ClusterIdentities {
  readonly clusterNamespaceUid: string;
  readonly consumerCluster: string;
}

/** Reads both live. @throws {ApiError} if one cannot be read. */
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

/** The clusters for {@link readClusterIdentities}. */
export interface ConnectionSides {
  readonly consumer: Client;
  readonly provider: Client;
  readonly clusterNamespace: string;
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
