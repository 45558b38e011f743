/**
 * Uids of the latest deletions. The answer of a write may arrive after the deletion that followed it. Without this
 * memory it would bring the object back for good. Bounded by count: forgets the oldest first.
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
