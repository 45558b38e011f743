import { objectKey } from '@hawser/client';
import { type Controller, WriteBudget, createController, done } from '@hawser/controller';
import { type ClusterBinding, type Conditions, type Dialect, commitStatus, conditionTypes, controllerName, getCondition, kubeBindDialect, setCondition, setSummary } from '@hawser/kube-bind';
import type { ObjectReference } from '@hawser/telemetry';
import { decideHealth, type Health, type HealthDecision } from './decide.js';
import { createSightings } from './sighting.js';

export interface ClusterBindingHealthOptions {
  /** In which words consumers report. Default: kube-bind's. */
  readonly dialect?: Dialect | undefined;
  /** ClusterBindings that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Keeps the condition `Healthy` of each ClusterBinding in step with the heartbeats of its konnector (spec/kube-bind-backend.md §10.2), and sums all conditions up
 * into `Ready`. A konnector that falls silent is noticed when its time is up, without anything else happening. Nothing is written while the state stays the same.
 */
export function createClusterBindingHealthController({ dialect = kubeBindDialect, concurrency = 4 }: ClusterBindingHealthOptions = {}): Controller<'provider'> {
  const name = controllerName('clusterbinding-health', dialect);
  const resource = dialect.resources.clusterBindings;
  return createController<'provider'>(name, async (ctx, scope) => {
    const { clock, random, logger } = ctx;
    const { client, informers, events } = ctx.clusters.provider;
    const bindings = scope.informer(informers.acquire<ClusterBinding>({ resource }));
    const sightings = createSightings();
    // A consumer may write this status as often as it likes.
    const budget = new WriteBudget();
    const healths = new Map<string, Health>();
    const gauge = ctx.metrics.gauge({ name: 'hawser_provider_consumers', help: 'Consumers by what their heartbeats say.', labels: ['health'] });
    const count = (key: string, health: Health | undefined): void => {
      const before = healths.get(key);
      if (before === health) return;
      if (before !== undefined) gauge.inc({ health: before }, -1);
      if (health === undefined) {
        healths.delete(key);
        return;
      }
      healths.set(key, health);
      gauge.inc({ health });
    };
    scope.own(() => { for (const key of [...healths.keys()]) count(key, undefined); });

    const queue = scope.openQueue({
      name, concurrency,
      async reconcile(key, signal) {
        const binding = bindings.get(key);
        if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) {
          sightings.forget(key);
          count(key, undefined);
          return done;
        }
        const now = clock.now();
        const decision = decideHealth(binding, sightings.look(key, binding, now), now);
        count(key, decision.health);
        if (withHealth(binding, decision, now) !== binding.status?.conditions) {
          const waitMs = budget.waitMs(key, clock.monotonic());
          if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
          const written = await commitStatus(client, resource, binding, (status, current) => ({ ...status, conditions: withHealth(current, decision, clock.now()) }), { clock, random, signal });
          if (written !== undefined && written !== binding) {
            budget.spend(key, clock.monotonic());
            bindings.observe(written);
            tell(binding, decision);
          }
        }
        if (decision.until === undefined) return done;
        // One more millisecond: at the very end the time is not up yet.
        return { kind: 'requeue', afterMs: Math.max(0, decision.until - clock.now()) + 1, priority: 'background' };
      },
    });
    scope.onChange(bindings, (object) => { queue.add(objectKey(object)); });
    await scope.synced();

    function tell(before: ClusterBinding, { health, condition }: HealthDecision): void {
      const was = getCondition(before.status?.conditions, conditionTypes.healthy);
      if (was?.status === condition.status && was.reason === condition.reason) return;
      logger.info('The health of a consumer changed.', { namespace: before.metadata.namespace, health, since: before.status?.lastHeartbeatTime });
      switch (health) {
        case 'silent':
        case 'drifting':
          events.record(referenceTo(before), { type: 'Warning', reason: condition.reason ?? '', message: condition.message ?? '' });
          return;
        case 'healthy':
        case 'pending':
          return;
      }
    }

    function referenceTo({ metadata }: ClusterBinding): ObjectReference {
      return { apiVersion: dialect.apiVersion, kind: 'ClusterBinding', name: metadata.name, namespace: metadata.namespace, uid: metadata.uid };
    }
  });
}

/** The conditions with `Healthy` and `Ready` in them; the same list if they say so already. */
function withHealth(binding: ClusterBinding, { condition }: HealthDecision, now: number): Conditions {
  return setSummary(setCondition(binding.status?.conditions, condition, now), now);
}
