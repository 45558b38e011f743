/** An item of a {@link Fifo}. It stores its links, so removal from the middle is free. */
export interface FifoLinks<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A first-in, first-out list with removal from anywhere. An item is in one Fifo at most. Every operation is O(1) and
 * allocates nothing.
 */
export class Fifo<T extends FifoLinks<T>> {
  #first: T | undefined;
  #last: T | undefined;

  push(item: T): void {
    item.previous = this.#last;
    item.next = undefined;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
  }

  shift(): T | undefined {
    const item = this.#first;
    if (item !== undefined) this.remove(item);
    return item;
  }

  /** Removes an item; it must be in this Fifo. */
  remove(item: T): void {
    if (item.previous === undefined) this.#first = item.next;
    else item.previous.next = item.next;
    if (item.next === undefined) this.#last = item.previous;
    else item.next.previous = item.previous;
    item.previous = undefined;
    item.next = undefined;
  }
}
