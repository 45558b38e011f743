import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { describeWithControlPlane, eventually } from '@hawser/testenv';

import { type PairOfClusters, openPair } from './testing/pair-of-clusters.js';

describeWithControlPlane('a provider that changes a status all the time', () => {
  let pair: PairOfClusters;

  beforeEach(async () => {
    pair = await openPair();
  });
  afterEach(async () => {
    await pair.close();
  });
  const bothCopied = async (): Promise<void> => {
    for (const name of ['busy', 'quiet'])
      await pair.consumer.create(pair.resource, pair.object(name, { size: 'small' }));
    for (const name of ['busy', 'quiet'])
      await eventually(async () => {
        expect(await pair.onProvider(name)).toBeDefined();
      });
  };
  const status = (name: string, phase: string): Promise<unknown> =>
    pair.provider.patch(
      pair.resource,
      { namespace: pair.providerNamespace, name },
      { type: 'merge', patch: { status: { phase } } },
      { subresource: 'status' },
    );
  const arrives = (name: string, phase: string, timeoutMs = 30_000): Promise<unknown> =>
    eventually(
      async () => {
        expect(await pair.onConsumer(name)).toMatchObject({ status: { phase } });
      },
      { timeoutMs },
    );

  it('has it written no faster than the budget allows, and holds up nobody else', async () => {
    const clock = new FakeClock();
    // One worker: what comes later is done later.
    await pair.startSync({}, { clock, concurrency: 1 });
    await bothCopied();
    for (let i = 0; i < 20; i++) {
      await status('busy', `phase-${i}`);
      await arrives('busy', `phase-${i}`);
    }
    for (let i = 20; i < 30; i++) await status('busy', `phase-${i}`);
    await status('quiet', 'first');
    await arrives('quiet', 'first');
    await clock.advance(499);
    await status('quiet', 'second');
    await arrives('quiet', 'second');
    expect(await pair.onConsumer('busy')).toMatchObject({ status: { phase: 'phase-19' } });
    // Half a second brings one write back, of what is true by then.
    await clock.advance(1);
    await arrives('busy', 'phase-29');
    await status('busy', 'phase-30');
    await status('quiet', 'third');
    await arrives('quiet', 'third');
    expect(await pair.onConsumer('busy')).toMatchObject({ status: { phase: 'phase-29' } });
  });

  it('has the last one written, whatever was skipped', async () => {
    await pair.startSync();
    await bothCopied();
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 30 }, (_, i) => status('busy', `phase-${round}-${i}`)));
    for (const name of ['busy', 'quiet']) await status(name, 'last');
    for (const name of ['quiet', 'busy']) await arrives(name, 'last', 60_000);
  });
});
