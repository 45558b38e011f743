/** Limits open streams, in total and per person: each polls the API server. */
export class StreamSlots {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(most: number, mostOfOne: number) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  /** Returns a release function, to be called once; undefined: no room. */
  take(person: string): (() => void) | undefined {
    const own = this.#open.get(person) ?? 0;
    if (this.#all >= this.#most || own >= this.#mostOfOne) return undefined;
    this.#all += 1;
    this.#open.set(person, own + 1);
    return () => {
      this.#all -= 1;
      const left = (this.#open.get(person) ?? 1) - 1;
      if (left === 0) this.#open.delete(person);
      else this.#open.set(person, left);
    };
  }
}
