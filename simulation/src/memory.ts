import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isLongRun } from './settings.js';

/** Only so many runs are weighed: it takes as long as minutes of virtual time. */
const EVERY = 4;

export function isWeighed(seed: number, hours: number): boolean {
  return seed % EVERY === 0 && !isLongRun(hours);
}

/** What is held in memory, in bytes, by all of the processes of a run and the run itself: everything that is garbage is collected first. */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
