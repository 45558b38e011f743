import type { Clock } from '@hawser/clock';

/** Some fifteen microseconds each, so that the event loop is held for a few milliseconds; large ones take longer, and then time counts. */
const OBJECTS_PER_TURN = 200;
const LONGEST_TURN_MS = 10;

/** Says after each object whether the event loop has been held long enough: by their number, and by the clock where objects are large. */
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
