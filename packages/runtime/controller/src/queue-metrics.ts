import type { Clock } from '@hawser/clock';
import type { Counter, Gauge, Histogram, Metrics } from '@hawser/telemetry';
import type { Priority } from './queue.js';

/** Outcome of a reconcile, as in `hawser_reconcile_total`. */
export type ReconcileOutcome = 'done' | 'requeue' | 'park' | 'error';

/** Metrics of one queue, under controller-runtime's names. Queues of the same name add up. */
export interface QueueMetrics {
  added(): void;
  /** Changes the number of waiting keys of this priority. */
  depthChanged(by: number, priority: Priority): void;
  /** Records a start; pass its result to {@link QueueMetrics.finished}. `at` is on the monotonic clock. */
  started(waitedMs: number, at: number): RunningReconcile;
  finished(running: RunningReconcile, at: number, outcome: ReconcileOutcome): void;
  retried(): void;
}

/** In seconds: controller-runtime's, powers of ten from 10 ns to 1 000 s, with finer steps where it matters. */
const buckets = [
  1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100, 300, 1000,
];

/** A running reconcile. */
export interface RunningReconcile {
  readonly startedAt: number;
  readonly clock: Clock;
}

/** Running reconciles, by registry and queue name. Read only when metrics are collected. */
const running = new WeakMap<Metrics, Map<string, Set<RunningReconcile>>>();

function runningIn(metrics: Metrics, name: string): Set<RunningReconcile> {
  let queues = running.get(metrics);
  if (queues === undefined) {
    queues = new Map();
    running.set(metrics, queues);
    defineRunning(metrics, queues);
  }
  const known = queues.get(name) ?? new Set();
  queues.set(name, known);
  return known;
}

function defineRunning(metrics: Metrics, queues: ReadonlyMap<string, ReadonlySet<RunningReconcile>>): void {
  const collect =
    (of: (ages: readonly number[]) => number) =>
    (gauge: Gauge): void => {
      for (const [name, set] of queues)
        gauge.set(of([...set].map(({ startedAt, clock }) => (clock.monotonic() - startedAt) / 1000)), {
          name,
          controller: name,
        });
    };
  const sum = (ages: readonly number[]): number => ages.reduce((total, age) => total + age, 0);
  metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the reconciles that have not ended have run, added up.',
    labels,
    collect: collect(sum),
  });
  metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the longest reconcile that has not ended has run.',
    labels,
    collect: collect((ages) => Math.max(0, ...ages)),
  });
}

/** As controller-runtime has them, in seconds. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Both labels, as in controller-runtime: dashboards use either. */
const labels = ['name', 'controller'];
/** Priorities as controller-runtime counts them: the default is 0, deferrable work -100. */
const ranks: Readonly<Record<Priority, string>> = { urgent: '100', normal: '0', background: '-100' };
/** Metrics of controller-runtime that never occur here. */
const NEVER_HERE = ['terminal_reconcile_errors', 'reconcile_panics', 'reconcile_timeouts'] as const;

/** Defines the metrics of Go's workqueue. */
function defineWorkqueue(metrics: Metrics): {
  readonly adds: Counter;
  readonly depth: Gauge;
  readonly waited: Histogram;
  readonly worked: Histogram;
  readonly retries: Counter;
} {
  const adds = metrics.counter({
    name: 'workqueue_adds_total',
    help: 'Keys added to the queue; a key that waits already is not counted again.',
    labels,
  });
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Keys that wait for a worker, by priority.',
    labels: [...labels, 'priority'],
  });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key waited for a worker.',
    labels,
    buckets,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long a reconcile took.',
    labels,
    buckets,
  });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Retries after a failed reconcile.',
    labels,
  });
  return { adds, depth, waited, worked, retries };
}

/** Defines the reconcile metrics, by our own names and by controller-runtime's. */
function defineReconciles(
  metrics: Metrics,
  controller: { readonly controller: string },
  concurrency: number | undefined,
): {
  readonly reconciles: Counter;
  readonly total: Counter;
  readonly errors: Counter;
  readonly took: Histogram;
  readonly active: Gauge;
} {
  const reconciles = metrics.counter({
    name: 'hawser_reconcile_total',
    help: 'Reconciles by result.',
    labels: ['controller', 'result'],
  });
  // Dashboards for Go controllers read these.
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result, as controller-runtime counts them.',
    labels: ['controller', 'result'],
  });
  const errors = metrics.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
    labels: ['controller'],
  });
  const took = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a reconcile took.',
    labels: ['controller'],
    buckets: reconcileBuckets,
  });
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciles that run now.',
    labels: ['controller'],
  });
  active.inc(controller, 0);
  if (concurrency !== undefined)
    metrics
      .gauge({ name: 'controller_runtime_max_concurrent_reconciles', help: 'Worker slots.', labels: ['controller'] })
      .set(concurrency, controller);
  errors.inc(controller, 0);
  for (const kind of NEVER_HERE)
    metrics
      .counter({
        name: `controller_runtime_${kind}_total`,
        help: 'Always 0: every failure counts as an error, and is tried again.',
        labels: ['controller'],
      })
      .inc(controller, 0);
  return { reconciles, total, errors, took, active };
}

/** `concurrency`: the worker slots of the queue. */
export function createQueueMetrics(metrics: Metrics, name: string, clock: Clock, concurrency?: number): QueueMetrics {
  const unfinished = runningIn(metrics, name);
  const own = { name, controller: name };
  const controller = { controller: name };
  const { adds, depth, waited, worked, retries } = defineWorkqueue(metrics);
  const { reconciles, total, errors, took, active } = defineReconciles(metrics, controller, concurrency);
  const totals: Readonly<Record<ReconcileOutcome, Readonly<Record<string, string>>>> = {
    done: { controller: name, result: 'success' },
    park: { controller: name, result: 'success' },
    requeue: { controller: name, result: 'requeue_after' },
    error: { controller: name, result: 'error' },
  };
  const results: Readonly<Record<ReconcileOutcome, Readonly<Record<string, string>>>> = {
    done: { controller: name, result: 'done' },
    requeue: { controller: name, result: 'requeue' },
    park: { controller: name, result: 'park' },
    error: { controller: name, result: 'error' },
  };
  const depths = {
    urgent: { ...own, priority: ranks.urgent },
    normal: { ...own, priority: ranks.normal },
    background: { ...own, priority: ranks.background },
  };
  depth.inc(depths.normal, 0);
  return {
    added: () => {
      adds.inc(own);
    },
    depthChanged: (by, priority) => {
      depth.inc(depths[priority], by);
    },
    started: (waitedMs, at) => {
      waited.observe(waitedMs / 1000, own);
      const reconcile = { startedAt: at, clock };
      unfinished.add(reconcile);
      active.inc(controller);
      return reconcile;
    },
    finished: (reconcile, at, outcome) => {
      unfinished.delete(reconcile);
      active.inc(controller, -1);
      const seconds = (at - reconcile.startedAt) / 1000;
      worked.observe(seconds, own);
      took.observe(seconds, controller);
      reconciles.inc(results[outcome]);
      total.inc(totals[outcome]);
      if (outcome === 'error') errors.inc(controller);
    },
    retried: () => {
      retries.inc(own);
    },
  };
}
