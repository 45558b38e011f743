import { type Controller, type Setup, controller, toOwnKey } from '@hawser/controller';
import { type ClusterBinding, controllerName, type Dialect } from '@hawser/kube-bind';
import { decideBinding } from './decide-binding.js';
import { createHealthGauge } from './health-gauge.js';
import { reportHealth } from './report-health.js';
import { createSightings } from './sighting.js';

export interface ClusterBindingHealthOptions {
  /** Dialect of the consumers' reports. */
  readonly dialect: Dialect;
  /** ClusterBindings processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Keeps the condition `Healthy` of each ClusterBinding in step with its konnector's heartbeats
 * (spec/kube-bind-backend.md §10.2), and sums all conditions up into `Ready`. Detects a silent konnector when its time
 * is up, without an event. Writes nothing while the state stays the same.
 */
export function createClusterBindingHealthController({
  dialect,
  concurrency,
}: ClusterBindingHealthOptions): Controller<'provider'> {
  return controller(
    controllerName('clusterbinding-health', dialect),
    ({ clusters: { provider }, clock, logger, metrics, scope, watch }: Setup<'provider'>) => {
      const bindings = watch<ClusterBinding>(
        provider,
        { resource: dialect.resources.clusterBindings, kind: 'ClusterBinding' },
        toOwnKey,
      );
      const sightings = createSightings();
      const gauge = createHealthGauge(metrics);
      scope.own(gauge);
      return {
        concurrency,
        // A consumer may write this status as often as it likes.
        budget: { burst: 10, refillMs: 2_000 },
        observe: (key) => ({ seen: sightings.look(key, bindings.get(key), clock.now()), now: clock.now() }),
        decide: decideBinding,
        decided: (key, _, { health }) => {
          gauge.set(key, health);
        },
        act: (action, signal) => reportHealth({ bindings, clock, logger }, action, signal),
      };
    },
  );
}
