import type { Side } from './rules.js';

/** Which pairs have copies of one binding, and which of these are kept. It counts as copies come and go: what it costs is in proportion to what changes, not to how many there are. */
export class Copies {
  readonly #bySide: Readonly<Record<Side, Set<string>>> = { consumer: new Set(), provider: new Set() };
  /** Pairs of which a look has shown that their copy stays. */
  readonly #kept = new Set<string>();
  /** Pairs with a copy on both sides. */
  #both = 0;
  /** Of the kept ones, those with a copy. */
  #keptCopies = 0;

  on(side: Side): ReadonlySet<string> {
    return this.#bySide[side];
  }

  add(side: Side, key: string): void {
    const keys = this.#bySide[side];
    if (keys.has(key)) return;
    if (this.#has(key)) this.#both++;
    else if (this.#kept.has(key)) this.#keptCopies++;
    keys.add(key);
  }

  /** Whether there was one. */
  delete(side: Side, key: string): boolean {
    if (!this.#bySide[side].delete(key)) return false;
    if (this.#has(key)) this.#both--;
    else if (this.#kept.delete(key)) this.#keptCopies--;
    return true;
  }

  /** What a look has shown: whether the copy stays though nothing asks for it. Whether that is another answer than before. */
  settle(key: string, isKept: boolean): boolean {
    if (this.#kept.has(key) === isKept || (isKept && !this.#has(key))) return false;
    if (isKept) this.#kept.add(key);
    else this.#kept.delete(key);
    if (this.#has(key)) this.#keptCopies += isKept ? 1 : -1;
    return true;
  }

  /** No look counts any more. */
  judgeAnew(): void {
    this.#kept.clear();
    this.#keptCopies = 0;
  }

  /** Pairs that have a copy which is not kept. */
  get left(): number {
    const { consumer, provider } = this.#bySide;
    return consumer.size + provider.size - this.#both - this.#keptCopies;
  }

  #has(key: string): boolean {
    return this.#bySide.consumer.has(key) || this.#bySide.provider.has(key);
  }
}
