import { type Controller, type Setup, controller } from '@hawser/controller';
import { apiVersion, type Cluster, fixedNames, resources } from '@hawser/kube-bind';
import { decideCluster } from './decide-cluster.js';
import { fieldManager } from './field-manager.js';

/**
 * Ensures that the Cluster `default` exists (spec/kube-bind-backend.md §2, §10.1), which identifies the cluster as a
 * provider. Recreates it after a deletion, and never changes it.
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
