import { expect, it } from '@jest/globals';
import { Queues } from './queues.js';
import { Refused } from './refused.js';

/** Work that ends when it is told to, in the order in which it has begun. */
function open() {
  const queues = new Queues({ atOnce: 2, waiting: 100, waitingOfOne: 60 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const results: Promise<string>[] = [];
  const take = (asker: string): void => {
    const result = queues.take(asker, () => {
      begun.push(asker);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      ends.push(() => {
        resolve(undefined);
      });
      return promise;
    });
    results.push(
      result.then(
        () => 'done',
        (error: unknown) => String(error instanceof Refused ? error.status.code : error),
      ),
    );
  };
  /** Ends so many pieces of work. */
  const end = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      ends.shift()?.();
      // What waits begins.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { take, end, begun, results };
}

it('lets one that asks much not go before others', async () => {
  const { take, end, begun, results } = open();
  for (let at = 0; at < 50; at++) take('greedy');
  for (const other of ['one', 'two', 'one']) take(other);
  expect(begun).toEqual(['greedy', 'greedy']);
  await end(6);
  expect(begun.slice(2)).toEqual(['greedy', 'one', 'two', 'greedy', 'one', 'greedy']);
  await end(47);
  expect(await Promise.all(results)).toEqual(results.map(() => 'done'));
  expect(begun.length).toBe(53);
});

it('refuses what is too much of one, and of all together', async () => {
  const { take, end, begun, results } = open();
  for (let at = 0; at < 2 + 60 + 5; at++) take('greedy');
  for (let at = 0; at < 45; at++) take(`other-${at}`);
  await end(102);
  const outcomes = await Promise.all(results);
  expect(outcomes.slice(0, 62).every((outcome) => outcome === 'done')).toBe(true);
  expect(outcomes.slice(62, 67)).toEqual(Array.from({ length: 5 }, () => '429'));
  expect(outcomes.slice(67).filter((outcome) => outcome === '429').length).toBe(5);
  expect(begun.length).toBe(102);
  // It begins anew.
  take('greedy');
  expect(begun.length).toBe(103);
  await end(1);
  expect(await results.at(-1)).toBe('done');
});
