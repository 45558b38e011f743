import { FakeClock } from '@hawser/clock';
import { createMetrics } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { createQueueMetrics } from './queue-metrics.js';

it('tells how long reconciles run that have not ended, over all queues of a name', async () => {
  const metrics = createMetrics();
  const clock = new FakeClock();
  const [one, two, other] = [createQueueMetrics(metrics, 'sync', clock), createQueueMetrics(metrics, 'sync', clock), createQueueMetrics(metrics, 'other', clock)];
  const said = async (): Promise<string[]> =>
    (await metrics.expose()).body.split('\n').flatMap((line) => /^workqueue_(unfinished_work|longest_running_processor)_seconds(.*)$/u.exec(line)?.slice(1).join('') ?? []);
  const first = one.started(0, clock.monotonic());
  await clock.advance(2_000);
  const second = two.started(0, clock.monotonic());
  await clock.advance(1_000);
  expect(await said()).toEqual([
    'unfinished_work{name="sync"} 4', 'unfinished_work{name="other"} 0',
    'longest_running_processor{name="sync"} 3', 'longest_running_processor{name="other"} 0',
  ]);
  one.finished(first, clock.monotonic(), 'done');
  const third = other.started(0, clock.monotonic());
  expect(await said()).toEqual([
    'unfinished_work{name="sync"} 1', 'unfinished_work{name="other"} 0',
    'longest_running_processor{name="sync"} 1', 'longest_running_processor{name="other"} 0',
  ]);
  two.finished(second, clock.monotonic(), 'error');
  other.finished(third, clock.monotonic(), 'park');
  expect((await said()).every((line) => line.endsWith(' 0'))).toBe(true);
});
