import { createHash } from 'node:crypto';
import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { compareResourceVersions } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { Refusal } from './answer.js';
import { deleteExpired, deleteLease, expiringLease, hasExpired, leasesFor } from './expiring-leases.js';
import { type Person, identityOf } from './person.js';
import type { Purpose, Sealer } from './seal.js';

export interface GrantStore {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'delete'>;
  readonly clock: Clock;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly namespace: string;
}

export interface PersonalGrantsOptions extends GrantStore {
  /** Purpose of the Leases. */
  readonly purpose: string;
  /** Prefix before the hash of the code. */
  readonly namePrefix: string;
  /** Annotation of a Lease with its content. */
  readonly annotation: string;
  readonly sealedAs: Purpose;
  /** Message for a person at the limit. */
  readonly tooMany: (most: number) => string;
}

/** Limit per person and purpose. */
const MOST = 10;
const PERSON_LABEL = 'hawser.dev/portal-person';

/** Result of a lookup by the hash of a code. */
export interface FoundGrant {
  /** Claims sealed for this code; undefined for foreign or expired content. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** Uses it up. Of any number that race, exactly one returns true. @throws {ApiError} */
  readonly use: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Grants to people for a limited time, by codes, with a limit per person. A grant is a Lease in the portal's namespace,
 * named by a hash of its code: any replica finds it, and deleting the Lease uses it up. Its content is sealed for that
 * code: readers of Leases learn nothing, and writers can neither forge nor use a grant.
 */
export class PersonalGrants {
  readonly #options: PersonalGrantsOptions;

  constructor(options: PersonalGrantsOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} for a person with ten unused, unexpired grants @throws {ApiError} */
  async issue(
    person: Person,
    grant: {
      /** Hash of the code. */
      readonly hash: string;
      readonly claims: Readonly<Record<string, unknown>>;
      readonly expires: number;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, sealer, namespace, purpose, namePrefix, annotation, sealedAs } = this.#options;
    const { hash, claims, expires } = grant;
    const owner = hashOf(identityOf(person));
    if ((await this.#open(owner, signal)).length >= MOST) throw this.#tooMany();
    const sealed = await sealer.seal(sealedAs, { ...claims, code: hash }, expires);
    const wanted = expiringLease({
      namespace,
      name: namePrefix + hash,
      purpose,
      expires,
      labels: { [PERSON_LABEL]: owner },
      annotations: { [annotation]: sealed },
    });
    await this.#isOneOfFew(owner, await client.create(resources.leases, wanted, { signal }), signal);
  }

  /** Undefined for an unknown or used code. @throws {ApiError} */
  async find(hash: string, signal: AbortSignal): Promise<FoundGrant | undefined> {
    const { client, sealer, namespace, namePrefix, annotation, sealedAs } = this.#options;
    const key = { namespace, name: namePrefix + hash };
    const lease = await getIfExists<KubeObject>(client, resources.leases, key, { signal });
    if (lease === undefined) return undefined;
    const claims = await sealer.open(sealedAs, lease.metadata.annotations?.[annotation] ?? '');
    return {
      claims: claims?.['code'] === hash ? claims : undefined,
      use: (until) => deleteLease(client, lease, until),
    };
  }

  /** Deletes expired grants. @throws {ApiError} */
  async sweep(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    await deleteExpired(client, await this.#list({}, signal), clock.now(), signal);
  }

  /**
   * Several parallel calls may each have found room: deletes those over the limit, the youngest first.
   * @throws {Refusal}
   */
  async #isOneOfFew(owner: string, made: KubeObject, signal: AbortSignal): Promise<void> {
    // A Lease is never written again, so versions show the order of creation: each call sees all earlier ones.
    const before = (await this.#open(owner, signal)).filter(
      ({ metadata }) => (compareResourceVersions(metadata.resourceVersion, made.metadata.resourceVersion) ?? -1) < 0,
    );
    if (before.length < MOST) return;
    await deleteLease(this.#options.client, made, signal);
    throw this.#tooMany();
  }

  async #open(owner: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const now = this.#options.clock.now();
    return (await this.#list({ [PERSON_LABEL]: owner }, signal)).filter((lease) => !hasExpired(lease, now));
  }

  #list(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const { client, namespace, purpose } = this.#options;
    return leasesFor(client, { namespace, purpose, labels }, signal);
  }

  #tooMany(): Refusal {
    return new Refusal(429, 'BAD_REQUEST', this.#options.tooMany(MOST), { 'retry-after': '600' });
  }
}

/** Hash for the name of a Lease: it must not reveal the text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
