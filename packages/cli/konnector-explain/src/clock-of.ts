import { type Clock, systemClock } from '@hawser/clock';

/** The time of a look at clusters: that of `now`, on both clocks. */
export function clockOf(now: () => number): Clock {
  return { now, monotonic: now, setTimeout: (callback, ms) => systemClock.setTimeout(callback, ms) };
}
