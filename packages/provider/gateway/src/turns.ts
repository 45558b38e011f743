/** Work that is done one at a time for each key, in the order in which it comes. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Does the work when all before it of the same key has ended. @throws as the work does */
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
