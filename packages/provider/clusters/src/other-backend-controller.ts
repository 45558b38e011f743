import type { Resource } from '@hawser/client';
import {
  type Cluster as ProviderCluster,
  type Controller,
  type Setup,
  type Watched,
  controller,
  toOwnKey,
} from '@hawser/controller';
import { apiVersion, type Cluster, fixedNames, resources } from '@hawser/kube-bind';
import { createBackendWrites } from './backend-writes.js';
import { withHealth } from './decide-binding.js';
import { decideOtherBackend, otherBackendEvent } from './decide-other-backend.js';
import { isFreshWrite } from './other-backend.js';

export interface OtherBackendOptions {
  /** Time without a write after which another backend counts as gone. Default 1 h. */
  readonly quietMs?: number | undefined;
}

const watched: Readonly<Record<string, Resource>> = {
  APIServiceExport: resources.apiServiceExports,
  APIServiceNamespace: resources.apiServiceNamespaces,
  BindableResourcesRequest: resources.bindableResourcesRequests,
};

/**
 * Detects a Go backend on the same cluster. That holds no Lease, so its writes are the evidence: a new entry of its own
 * in the managedFields of an object. Reports it by condition `Healthy` of the Cluster, an Event and the metric
 * `hawser_provider_other_backend_writes_total`; takes no other action.
 */
export function createOtherBackendController({
  quietMs = 3_600_000,
}: OtherBackendOptions = {}): Controller<'provider'> {
  return controller('other-backend', (setup: Setup<'provider'>) => {
    const {
      clusters: { provider },
      clock,
      scope,
      watch,
    } = setup;
    const clusters = watch<Cluster>(provider, { resource: resources.clusters, kind: 'Cluster' }, toOwnKey, {
      changed: () => false,
    });
    const startedAt = clock.now();
    const writes = createBackendWrites({ clock, noticed: noticed(setup, provider, clusters) });
    for (const [kind, resource] of Object.entries(watched)) {
      const objects = watch(
        provider,
        { resource, kind, projection: 'metadata', keepManagedFields: true },
        () => fixedNames.cluster,
        { initial: false, changed: isFreshWrite },
      );
      scope.own(objects.addHandler(writes.handler(resource.resource)));
    }
    return {
      concurrency: 1,
      observe: (key) => ({ cluster: clusters.get(key), seenAt: writes.seenAt, startedAt, quietMs, now: clock.now() }),
      decide: decideOtherBackend,
      decided: (_, { seenAt }, { isQuiet }) => {
        if (isQuiet) writes.end(seenAt);
      },
      act: async ({ cluster, condition }, signal) => {
        await clusters.commitStatus(
          cluster,
          (status, current) => ({ ...status, conditions: withHealth(current, condition, clock.now()) }),
          signal,
        );
      },
    };
  });
}

/** Counts each write, and logs the first one of an episode, even without a Cluster to report on. */
function noticed(
  { logger, metrics }: Setup<'provider'>,
  { events }: ProviderCluster,
  clusters: Watched<Cluster>,
): (resource: string, object: string, isFirst: boolean) => void {
  const counter = metrics.counter({
    name: 'hawser_provider_other_backend_writes_total',
    help: 'Writes of another backend on the same cluster that were noticed.',
  });
  return (resource, object, isFirst) => {
    counter.inc();
    if (!isFirst) return;
    logger.error(otherBackendEvent.message, { resource, object });
    const uid = clusters.get(fixedNames.cluster)?.metadata.uid;
    events.record({ apiVersion, kind: 'Cluster', name: fixedNames.cluster, uid }, otherBackendEvent);
  };
}
