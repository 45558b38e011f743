import type { Clock, TimerHandle } from '@hawser/clock';
import { TimerHeap, type Timer } from './timer-heap.js';

/** The time when every simulation begins. */
export const EPOCH = Date.UTC(2026, 0, 1);

/**
 * Time that passes only from one timer to the next. One instance drives all of a simulation: two runs that set the same
 * timers in the same order are the same run.
 */
export class VirtualTime implements Clock {
  #now = 0;
  #sequence = 0;
  readonly #timers = new TimerHeap();

  /** Wall time of a machine whose clock is right. */
  now(): number {
    return EPOCH + this.#now;
  }

  /** Milliseconds since the beginning of the simulation. */
  monotonic(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const timer: Timer = { at: this.#now + (ms > 0 ? ms : 0), sequence: this.#sequence++, callback, cancelled: false };
    this.#timers.push(timer);
    return {
      cancel: () => {
        timer.cancelled = true;
      },
    };
  }

  /** Lets time pass until `end`, or until `done` is true. Returns whether it was. */
  async runUntil(end: number, done: () => boolean = () => false): Promise<boolean> {
    await settle();
    while (!done()) {
      const next = this.#timers.peek();
      if (next === undefined || next.at > end) {
        this.#now = Math.max(this.#now, end);
        return done();
      }
      this.#timers.pop();
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    return true;
  }
}

/** Number of waiting immediates of others. */
let waiting = 0;
const immediately = globalThis.setImmediate;
globalThis.setImmediate = Object.assign(
  <Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args): NodeJS.Immediate => {
    waiting++;
    return immediately(() => {
      waiting--;
      callback(...args);
    });
  },
  { __promisify__: immediately.__promisify__ },
);

/**
 * Runs all that needs no time: promise callbacks, and immediates, if any. Work still under way after these turns runs
 * with the next timer, which is as repeatable. A turn of the event loop is the main cost of most timers, so there is no
 * needless second one.
 */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2 && (turn === 0 || waiting > 0); turn++)
    await new Promise<void>((resolve) => {
      immediately(resolve);
    });
}
