import { FakeClock } from '@hawser/clock';
import { createMetrics } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { createQueueMetrics } from './queue-metrics.js';

it('tells how long reconciles run that have not ended, over all queues of a name', async () => {
  const metrics = createMetrics();
  const clock = new FakeClock();
  const [one, two, other] = [
    createQueueMetrics(metrics, 'sync', clock),
    createQueueMetrics(metrics, 'sync', clock),
    createQueueMetrics(metrics, 'other', clock),
  ];
  const samples = async (): Promise<string[]> =>
    (await metrics.expose()).body
      .split('\n')
      .flatMap(
        (line) =>
          /^workqueue_(unfinished_work|longest_running_processor)_seconds(.*)$/u.exec(line)?.slice(1).join('') ?? [],
      );
  const first = one.started(0, clock.monotonic());
  await clock.advance(2_000);
  const second = two.started(0, clock.monotonic());
  await clock.advance(1_000);
  expect(await samples()).toEqual([
    'unfinished_work{name="sync",controller="sync"} 4',
    'unfinished_work{name="other",controller="other"} 0',
    'longest_running_processor{name="sync",controller="sync"} 3',
    'longest_running_processor{name="other",controller="other"} 0',
  ]);
  one.finished(first, clock.monotonic(), 'done');
  const third = other.started(0, clock.monotonic());
  expect(await samples()).toEqual([
    'unfinished_work{name="sync",controller="sync"} 1',
    'unfinished_work{name="other",controller="other"} 0',
    'longest_running_processor{name="sync",controller="sync"} 1',
    'longest_running_processor{name="other",controller="other"} 0',
  ]);
  two.finished(second, clock.monotonic(), 'error');
  other.finished(third, clock.monotonic(), 'park');
  expect((await samples()).every((line) => line.endsWith(' 0'))).toBe(true);
});

it('counts reconciles under the names that controller-runtime gives them', async () => {
  const metrics = createMetrics();
  const clock = new FakeClock();
  const queue = createQueueMetrics(metrics, 'sync', clock, 4);
  for (const outcome of ['done', 'park', 'requeue', 'error'] as const) {
    const running = queue.started(0, clock.monotonic());
    await clock.advance(20);
    queue.finished(running, clock.monotonic(), outcome);
  }
  queue.started(0, clock.monotonic());
  const samples = (await metrics.expose()).body
    .split('\n')
    .filter((line) => line.startsWith('controller_runtime_') && !line.includes('_bucket'));
  expect(samples).toEqual(
    expect.arrayContaining([
      'controller_runtime_reconcile_total{controller="sync",result="success"} 2',
      'controller_runtime_reconcile_total{controller="sync",result="requeue_after"} 1',
      'controller_runtime_reconcile_total{controller="sync",result="error"} 1',
      'controller_runtime_reconcile_errors_total{controller="sync"} 1',
      'controller_runtime_terminal_reconcile_errors_total{controller="sync"} 0',
      'controller_runtime_reconcile_panics_total{controller="sync"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="sync"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="sync"} 4',
      'controller_runtime_active_workers{controller="sync"} 1',
      'controller_runtime_max_concurrent_reconciles{controller="sync"} 4',
    ]),
  );
});
