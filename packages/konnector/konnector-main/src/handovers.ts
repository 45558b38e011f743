/** Waits until nothing of what another process is to serve is in flight. */
export class Handovers {
  readonly #isSettled: () => boolean;
  readonly #underWay = new Set<Promise<unknown>>();
  #waiting: (() => void)[] = [];

  /** `isSettled`: whether no connection has anything else's in flight. */
  constructor(isSettled: () => boolean) {
    this.#isSettled = isSettled;
  }

  /** Work that may write for what was served when it began. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
      this.look();
    }
  }

  /** The connections may be settled by now. */
  look(): void {
    if (!this.#isSettled()) return;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Resolves when what is under way now has ended, and the connections are settled. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    while (!this.#isSettled())
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }
}
