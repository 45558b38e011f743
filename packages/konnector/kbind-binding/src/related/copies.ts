import type { Side } from './rules.js';

/**
 * Tracks which pairs have copies of one binding, and which of these stay. Its cost grows with changes, not with the
 * number of copies.
 */
export class Copies {
  readonly #bySide: Readonly<Record<Side, Set<string>>> = { consumer: new Set(), provider: new Set() };
  /** Pairs whose copy is known to stay. Each has one. */
  readonly #kept = new Set<string>();
  /** Pairs with a copy on both sides. */
  #both = 0;

  on(side: Side): ReadonlySet<string> {
    return this.#bySide[side];
  }

  add(side: Side, key: string): void {
    const keys = this.#bySide[side];
    if (keys.has(key)) return;
    if (this.#has(key)) this.#both++;
    keys.add(key);
  }

  /** Returns whether there was one. */
  delete(side: Side, key: string): boolean {
    if (!this.#bySide[side].delete(key)) return false;
    if (this.#has(key)) this.#both--;
    else this.#kept.delete(key);
    return true;
  }

  /** Records whether the copy stays although nothing selects it. Returns whether the answer has changed. */
  settle(key: string, isKept: boolean): boolean {
    if (this.#kept.has(key) === isKept || (isKept && !this.#has(key))) return false;
    if (isKept) this.#kept.add(key);
    else this.#kept.delete(key);
    return true;
  }

  /** Forgets all answers. */
  judgeAgain(): void {
    this.#kept.clear();
  }

  /** Pairs with a copy that does not stay. */
  get left(): number {
    const { consumer, provider } = this.#bySide;
    return consumer.size + provider.size - this.#both - this.#kept.size;
  }

  #has(key: string): boolean {
    return this.#bySide.consumer.has(key) || this.#bySide.provider.has(key);
  }
}
