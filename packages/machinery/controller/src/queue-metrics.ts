import type { Clock } from '@hawser/clock';
import type { Gauge, Metrics } from '@hawser/telemetry';

/** How a reconcile ended, as `hawser_reconcile_total` has it. */
export type ReconcileOutcome = 'done' | 'requeue' | 'park' | 'error';

/** The figures of one queue, under the names that controller-runtime gives them. Queues of the same name add up. */
export interface QueueMetrics {
  added(): void;
  /** Keys that started or ceased to wait. */
  depthChanged(by: number): void;
  /** Returns what {@link QueueMetrics.finished} has to be told. `at` is on the monotonic clock. */
  started(waitedMs: number, at: number): RunningReconcile;
  finished(running: RunningReconcile, at: number, outcome: ReconcileOutcome): void;
  retried(): void;
}

/** From 10 µs to a quarter of an hour, in seconds. */
const buckets = [0.000_01, 0.000_1, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** A reconcile that has not ended. */
export interface RunningReconcile {
  readonly startedAt: number;
  readonly clock: Clock;
}

/** What runs now, for each registry and name of a queue: found out only when somebody looks at the metrics. */
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
  const collect = (of: (ages: readonly number[]) => number) => (gauge: Gauge): void => {
    for (const [name, set] of queues) gauge.set(of([...set].map(({ startedAt, clock }) => (clock.monotonic() - startedAt) / 1000)), { name });
  };
  const sum = (ages: readonly number[]): number => ages.reduce((total, age) => total + age, 0);
  metrics.gauge({ name: 'workqueue_unfinished_work_seconds', help: 'How long the reconciles that have not ended have run, added up.', labels: ['name'], collect: collect(sum) });
  metrics.gauge({ name: 'workqueue_longest_running_processor_seconds', help: 'How long the longest reconcile that has not ended has run.', labels: ['name'], collect: collect((ages) => Math.max(0, ...ages)) });
}

export function createQueueMetrics(metrics: Metrics, name: string, clock: Clock): QueueMetrics {
  const unfinished = runningIn(metrics, name);
  const labels = ['name'];
  const own = { name };
  const adds = metrics.counter({ name: 'workqueue_adds_total', help: 'Keys added to the queue; a key that waits already is not counted again.', labels });
  const depth = metrics.gauge({ name: 'workqueue_depth', help: 'Keys that wait for a worker.', labels });
  const waited = metrics.histogram({ name: 'workqueue_queue_duration_seconds', help: 'How long a key waited for a worker.', labels, buckets });
  const worked = metrics.histogram({ name: 'workqueue_work_duration_seconds', help: 'How long a reconcile took.', labels, buckets });
  const retries = metrics.counter({ name: 'workqueue_retries_total', help: 'Retries after a failed reconcile.', labels });
  const reconciles = metrics.counter({ name: 'hawser_reconcile_total', help: 'Reconciles by result.', labels: ['controller', 'result'] });
  const results: Readonly<Record<ReconcileOutcome, Readonly<Record<string, string>>>> = {
    done: { controller: name, result: 'done' },
    requeue: { controller: name, result: 'requeue' },
    park: { controller: name, result: 'park' },
    error: { controller: name, result: 'error' },
  };
  depth.inc(own, 0);
  return {
    added: () => { adds.inc(own); },
    depthChanged: (by) => { depth.inc(own, by); },
    started: (waitedMs, at) => {
      waited.observe(waitedMs / 1000, own);
      const reconcile = { startedAt: at, clock };
      unfinished.add(reconcile);
      return reconcile;
    },
    finished: (reconcile, at, outcome) => {
      unfinished.delete(reconcile);
      worked.observe((at - reconcile.startedAt) / 1000, own);
      reconciles.inc(results[outcome]);
    },
    retried: () => { retries.inc(own); },
  };
}
