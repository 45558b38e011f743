import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { type Logger, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';

import { type Installation, openInstallation } from './testing/installation.js';

let installation: Installation;

beforeEach(async () => {
  installation = await openInstallation({ embedded: true });
});
afterEach(() => installation.close());

it('the log says when what is refused is tried again', async () => {
  const clock = new FakeClock();
  const retries: { readonly failures: number; readonly atMs: number; readonly retryInMs: number }[] = [];
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    warn: (_, fields) => {
      if (fields?.['failures'] !== undefined)
        retries.push({
          failures: Number(fields['failures']),
          atMs: clock.now(),
          retryInMs: Number(fields['retryInMs']),
        });
    },
  };
  await installation.startSync({}, { clock, logger });
  const { client } = installation.workspaces.a;
  await client.create(
    installation.kinds.kcp.resource,
    installation.object('one', { size: 'larger than the service cluster takes' }),
  );
  await eventually(
    async () => {
      await clock.advance(50);
      expect(retries.length).toBeGreaterThanOrEqual(6);
    },
    { timeoutMs: 60_000 },
  );
  const gaps = retries.slice(1).map(({ atMs }, index) => ({
    announcedMs: retries[index]?.retryInMs ?? 0,
    cameAfterMs: atMs - (retries[index]?.atMs ?? 0),
  }));
  // What is parked waits for a second and more, where the queue alone would wait for less; the clock moves on while an answer is under way.
  for (const { announcedMs, cameAfterMs } of gaps.slice(2)) {
    expect(announcedMs).toBeGreaterThan(750);
    expect(cameAfterMs).toBeGreaterThanOrEqual(announcedMs - 100);
  }
}, 120_000);
