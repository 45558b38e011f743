import type { Sync } from '@hawser/syncagent-sync';
import { createMetrics } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { measurePublications } from './publication-metrics.js';

const sync = (objects: number, failing = 0, lastSyncMs?: number): Pick<Sync, 'counts' | 'lastSyncMs'> => ({
  counts: () => ({ objects, failing, workspaces: 3, orphans: 1, held: 2 }),
  lastSyncMs,
});
const metricLines = async (metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> =>
  (await metrics.expose()).body.split('\n').filter((line) => line.startsWith('hawser_published_'));

it('each PublishedResource has one set of figures, and none any more when it has gone', async () => {
  const metrics = createMetrics();
  const syncs = new Map([
    ['orders', sync(5, 2, 1_000)],
    ['queues', sync(1)],
  ]);
  const end = measurePublications(metrics, { agent: 'one', now: () => 4_000, syncs: () => syncs });
  expect(await metricLines(metrics)).toEqual(
    expect.arrayContaining([
      'hawser_published_objects{agent="one",published_resource="orders"} 5',
      'hawser_published_objects_in_step{agent="one",published_resource="orders"} 3',
      'hawser_published_objects_failing{agent="one",published_resource="orders"} 2',
      'hawser_published_objects_held{agent="one",published_resource="orders"} 2',
      'hawser_published_copies_orphaned{agent="one",published_resource="orders"} 1',
      'hawser_published_workspaces{agent="one",published_resource="orders"} 3',
      'hawser_published_last_sync_age_seconds{agent="one",published_resource="orders"} 3',
      'hawser_published_objects{agent="one",published_resource="queues"} 1',
    ]),
  );
  expect((await metricLines(metrics)).filter((line) => line.includes('last_sync_age'))).toHaveLength(1);
  syncs.delete('queues');
  expect((await metricLines(metrics)).filter((line) => line.includes('queues'))).toEqual([]);
  end();
  expect(await metricLines(metrics)).toEqual([]);
});

it('agents of one process have their own, and however many PublishedResources there are, the series are bounded', async () => {
  const metrics = createMetrics();
  const many = new Map(
    Array.from({ length: 1_000 }, (_, at) => [`r${String(at).padStart(4, '0')}`, sync(1, 0, at)] as const),
  );
  measurePublications(metrics, { agent: 'many', now: () => 2_000, syncs: () => many });
  measurePublications(metrics, { agent: 'few', now: () => 2_000, syncs: () => new Map([['orders', sync(7)]]) });
  const objects = (await metricLines(metrics)).filter((line) => line.startsWith('hawser_published_objects{'));
  expect(objects).toHaveLength(202);
  expect(objects).toContain('hawser_published_objects{agent="many",published_resource="(others)"} 800');
  expect(objects).toContain('hawser_published_objects{agent="few",published_resource="orders"} 7');
  expect(await metricLines(metrics)).toContain(
    'hawser_published_last_sync_age_seconds{agent="many",published_resource="(others)"} 1.001',
  );
});
