import { tooMany } from './refused.js';

/** Limits of one consumer. */
export interface Shares {
  /** Requests in progress, without watches. Default 16. */
  readonly requests?: number | undefined;
  /** Requests that wait for a place. Default 64. */
  readonly waiting?: number | undefined;
  /** Watches. Default 500. */
  readonly watches?: number | undefined;
}

interface Standing {
  requests: number;
  watches: number;
  readonly waiting: (() => void)[];
}

/** Keeps consumers from using each other's share: each has its own limits. */
export class Fairness {
  readonly #shares: Required<{ [Key in keyof Shares]: number }>;
  readonly #standings = new Map<string, Standing>();

  constructor({ requests = 16, waiting = 64, watches = 500 }: Shares = {}) {
    this.#shares = { requests, waiting, watches };
  }

  /** Resolves at the consumer's turn, with a function that ends it. @throws {Refused} 429 if too many wait already */
  async request(consumer: string): Promise<() => void> {
    const standing = this.#of(consumer);
    if (standing.requests >= this.#shares.requests) {
      if (standing.waiting.length >= this.#shares.waiting) throw tooMany();
      // A finished request hands its place on, so the number stays.
      await new Promise<void>((resolve) => standing.waiting.push(resolve));
    } else standing.requests++;
    return once(() => {
      const next = standing.waiting.shift();
      if (next !== undefined) {
        next();
        return;
      }
      standing.requests--;
      this.#forget(consumer, standing);
    });
  }

  /** Counts a watch until the returned function is called. @throws {Refused} 429 */
  watch(consumer: string): () => void {
    const standing = this.#of(consumer);
    if (standing.watches >= this.#shares.watches) throw tooMany();
    standing.watches++;
    return once(() => {
      standing.watches--;
      this.#forget(consumer, standing);
    });
  }

  #of(consumer: string): Standing {
    const standing = this.#standings.get(consumer) ?? { requests: 0, watches: 0, waiting: [] };
    this.#standings.set(consumer, standing);
    return standing;
  }

  #forget(consumer: string, { requests, watches }: Standing): void {
    if (requests === 0 && watches === 0) this.#standings.delete(consumer);
  }
}

function once(end: () => void): () => void {
  let over = false;
  return () => {
    if (over) return;
    over = true;
    end();
  };
}
