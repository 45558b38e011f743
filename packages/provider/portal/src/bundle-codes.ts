import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { resources } from '@hawser/kube-bind';
import type { Wish } from './binder.js';
import { deleteLease } from './expiring-leases.js';
import type { Person } from './person.js';
import { PersonalLeases, hashOf } from './personal-leases.js';
import type { Sealer } from './seal.js';

/** What a code is worth: a binding of a person, with the claims that they have accepted. */
export interface BundleGrant {
  readonly person: Person;
  readonly wish: Wish;
  readonly acceptedClaims: readonly string[];
  /** What was bound, as `requestHash` has it. */
  readonly asked: string;
}

/** A grant that was found by its code and not used yet. */
export interface FoundGrant {
  readonly grant: BundleGrant;
  /** Uses it up. Of any number that race, one is told true. @throws {ApiError} */
  use(signal: AbortSignal): Promise<boolean>;
}

export interface BundleCodesOptions {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'delete'>;
  readonly clock: Clock;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly namespace: string;
  readonly randomBytes: (size: number) => Uint8Array;
}

const CODE_MS = 600_000;
const PURPOSE = 'bundle-code';
const GRANT = 'hawser.dev/bundle-grant';

/**
 * One-time codes, each worth one bundle within ten minutes. A code is a Lease in the portal's namespace, named by a hash of the code, so any replica takes it and deleting the Lease uses it up.
 * What it is worth is sealed for that code: readers of Leases learn nothing, and writers of Leases can neither make a code nor exchange what it is worth.
 */
export class BundleCodes {
  readonly #options: BundleCodesOptions;
  readonly #leases: PersonalLeases;

  constructor(options: BundleCodesOptions) {
    this.#options = options;
    const tooMany = (most: number): string =>
      `You have ${most} codes that are not used. Use one of them, or wait ten minutes.`;
    this.#leases = new PersonalLeases({ ...options, purpose: PURPOSE, tooMany });
  }

  /** @throws {Refusal} for a person who has ten that are not used @throws {ApiError} */
  async issue(grant: BundleGrant, signal: AbortSignal): Promise<{ readonly code: string; readonly expires: number }> {
    const { clock, sealer, randomBytes } = this.#options;
    const code = Buffer.from(randomBytes(16)).toString('base64url');
    // Whole seconds, as seals have them.
    const expires = Math.floor((clock.now() + CODE_MS) / 1_000) * 1_000;
    const sealed = await sealer.seal('bundle', { ...grant, code: hashOf(code) }, expires);
    await this.#leases.create(grant.person, { name: nameOf(code), expires, annotations: { [GRANT]: sealed } }, signal);
    return { code, expires };
  }

  /** Undefined for a code that is not known, has been used, or is too old. @throws {ApiError} */
  async find(code: string, signal: AbortSignal): Promise<FoundGrant | undefined> {
    const { client, sealer, namespace } = this.#options;
    const lease = await getIfExists<KubeObject>(
      client,
      resources.leases,
      { namespace, name: nameOf(code) },
      { signal },
    );
    const sealed = lease?.metadata.annotations?.[GRANT];
    if (lease === undefined || sealed === undefined) return undefined;
    const claims = await sealer.open('bundle', sealed);
    if (claims?.['code'] !== hashOf(code)) return undefined;
    // Ours: nobody else can seal.
    const grant = claims as unknown as BundleGrant;
    return { grant, use: (until) => deleteLease(client, lease, until) };
  }

  /** Deletes codes that nobody has used in time. @throws {ApiError} */
  sweep(signal: AbortSignal): Promise<void> {
    return this.#leases.sweep(signal);
  }
}

function nameOf(code: string): string {
  return `hawser-portal-code-${hashOf(code)}`;
}
