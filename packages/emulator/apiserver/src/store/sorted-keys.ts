/** Keys in bytewise order. An insertion moves the rest, which costs less than a tree at a test server's sizes. */
export class SortedKeys {
  readonly #keys: string[] = [];

  get length(): number {
    return this.#keys.length;
  }

  at(index: number): string | undefined {
    return this.#keys[index];
  }

  add(key: string): void {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) this.#keys.push(key);
    else this.#keys.splice(this.lowerBound(key), 0, key);
  }

  delete(key: string): void {
    const index = this.lowerBound(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** Index of the first key that is not before `key`. */
  lowerBound(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
