import { type Controller, type Setup, controller } from '@hawser/controller';
import { apiVersion, type Cluster, fixedNames, resources } from '@hawser/kube-bind';
import { decideCluster } from './decide-cluster.js';
import { fieldManager } from './field-manager.js';

/**
 * Sees to it that there is the Cluster `default` (spec/kube-bind-backend.md §2, §10.1), from which people and programs see that the cluster is a provider. It is made
 * again when somebody deletes it, and otherwise left as it is.
 */
export function createClusterController(): Controller<'provider'> {
  return controller('cluster', ({ clusters: { provider }, watch }: Setup<'provider'>) => {
    const clusters = watch<Cluster>(
      provider,
      { resource: resources.clusters, kind: 'Cluster' },
      ({ metadata: { name } }) => (name === fixedNames.cluster ? name : []),
    );
    return {
      concurrency: 1,
      fieldManager,
      initial: () => [fixedNames.cluster],
      observe: (key) => ({ cluster: clusters.get(key) }),
      decide: decideCluster,
      act: async (_, signal) => {
        await clusters.create(
          { apiVersion, kind: 'Cluster', metadata: { name: fixedNames.cluster }, spec: {} } as Cluster,
          signal,
        );
      },
    };
  });
}
