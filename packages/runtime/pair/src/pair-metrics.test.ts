import { expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { createMetrics } from '@hawser/telemetry';

import { createPairMetrics } from './pair-metrics.js';

it('shows how long an object has been stuck although nothing happens', async () => {
  const clock = new FakeClock();
  const registry = createMetrics();
  const metrics = createPairMetrics(
    registry,
    'databases',
    { group: 'example.com', version: 'v1', resource: 'databases' },
    clock,
  );
  metrics.noticed('team-a/stuck');
  await clock.advance(60_000);
  const { body } = await registry.expose();
  expect(body).toContain(
    'hawser_sync_oldest_unsynced_seconds{binding="databases",resource="databases.example.com"} 60',
  );
  expect(body).toContain('hawser_sync_unsynced_objects{binding="databases",resource="databases.example.com"} 1');
  metrics.settled('team-a/stuck');
  expect((await registry.expose()).body).toContain(
    'hawser_sync_unsynced_objects{binding="databases",resource="databases.example.com"} 0',
  );
  metrics.close();
  expect(clock.pendingTimers).toBe(0);
});
