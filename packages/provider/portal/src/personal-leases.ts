import { createHash } from 'node:crypto';
import type { Client, KubeObject } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { compareResourceVersions } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { Refusal } from './answer.js';
import { PORTAL_LABEL, deleteExpired, deleteLease, expiringLease, hasExpired } from './expiring-leases.js';
import { type Person, identityOf } from './person.js';

export interface PersonalLeasesOptions {
  readonly client: Pick<Client, 'list' | 'create' | 'delete'>;
  readonly clock: Clock;
  readonly namespace: string;
  /** Says what they are for. */
  readonly purpose: string;
  /** Told to a person who has as many as they may. */
  readonly tooMany: (most: number) => string;
}

/** Of one person, for one purpose. */
const MOST = 10;
const PERSON_LABEL = 'hawser.dev/portal-person';

/** Leases for what people are given for a limited time, a bounded number for each. */
export class PersonalLeases {
  readonly #options: PersonalLeasesOptions;

  constructor(options: PersonalLeasesOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} for a person who has ten that have neither been used nor expired @throws {ApiError} */
  async create(
    person: Person,
    lease: { readonly name: string; readonly expires: number; readonly annotations: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, namespace, purpose } = this.#options;
    const owner = hashOf(identityOf(person));
    if ((await this.#open(owner, signal)).length >= MOST) throw this.#tooMany();
    const wanted = expiringLease({ ...lease, namespace, purpose, labels: { [PERSON_LABEL]: owner } });
    await this.#isOneOfFew(owner, await client.create(resources.leases, wanted, { signal }), signal);
  }

  /** Deletes those that nobody has used in time. @throws {ApiError} */
  async sweep(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    await deleteExpired(client, await this.#list('', signal), clock.now(), signal);
  }

  /** Several that came at once have each found room: those that are too many go, the youngest first. @throws {Refusal} */
  async #isOneOfFew(owner: string, made: KubeObject, signal: AbortSignal): Promise<void> {
    // Nothing writes to one again, so its version is the order in which they were made: each sees all that were made before it.
    const before = (await this.#open(owner, signal)).filter(
      ({ metadata }) => (compareResourceVersions(metadata.resourceVersion, made.metadata.resourceVersion) ?? -1) < 0,
    );
    if (before.length < MOST) return;
    await deleteLease(this.#options.client, made, signal);
    throw this.#tooMany();
  }

  async #open(owner: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const now = this.#options.clock.now();
    return (await this.#list(`,${PERSON_LABEL}=${owner}`, signal)).filter((lease) => !hasExpired(lease, now));
  }

  async #list(further: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const { client, namespace, purpose } = this.#options;
    const labelSelector = `${PORTAL_LABEL}=${purpose}${further}`;
    return (await client.list<KubeObject>(resources.leases, { namespace, labelSelector, signal })).items;
  }

  #tooMany(): Refusal {
    return new Refusal(429, 'BAD_REQUEST', this.#options.tooMany(MOST), { 'retry-after': '600' });
  }
}

/** Names what may not be read in the name of a Lease. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
