import type { Clock, TimerHandle } from '@hawser/clock';
import type { Machine } from './machine.js';
import type { VirtualTime } from './virtual-time.js';

/** The clock of one process: its machine's, until the process dies; then no timer fires any more. */
export class ProcessClock implements Clock {
  readonly #time: VirtualTime;
  readonly #machine: Machine;
  #dead = false;
  #pending = 0;

  constructor(time: VirtualTime, machine: Machine) {
    this.#time = time;
    this.#machine = machine;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#pending;
  }

  kill(): void {
    this.#dead = true;
  }

  now(): number {
    return this.#time.now() + this.#machine.skewMs;
  }

  monotonic(): number {
    return this.#time.monotonic();
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    let isPending = true;
    this.#pending++;
    const settle = (): void => {
      if (isPending) this.#pending--;
      isPending = false;
    };
    const timer = this.#time.setTimeout(() => {
      this.whenRunning(() => {
        if (!isPending) return;
        settle();
        callback();
      });
    }, ms);
    return {
      cancel: () => {
        settle();
        timer.cancel();
      },
    };
  }

  /** Runs `callback` at once, after a stall, or, in a dead process, never. */
  whenRunning(callback: () => void): void {
    if (this.#dead) return;
    const stalled = this.#machine.stalledUntil - this.#time.monotonic();
    if (stalled > 0)
      this.#time.setTimeout(() => {
        this.whenRunning(callback);
      }, stalled);
    else callback();
  }
}
