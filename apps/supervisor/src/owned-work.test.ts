import { expect, it } from '@jest/globals';

import { ownedWork } from './owned-work.js';
import { until } from './until.js';

it('runs while its unit is here, once at a time, and is ended before the unit goes', async () => {
  const log: string[] = [];
  let isHere = false;
  let drained: Promise<unknown> = Promise.resolve();
  const work = ownedWork(
    () => isHere,
    async (signal) => {
      log.push('begins');
      await until(signal);
      await drained;
      log.push('ended');
    },
  );
  await work.settle();
  expect(log).toEqual([]);
  isHere = true;
  await work.settle();
  await work.settle();
  expect(log).toEqual(['begins']);

  const draining = Promise.withResolvers<undefined>();
  drained = draining.promise;
  isHere = false;
  let settled = 0;
  const count = (): void => {
    settled++;
  };
  const leaving = [work.settle().then(count), work.settle().then(count)];
  isHere = true;
  const coming = work.settle().then(count);
  await Promise.resolve();
  expect([log, settled]).toEqual([['begins'], 0]);
  draining.resolve(undefined);
  await Promise.all([...leaving, coming]);
  expect(log.slice(0, 3)).toEqual(['begins', 'ended', 'begins']);
  await work.stop();
  expect(log).toEqual(['begins', 'ended', 'begins', 'ended']);
});
