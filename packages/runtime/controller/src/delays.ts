import type { Clock, TimerHandle } from '@hawser/clock';

/** An item of {@link Delays}. It stores its place in the heap, so a changed time needs no search. */
export interface Delayed {
  /** Monotonic milliseconds. */
  dueAt: number;
  /** Place in the heap; -1: in none. */
  heapIndex: number;
}

/**
 * Items that fall due in one turn of the event loop. More of them wait for the next turn, to keep the loop responsive.
 */
const batch = 4096;

/** Delays items with **one** timer: a binary heap, so 100 000 of them cost an array slot each rather than a timer. */
export class Delays<T extends Delayed> {
  readonly #heap: T[] = [];
  readonly #clock: Clock;
  readonly #onDue: (item: T, now: number) => void;
  #timer: TimerHandle | undefined;
  #timerAt = Infinity;

  /** `onDue` receives the item after its removal; it may set it again. */
  constructor(clock: Clock, onDue: (item: T, now: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Adds the item, or changes its time. */
  set(item: T, dueAt: number): void {
    item.dueAt = dueAt;
    if (item.heapIndex < 0) {
      item.heapIndex = this.#heap.length;
      this.#heap.push(item);
    }
    this.#down(this.#up(item));
    this.#arm();
  }

  /** Removes the item, if present. */
  remove(item: T): void {
    if (item.heapIndex < 0) return;
    this.#take(item);
    this.#arm();
  }

  clear(): void {
    for (const item of this.#heap) item.heapIndex = -1;
    this.#heap.length = 0;
    this.#arm();
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = Infinity;
    const now = this.#clock.monotonic();
    for (let taken = 0; taken < batch; taken++) {
      const item = this.#heap[0];
      if (item === undefined || item.dueAt > now) break;
      this.#take(item);
      this.#onDue(item, now);
    }
    this.#arm();
  }

  /** Keeps a timer that is too early: it finds nothing due and is set again. Only an empty heap cancels it. */
  #arm(): void {
    const first = this.#heap[0];
    if (first !== undefined && first.dueAt >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Infinity;
    if (first === undefined) return;
    this.#timerAt = first.dueAt;
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#fire();
      },
      Math.max(0, first.dueAt - this.#clock.monotonic()),
    );
  }

  #take(item: T): void {
    const last = this.#heap.pop();
    if (last !== undefined && last !== item) {
      this.#place(last, item.heapIndex);
      this.#down(this.#up(last));
    }
    item.heapIndex = -1;
  }

  #place(item: T, index: number): void {
    this.#heap[index] = item;
    item.heapIndex = index;
  }

  #up(item: T): T {
    let index = item.heapIndex;
    while (index > 0) {
      const parent = this.#heap[(index - 1) >> 1];
      if (parent === undefined || parent.dueAt <= item.dueAt) break;
      const above = parent.heapIndex;
      this.#place(parent, index);
      index = above;
    }
    this.#place(item, index);
    return item;
  }

  #down(item: T): void {
    let index = item.heapIndex;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      const child = left !== undefined && right !== undefined && right.dueAt < left.dueAt ? right : left;
      if (child === undefined || child.dueAt >= item.dueAt) break;
      const below = child.heapIndex;
      this.#place(child, index);
      index = below;
    }
    this.#place(item, index);
  }
}
