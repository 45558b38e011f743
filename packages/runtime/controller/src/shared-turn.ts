/** Reconciles that may start before the event loop gets a turn: work that never waits for I/O must not hold up timers and sockets. */
const burst = 128;

/** The turn of the event loop that the workers of a queue share. */
export class SharedTurn {
  #started = 0;
  #next: Promise<void> | undefined;

  /** Told of each reconcile that is to start. True: the event loop has to get a turn first. */
  isUsed(): boolean {
    return ++this.#started > burst;
  }

  /** Waits for the next turn of the event loop; workers that come meanwhile share it. */
  next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#started = 0;
        this.#next = undefined;
        resolve();
      });
    });
    return this.#next;
  }
}
