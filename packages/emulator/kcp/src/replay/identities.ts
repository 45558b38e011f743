import type { JsonValue } from '@hawser/json';

/** Maps values of a recording to those of this run: ids differ per installation. */
export class Identities {
  readonly #known = new Map<string, string>();
  /** Of resourceVersions, by number. */
  readonly #revisions = new Map<number, string>();

  learn(recorded: string, actual: string): void {
    if (recorded !== '' && recorded !== actual) this.#known.set(recorded, actual);
  }

  learnRevision(recorded: string, actual: string): void {
    this.#revisions.set(Number(recorded), actual);
  }

  /** A recorded text with this run's ids. */
  translate(text: string): string {
    let result = text;
    for (const [recorded, actual] of this.#known) result = result.replaceAll(recorded, actual);
    return result;
  }

  translateValue<T extends JsonValue>(value: T): T {
    if (typeof value === 'string') return this.translate(value) as T;
    if (Array.isArray(value)) return value.map((each: JsonValue) => this.translateValue(each)) as unknown as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [this.translate(key), this.translateValue(each as JsonValue)]),
    ) as T;
  }

  /** The nearest revision of this run at or below a recorded one. 1 is always too old. */
  revision(recorded: number): string {
    if (recorded === 1) return '1';
    const [last] = [...this.#revisions.keys()].filter((each) => each <= recorded).sort((a, b) => b - a);
    return last === undefined ? String(recorded) : (this.#revisions.get(last) ?? String(recorded));
  }
}
