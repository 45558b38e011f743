import type { Client } from '@hawser/client';
import { readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';

import type { Side } from './marks.js';
import type { PairSettings } from './observed.js';

/** Identities of both sides of the served objects. */
export type Identities = Pick<PairSettings, 'consumerCluster' | 'clusterNamespace' | 'clusterNamespaceUid'>;

/**
 * Whether another cluster answers instead of that side's. Call after a read that found nothing: the same cluster
 * answered that read.
 */
export async function isReplaced(
  side: Side,
  client: Client,
  { consumerCluster, clusterNamespace, clusterNamespaceUid }: Identities,
  signal: AbortSignal,
): Promise<boolean> {
  if (side === 'consumer') return (await readConsumerIdentity(client, signal)) !== consumerCluster;
  return (await readProviderIdentity(client, clusterNamespace, signal)) !== clusterNamespaceUid;
}
