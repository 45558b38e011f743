import type { Resource } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { Metrics } from '@hawser/telemetry';

import type { Action } from './decision.js';

/** The figures of one sync, labelled by binding and resource. */
export interface SyncMetrics {
  /** Something happened to the object. */
  noticed(key: string): void;
  acted(key: string, action: Action, outcome: 'done' | 'failed'): void;
  /** The object is in step, or nothing can be done about it. */
  settled(key: string): void;
  close(): void;
}

export function createSyncMetrics(metrics: Metrics, binding: string, resource: Resource, clock: Clock): SyncMetrics {
  const labels = { binding, resource: `${resource.resource}.${resource.group}` };
  /** Since when each object waits; only those that do. */
  const waiting = new Map<string, { readonly since: number; wrote: boolean }>();
  const actions = metrics.counter({ name: 'hawser_sync_actions_total', help: 'Steps carried out to bring objects in step.', labels: ['binding', 'resource', 'action', 'outcome'] });
  const noops = metrics.counter({ name: 'hawser_sync_noop_reconciles_total', help: 'Looks at objects that were in step already.', labels: ['binding', 'resource'] });
  const latency = metrics.histogram({
    name: 'hawser_sync_latency_seconds',
    help: 'From the observed change of an object to its first write.',
    labels: ['binding', 'resource'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  });
  const oldest = metrics.gauge({ name: 'hawser_sync_oldest_unsynced_seconds', help: 'Age of the oldest change that is not in step yet.', labels: ['binding', 'resource'] });
  const unsynced = metrics.gauge({ name: 'hawser_sync_unsynced_objects', help: 'Objects with changes that are not in step yet.', labels: ['binding', 'resource'] });
  const update = (): void => {
    unsynced.set(waiting.size, labels);
    const first = waiting.values().next();
    oldest.set(first.done === true ? 0 : (clock.monotonic() - first.value.since) / 1000, labels);
  };
  return {
    noticed(key) {
      if (!waiting.has(key)) waiting.set(key, { since: clock.monotonic(), wrote: false });
    },
    acted(key, action, outcome) {
      actions.inc({ ...labels, action: action.type, outcome });
      const entry = waiting.get(key);
      if (entry === undefined || entry.wrote || outcome === 'failed') return;
      entry.wrote = true;
      latency.observe((clock.monotonic() - entry.since) / 1000, labels);
    },
    settled(key) {
      if (waiting.get(key)?.wrote === false) noops.inc(labels);
      waiting.delete(key);
      update();
    },
    close() {
      waiting.clear();
      oldest.remove(labels);
      unsynced.remove(labels);
    },
  };
}
