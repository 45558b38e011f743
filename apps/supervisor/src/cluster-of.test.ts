import { createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { clusterOf } from './cluster-of.js';

it('leaves no timer behind when its Events are written before the limit', async () => {
  const clock = new FakeClock();
  const connection = { server: 'http://127.0.0.1:1', credentials: { kind: 'token', token: 't' } } as const;
  const client = createClient({ name: 'consumer', connection });
  const context = { clock, random: () => 0, logger: silentLogger, metrics: noMetrics, version: 'test', env: {} };
  const opened = clusterOf('consumer', client, 'test', context);
  await opened.close();
  expect(clock.pendingTimers).toBe(0);
  await client.close();
});
