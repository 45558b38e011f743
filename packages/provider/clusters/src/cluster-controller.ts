import { isAlreadyExists } from '@hawser/client';
import { type Controller, createController, done } from '@hawser/controller';
import { apiVersion, type Cluster, fixedNames, resources } from '@hawser/kube-bind';
import { fieldManager } from './field-manager.js';

const name = 'cluster';

/**
 * Sees to it that there is the Cluster `default` (spec/kube-bind-backend.md §2, §10.1), from which people and programs see that the cluster is a provider. It is made
 * again when somebody deletes it, and otherwise left as it is.
 */
export function createClusterController(): Controller<'provider'> {
  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers } = ctx.clusters.provider;
    const clusters = scope.informer(informers.acquire<Cluster>({ resource: resources.clusters }));
    const queue = scope.openQueue({
      name, concurrency: 1,
      async reconcile(key, signal) {
        if (clusters.get(key) !== undefined) return done;
        const object: Cluster = { apiVersion, kind: 'Cluster', metadata: { name: key }, spec: {} };
        try {
          clusters.observe(await client.create<Cluster>(resources.clusters, object, { fieldManager, signal }));
          ctx.logger.info('The Cluster was made.', { cluster: key });
        } catch (error) {
          // The cache lags behind, and learns of it by itself.
          if (!isAlreadyExists(error)) throw error;
        }
        return done;
      },
    });
    scope.own(clusters.addHandler({ onDelete: (last) => { if (last.metadata.name === fixedNames.cluster) queue.add(fixedNames.cluster); } }));
    await scope.synced();
    queue.add(fixedNames.cluster);
  });
}
