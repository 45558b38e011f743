import { type KubeObject, objectKey } from '@hawser/client';
import { type Controller, createController, done } from '@hawser/controller';
import { apiVersion, type Cluster, commitStatus, conditionTypes, falseCondition, fixedNames, getCondition, type NewCondition, resources, setCondition, setSummary, trueCondition } from '@hawser/kube-bind';
import { isFreshWrite } from './other-backend.js';

export interface OtherBackendOptions {
  /** How long nothing of another backend must have been seen before it counts as gone. Default 1 h. */
  readonly quietMs?: number | undefined;
}

const name = 'other-backend';
const reason = 'OtherBackendWrites';
const watched = [resources.apiServiceExports, resources.apiServiceNamespaces, resources.bindableResourcesRequests];

/**
 * Notices a Go backend that works on the same cluster. It has no Lease that would keep it away, so its writes give it away: a new entry of its own in the managedFields of an
 * object. Told by condition `Healthy` of the Cluster, an Event and the metric `hawser_provider_other_backend_writes_total`; nothing is done about it.
 */
export function createOtherBackendController({ quietMs = 3_600_000 }: OtherBackendOptions = {}): Controller<'provider'> {
  return createController<'provider'>(name, async (ctx, scope) => {
    const { clock, random, logger } = ctx;
    const { client, informers, events } = ctx.clusters.provider;
    const counter = ctx.metrics.counter({ name: 'hawser_provider_other_backend_writes_total', help: 'Writes of another backend on the same cluster that were noticed.' });
    const clusters = scope.informer(informers.acquire<Cluster>({ resource: resources.clusters }));
    const startedAt = clock.now();
    let seenAt: number | undefined;
    const queue = scope.openQueue({
      name, concurrency: 1,
      async reconcile(key, signal) {
        const cluster = clusters.get(key);
        if (cluster === undefined) return done;
        const quietAt = (seenAt ?? startedAt) + quietMs;
        const isSaid = getCondition(cluster.status?.conditions, conditionTypes.healthy)?.reason === reason;
        if (seenAt === undefined && !isSaid) return done;
        const isQuiet = clock.now() >= quietAt;
        const condition = isQuiet ? trueCondition(conditionTypes.healthy) : said();
        const written = await commitStatus(client, resources.clusters, cluster, (status) => ({ ...status, conditions: setSummary(setCondition(status.conditions, condition, clock.now()), clock.now()) }), { clock, random, signal });
        if (written !== undefined) clusters.observe(written);
        if (isQuiet) seenAt = undefined;
        return isQuiet ? done : { kind: 'requeue', afterMs: Math.max(0, quietAt - clock.now()) + 1, priority: 'background' };
      },
    });
    for (const resource of watched) {
      const informer = scope.informer(informers.acquire<KubeObject>({ resource, projection: 'metadata', keepManagedFields: true }));
      const look = (before: KubeObject | undefined, after: KubeObject): void => { if (isFreshWrite(before, after)) caught(resource.resource, after); };
      scope.own(informer.addHandler({
        onAdd: (object, initial) => { if (!initial) look(undefined, object); },
        onUpdate: look,
      }));
    }
    scope.own(clusters.addHandler({ onAdd: ({ metadata }) => { queue.add(metadata.name); } }));
    await scope.synced();

    function caught(resource: string, object: KubeObject): void {
      counter.inc();
      const first = seenAt === undefined;
      seenAt = clock.now();
      if (!first) return;
      const { message = '' } = said();
      logger.error(message, { resource, object: objectKey(object) });
      events.record({ apiVersion, kind: 'Cluster', name: fixedNames.cluster, uid: clusters.get(fixedNames.cluster)?.metadata.uid }, { type: 'Warning', reason, message });
      queue.add(fixedNames.cluster);
    }
  });
}

function said(): NewCondition {
  return falseCondition(
    conditionTypes.healthy, reason, 'Warning', 'A Go backend of kube-bind works on this cluster too: what one of them decides the other undoes, and it gives consumers rights over each other\'s objects. The provider has to scale it down to zero.',
  );
}
