import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isLongRun } from './settings.js';

/** Weighs only one of that many runs: it takes as long as minutes of virtual time. */
const EVERY = 4;

export function isWeighed(seed: number, hours: number): boolean {
  return seed % EVERY === 0 && !isLongRun(hours);
}

/** Memory in use by all processes of a run and the run itself, in bytes, after a collection of all garbage. */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
