import { createHash } from 'node:crypto';

/** What happened, an event a line. Its hash tells whether two runs are the same. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #kept: string[] = [];
  readonly #keep: number;
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
    this.#hash.update(line);
    if (this.#keep === 0) return;
    this.#kept.push(line);
    if (this.#kept.length > 2 * this.#keep) this.#kept.splice(0, this.#kept.length - this.#keep);
  }

  lines(): readonly string[] {
    return this.#kept.slice(-this.#keep);
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
