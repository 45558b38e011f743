import type { Clock } from '@hawser/clock';

/**
 * At some fifteen microseconds each, this holds the event loop for a few milliseconds. Large objects take longer; for
 * these the clock decides.
 */
const OBJECTS_PER_TURN = 200;
const LONGEST_TURN_MS = 10;

/** Decides after each object whether to yield to the event loop: by count, and by the clock for large objects. */
export function turnsOf(clock: Clock): { isOver(): boolean } {
  let count = 0;
  let began = clock.monotonic();
  return {
    isOver() {
      if (++count < OBJECTS_PER_TURN && clock.monotonic() - began < LONGEST_TURN_MS) return false;
      count = 0;
      began = clock.monotonic();
      return true;
    },
  };
}
