/** A call due at an instant of virtual time. */
export interface Timer {
  readonly at: number;
  /** Orders timers of the same instant. */
  readonly sequence: number;
  readonly callback: () => void;
  cancelled: boolean;
}

/** Timers by their instants, the earliest first; those of one instant in the order of their addition. */
export class TimerHeap {
  readonly #heap: Timer[] = [];

  push(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(timer);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent]!;
      if (!before(timer, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = timer;
  }

  /** The next timer that is not cancelled; it stays in the heap. */
  peek(): Timer | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first?.cancelled !== true) return first;
      this.pop();
    }
  }

  pop(): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && before(heap[right]!, heap[left]!) ? right : left;
      const below = heap[child]!;
      if (!before(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
