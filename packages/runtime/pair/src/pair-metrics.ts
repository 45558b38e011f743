import type { Resource } from '@hawser/client';
import type { Clock, TimerHandle } from '@hawser/clock';
import type { Problem } from '@hawser/controller';
import type { Gauge, Labels, Metrics } from '@hawser/telemetry';

import type { Step } from './decision.js';

/** Metrics of the pairs of one engine, labelled by binding and resource. */
export interface PairMetrics {
  /** The object has changed. */
  noticed(key: string): void;
  acted(key: string, action: Step, outcome: 'done' | 'failed'): void;
  /** The object is in step, or nothing can be done about it. */
  settled(key: string): void;
  /** The pairs out of step, and those of them that are parked because their writes keep failing. */
  counted(problems: readonly Problem[], deadLetters: readonly Problem[]): void;
  close(): void;
}

/** Maximum age of the gauges while objects wait. */
const REFRESH_MS = 5_000;

export function createPairMetrics(metrics: Metrics, binding: string, resource: Resource, clock: Clock): PairMetrics {
  const labels = { binding, resource: `${resource.resource}.${resource.group}` };
  /** Object → start of its wait; only waiting objects. */
  const waiting = new Map<string, { readonly since: number; wrote: boolean }>();
  const actions = metrics.counter({
    name: 'hawser_sync_actions_total',
    help: 'Steps carried out to bring objects in step.',
    labels: ['binding', 'resource', 'action', 'outcome'],
  });
  const noops = metrics.counter({
    name: 'hawser_sync_noop_reconciles_total',
    help: 'Looks at objects that were in step already.',
    labels: ['binding', 'resource'],
  });
  const latency = metrics.histogram({
    name: 'hawser_sync_latency_seconds',
    help: 'From the observed change of an object to its first write.',
    labels: ['binding', 'resource'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  });
  const oldest = metrics.gauge({
    name: 'hawser_sync_oldest_unsynced_seconds',
    help: 'Age of the oldest change that is not in step yet.',
    labels: ['binding', 'resource'],
  });
  const unsynced = metrics.gauge({
    name: 'hawser_sync_unsynced_objects',
    help: 'Objects with changes that are not in step yet.',
    labels: ['binding', 'resource'],
  });
  const stuck = createReasonCounts(
    metrics.gauge({
      name: 'hawser_sync_problem_objects',
      help: 'Objects that are not in step and need a person to act.',
      labels: ['binding', 'resource', 'reason'],
    }),
    labels,
  );
  const parked = createReasonCounts(
    metrics.gauge({
      name: 'hawser_sync_dead_letters',
      help: 'Objects whose writes keep being refused; they are tried again ever less often.',
      labels: ['binding', 'resource', 'reason'],
    }),
    labels,
  );
  const known = new Map<string, Labels>();
  const labelsOf = (action: string, outcome: 'done' | 'failed'): Labels => {
    const key = `${action} ${outcome}`;
    let own = known.get(key);
    if (own === undefined) known.set(key, (own = { ...labels, action, outcome }));
    return own;
  };
  const update = (): void => {
    unsynced.set(waiting.size, labels);
    const first = waiting.values().next();
    oldest.set(first.done === true ? 0 : (clock.monotonic() - first.value.since) / 1000, labels);
  };
  /** Runs only while objects wait, so the gauges show stuck objects getting older. */
  let timer: TimerHandle | undefined;
  const refresh = (): void => {
    update();
    timer = waiting.size === 0 ? undefined : clock.setTimeout(refresh, REFRESH_MS);
  };
  return {
    noticed(key) {
      if (!waiting.has(key)) waiting.set(key, { since: clock.monotonic(), wrote: false });
      timer ??= clock.setTimeout(refresh, REFRESH_MS);
    },
    acted(key, action, outcome) {
      actions.inc(labelsOf(action.type, outcome));
      const entry = waiting.get(key);
      if (entry === undefined || entry.wrote || outcome === 'failed') return;
      entry.wrote = true;
      latency.observe((clock.monotonic() - entry.since) / 1000, labels);
    },
    settled(key) {
      if (waiting.get(key)?.wrote === false) noops.inc(labels);
      waiting.delete(key);
      if (waiting.size === 0) update();
    },
    counted(problems, deadLetters) {
      stuck(problems);
      parked(deadLetters);
    },
    close() {
      stuck([]);
      parked([]);
      timer?.cancel();
      waiting.clear();
      oldest.remove(labels);
      unsynced.remove(labels);
    },
  };
}

/** Sets a gauge per reason; a reason without objects has no series. */
function createReasonCounts(gauge: Gauge, labels: Labels): (problems: readonly Problem[]) => void {
  let shown = new Set<string>();
  return (problems) => {
    const counts = new Map<string, number>();
    for (const { reason } of problems) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    for (const reason of shown) if (!counts.has(reason)) gauge.remove({ ...labels, reason });
    for (const [reason, count] of counts) gauge.set(count, { ...labels, reason });
    shown = new Set(counts.keys());
  };
}
