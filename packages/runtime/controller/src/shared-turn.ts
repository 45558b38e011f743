/**
 * Reconciles that may start in one turn of the event loop: work that never waits for I/O must not block timers and
 * sockets.
 */
const burst = 128;

/** The turn of the event loop that the workers of a queue share. */
export class SharedTurn {
  #started = 0;
  #next: Promise<void> | undefined;

  /** Called before each reconcile. True: yield to the event loop first. */
  isUsed(): boolean {
    return ++this.#started > burst;
  }

  /** Waits for the next turn of the event loop; workers that arrive meanwhile share it. */
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
