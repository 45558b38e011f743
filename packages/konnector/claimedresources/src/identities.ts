import type { Client } from '@hawser/client';
import { readConsumerIdentity, readProviderIdentity } from '@hawser/konnector-connection';

import type { Side } from './marks.js';
import type { PairSettings } from './observed.js';

/** Who the two sides are whose objects are served. */
export type Identities = Pick<PairSettings, 'consumerCluster' | 'clusterNamespace' | 'clusterNamespaceUid'>;

/** Whether another cluster answers in the place of the one of that side. Asked after a read that found nothing: what answers now answered that, too. */
export async function isReplaced(
  side: Side,
  client: Client,
  { consumerCluster, clusterNamespace, clusterNamespaceUid }: Identities,
  signal: AbortSignal,
): Promise<boolean> {
  if (side === 'consumer') return (await readConsumerIdentity(client, signal)) !== consumerCluster;
  return (await readProviderIdentity(client, clusterNamespace, signal)) !== clusterNamespaceUid;
}
