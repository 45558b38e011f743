import type { Decision } from '@hawser/controller';
import type { Cluster } from '@hawser/kube-bind';

export interface ClusterAction {
  readonly type: 'create';
}

/** A Cluster that is there is left as it is. Pure. */
export function decideCluster({ cluster }: { readonly cluster: Cluster | undefined }): Decision<ClusterAction> {
  return { actions: cluster === undefined ? [{ type: 'create' }] : [] };
}
