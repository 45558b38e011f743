import { type Clock, systemClock } from '@hawser/clock';

/** The clock of a look at clusters: both of its clocks show `now`. */
export function clockOf(now: () => number): Clock {
  return { now, monotonic: now, setTimeout: (callback, ms) => systemClock.setTimeout(callback, ms) };
}
