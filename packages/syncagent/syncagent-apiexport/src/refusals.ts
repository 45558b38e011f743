import type { Contribution } from './contribution.js';

interface Refusal {
  readonly of: string;
  readonly message: string;
  /** On the monotonic clock. */
  readonly until: number;
}

/**
 * Contributions that kcp has refused: omitted, to let others be written, and retried after a while or when they change.
 */
export class Refusals {
  readonly #refused = new Map<string, Refusal>();
  #oneByOne = false;

  constructor(private readonly retryMs: number) {}

  /** kcp has refused a change of several contributions, and the culprit is not known yet. */
  get oneByOne(): boolean {
    return this.#oneByOne;
  }

  tryOneByOne(): void {
    this.#oneByOne = true;
  }

  tryTogether(): void {
    this.#oneByOne = false;
  }

  add(contribution: Contribution, message: string, now: number): void {
    this.#refused.set(contribution.uid, { of: fingerprint(contribution), message, until: now + this.retryMs });
  }

  /** Why unchanged contributions are omitted, by uid. Forgets deleted ones. */
  of(contributions: readonly Contribution[], now: number): ReadonlyMap<string, string> {
    const present = new Map(contributions.map((one) => [one.uid, fingerprint(one)]));
    for (const [uid, { of, until }] of this.#refused)
      if (present.get(uid) !== of || until <= now) this.#refused.delete(uid);
    return new Map([...this.#refused].map(([uid, { message }]) => [uid, message]));
  }

  /** Milliseconds until the first retry. */
  nextMs(now: number): number | undefined {
    const times = [...this.#refused.values()].map(({ until }) => until - now);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
  }
}

function fingerprint({ schema, claims, relatedClaims }: Contribution): string {
  return JSON.stringify([schema, claims, relatedClaims]);
}
