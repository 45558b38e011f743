import { parse, stringify } from '@hawser/json';

import { resource, sample } from './sample.js';
import { median } from './writers.js';

/** An operation compared with Node's own. Microseconds per document. */
export interface JsonComparison {
  readonly operation: string;
  readonly reference: number;
  readonly hawser: number;
}

const ROUNDS = 9;
const REPEATS = 2_000;

/** Reads and writes an object of 2.5 kB, without and with integers that a double cannot hold. */
export function benchJson(): readonly JsonComparison[] {
  const object = sample(resource, 'team-a', 'one');
  const text = JSON.stringify(object);
  const long = text.replaceAll(/"weight":\d+/gu, '"weight":9007199254740993');
  const parsed = parse(text);
  const parsedLong = parse(long);
  return [
    compare(
      'parse',
      () => JSON.parse(text) as unknown,
      () => parse(text),
    ),
    compare(
      'stringify',
      () => JSON.stringify(parsed),
      () => stringify(parsed),
    ),
    compare(
      'parse, long integers',
      () => JSON.parse(long) as unknown,
      () => parse(long),
    ),
    compare(
      'stringify, long integers',
      () => JSON.stringify(parsed),
      () => stringify(parsedLong),
    ),
  ];
}

/** Alternately: other load on the machine affects both. */
function compare(operation: string, reference: () => unknown, hawser: () => unknown): JsonComparison {
  const times = { reference: [] as number[], hawser: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.reference.push(time(reference));
    times.hawser.push(time(hawser));
  }
  return { operation, reference: median(times.reference), hawser: median(times.hawser) };
}

function time(work: () => unknown): number {
  const start = performance.now();
  for (let repeat = 0; repeat < REPEATS; repeat++) work();
  return ((performance.now() - start) * 1_000) / REPEATS;
}
