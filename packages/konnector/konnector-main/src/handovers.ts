/** Waits until nothing is in flight for members that another process takes over. */
export class Handovers {
  readonly #isSettled: () => boolean;
  readonly #underWay = new Set<Promise<unknown>>();
  #waiting: (() => void)[] = [];

  /** `isSettled`: whether no connection has work in flight for other members. */
  constructor(isSettled: () => boolean) {
    this.#isSettled = isSettled;
  }

  /** Tracks work that may write for members served at its start. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
      this.look();
    }
  }

  /** Checks whether the connections are settled by now. */
  look(): void {
    if (!this.#isSettled()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when current work has ended and the connections are settled. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    while (!this.#isSettled())
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
  }
}
