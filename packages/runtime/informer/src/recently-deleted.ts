/**
 * The uids that were seen to go last. The answer of a write may come after the deletion that followed it: without this memory it would bring
 * the object back, and nothing would ever take it away again. Bounded by count: the oldest is forgotten first.
 */
export class RecentlyDeleted {
  readonly #uids = new Set<string>();

  constructor(private readonly limit = 1024) {}

  add(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#uids.delete(uid);
    this.#uids.add(uid);
    if (this.#uids.size <= this.limit) return;
    for (const oldest of this.#uids) {
      this.#uids.delete(oldest);
      return;
    }
  }

  has(uid: string | undefined): boolean {
    return uid !== undefined && this.#uids.has(uid);
  }

  forget(uid: string | undefined): void {
    if (uid !== undefined) this.#uids.delete(uid);
  }

  clear(): void {
    this.#uids.clear();
  }
}
