/** Exports that wait for others, by resource. */
export class WaitingExports {
  readonly #byResource = new Map<string, Set<string>>();

  add(resource: string, key: string): void {
    const keys = this.#byResource.get(resource) ?? new Set<string>();
    this.#byResource.set(resource, keys.add(key));
  }

  /** Forgets an export that is being looked at; it waits anew if it must. */
  forget(key: string): void {
    for (const keys of this.#byResource.values()) keys.delete(key);
  }

  of(resource: string): Iterable<string> {
    return this.#byResource.get(resource) ?? [];
  }

  all(): readonly string[] {
    return [...this.#byResource.values()].flatMap((keys) => [...keys]);
  }
}
