import type { Contribution } from './contribution.js';

interface Refusal {
  readonly of: string;
  readonly message: string;
  /** On the monotonic clock. */
  readonly until: number;
}

/** Contributions that kcp has refused: they are left out, so that they keep no other from being written, and tried again after a while or when they change. */
export class Refusals {
  readonly #refused = new Map<string, Refusal>();

  constructor(private readonly retryMs: number) {}

  add(contribution: Contribution, message: string, now: number): void {
    this.#refused.set(contribution.uid, { of: fingerprint(contribution), message, until: now + this.retryMs });
  }

  /** Why a contribution as it stands is left out. */
  messageOf(contribution: Contribution, now: number): string | undefined {
    const refusal = this.#refused.get(contribution.uid);
    if (refusal === undefined) return undefined;
    if (refusal.of === fingerprint(contribution) && refusal.until > now) return refusal.message;
    this.#refused.delete(contribution.uid);
    return undefined;
  }

  /** Forgets those that are no more. */
  keep(contributions: readonly Contribution[]): void {
    const present = new Set(contributions.map(({ uid }) => uid));
    for (const uid of this.#refused.keys()) if (!present.has(uid)) this.#refused.delete(uid);
  }

  /** Milliseconds until the first is to be tried again. */
  nextMs(now: number): number | undefined {
    const times = [...this.#refused.values()].map(({ until }) => until - now);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
  }
}

function fingerprint({ schema, claims, relatedClaims }: Contribution): string {
  return JSON.stringify([schema, claims, relatedClaims]);
}
