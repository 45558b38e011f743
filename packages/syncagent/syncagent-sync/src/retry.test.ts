import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { hawserAnnotations } from '@hawser/syncagent-api';
import { type Logger, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';

import { type Installation, openInstallation } from './testing/installation.js';

let installation: Installation;

beforeEach(async () => {
  installation = await openInstallation({ embedded: true });
});
afterEach(() => installation.close());

it('an object that is parked is tried at once when a person asks for it, and no sooner for anything else', async () => {
  const clock = new FakeClock();
  let failures = 0;
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    warn: (_, fields) => {
      if (fields?.['failures'] !== undefined) failures++;
    },
  };
  await installation.startSync({}, { clock, logger });
  const { client } = installation.workspaces.a;
  const { resource } = installation.kinds.kcp;
  const object = installation.object('one', { size: 'larger than the service cluster takes' });
  await client.create(resource, object);
  await eventually(
    async () => {
      await clock.advance(50);
      expect(failures).toBeGreaterThanOrEqual(7);
    },
    { timeoutMs: 60_000 },
  );
  const { namespace, name } = object.metadata;
  const annotate = async (key: string): Promise<void> => {
    await client.patch(
      resource,
      { namespace, name },
      { type: 'merge', patch: { metadata: { annotations: { [key]: String(clock.now()) } } } },
    );
  };
  // It is not carried to the copy, so the write is the same. Another object shows that the look which the first change causes is over.
  const before = failures;
  await annotate('hawser.dev/touched');
  await client.create(resource, installation.object('two', { size: 'small' }));
  await eventually(async () => {
    await clock.advance(1);
    expect(await installation.copyOf(installation.workspaces.a, 'two')).toBeDefined();
  });
  expect(failures).toBe(before);
  await annotate(hawserAnnotations.retryAt);
  await eventually(async () => {
    await clock.advance(1);
    expect(failures).toBe(before + 1);
  });
}, 120_000);
