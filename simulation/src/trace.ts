import { createHash } from 'node:crypto';

const HASH_AT_ONCE = 16_384;

/** Log of a run, one event a line. Its hash shows whether two runs are the same. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #kept: string[] = [];
  readonly #keep: number;
  #unhashed = '';
  #events = 0;

  /** Keeps the last `keep` lines, for people. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  get events(): number {
    return this.#events;
  }

  add(atMs: number, what: string): void {
    this.#events++;
    const line = `${atMs.toFixed(3)} ${what}\n`;
    this.#unhashed += line;
    if (this.#unhashed.length >= HASH_AT_ONCE) this.#hashLines();
    if (this.#keep === 0) return;
    this.#kept.push(line);
    if (this.#kept.length > 2 * this.#keep) this.#kept.splice(0, this.#kept.length - this.#keep);
  }

  lines(): readonly string[] {
    return this.#kept.slice(-this.#keep);
  }

  digest(): string {
    this.#hashLines();
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  #hashLines(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = '';
  }
}
