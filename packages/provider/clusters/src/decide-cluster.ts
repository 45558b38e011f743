import type { Decision } from '@hawser/controller';
import type { Cluster } from '@hawser/kube-bind';

export interface ClusterAction {
  readonly type: 'create';
}

/** Creates a missing Cluster; leaves an existing one unchanged. Pure. */
export function decideCluster({ cluster }: { readonly cluster: Cluster | undefined }): Decision<ClusterAction> {
  return { actions: cluster === undefined ? [{ type: 'create' }] : [] };
}
