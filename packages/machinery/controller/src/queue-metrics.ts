import type { Metrics } from '@hawser/telemetry';

/** How a reconcile ended, as `hawser_reconcile_total` has it. */
export type ReconcileOutcome = 'done' | 'requeue' | 'park' | 'error';

/** The figures of one queue, under the names that controller-runtime gives them. Queues of the same name add up. */
export interface QueueMetrics {
  added(): void;
  /** Keys that started or ceased to wait. */
  depthChanged(by: number): void;
  started(waitedMs: number): void;
  finished(tookMs: number, outcome: ReconcileOutcome): void;
  retried(): void;
}

/** From 10 µs to a quarter of an hour, in seconds. */
const buckets = [0.000_01, 0.000_1, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

export function createQueueMetrics(metrics: Metrics, name: string): QueueMetrics {
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
    started: (waitedMs) => { waited.observe(waitedMs / 1000, own); },
    finished: (tookMs, outcome) => {
      worked.observe(tookMs / 1000, own);
      reconciles.inc(results[outcome]);
    },
    retried: () => { retries.inc(own); },
  };
}
