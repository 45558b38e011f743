/** Runs work one at a time per key, in order of arrival. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work after all earlier work of the same key. @throws as the work does */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, over);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }
}
