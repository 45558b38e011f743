import type { Wish } from './binder.js';
import type { Person } from './person.js';
import { type FoundGrant, type GrantStore, PersonalGrants, hashOf } from './personal-grants.js';

/** Content of a code: a person's binding, with the accepted claims. */
export interface BundleGrant {
  readonly person: Person;
  readonly wish: Wish;
  readonly acceptedClaims: readonly string[];
  /** The bound template, as `requestHash`. */
  readonly asked: string;
  /** Nothing was done yet: the cluster proves itself when it presents the code. */
  readonly awaitsProof?: boolean | undefined;
}

/** An unused grant, found by its code. */
export interface FoundBundle extends Pick<FoundGrant, 'use'> {
  readonly grant: BundleGrant;
}

export interface BundleCodesOptions extends GrantStore {
  readonly randomBytes: (size: number) => Uint8Array;
}

const CODE_MS = 600_000;

/** One-time codes, each for one bundle within ten minutes. */
export class BundleCodes {
  readonly #options: BundleCodesOptions;
  readonly #grants: PersonalGrants;

  constructor(options: BundleCodesOptions) {
    this.#options = options;
    this.#grants = new PersonalGrants({
      ...options,
      purpose: 'bundle-code',
      namePrefix: 'hawser-portal-code-',
      annotation: 'hawser.dev/bundle-grant',
      sealedAs: 'bundle',
      tooMany: (most) => `You have ${most} codes that are not used. Use one of them, or wait ten minutes.`,
    });
  }

  /** @throws {Refusal} for a person with ten unused codes @throws {ApiError} */
  async issue(grant: BundleGrant, signal: AbortSignal): Promise<{ readonly code: string; readonly expires: number }> {
    const { clock, randomBytes } = this.#options;
    const code = Buffer.from(randomBytes(16)).toString('base64url');
    // Whole seconds, as in seals.
    const expires = Math.floor((clock.now() + CODE_MS) / 1_000) * 1_000;
    await this.#grants.issue(grant.person, { hash: hashOf(code), claims: { ...grant }, expires }, signal);
    return { code, expires };
  }

  /** Undefined for an unknown, used or expired code. @throws {ApiError} */
  async find(code: string, signal: AbortSignal): Promise<FoundBundle | undefined> {
    const found = await this.#grants.find(hashOf(code), signal);
    if (found?.claims === undefined) return undefined;
    // Ours: only this portal can seal.
    return { grant: found.claims as unknown as BundleGrant, use: found.use };
  }

  /** Deletes expired codes. @throws {ApiError} */
  sweep(signal: AbortSignal): Promise<void> {
    return this.#grants.sweep(signal);
  }
}
