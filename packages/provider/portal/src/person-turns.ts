import { type Client, getIfExists, isAlreadyExists, type KubeObject } from '@hawser/client';
import { type Clock, type Random, backoffDelay, sleep } from '@hawser/clock';
import { Turns } from '@hawser/controller';
import { resources } from '@hawser/kube-bind';
import { Refusal } from './answer.js';
import { deleteExpired, deleteLease, expiringLease, hasExpired, leasesFor } from './expiring-leases.js';
import { type Person, identityOf } from './person.js';
import { hashOf } from './personal-grants.js';

const PURPOSE = 'turn';
/** Time after which the next replica takes over the turn of a dead one. */
const TURN_MS = 60_000;
const PATIENCE_MS = 30_000;

export interface PersonTurnsOptions {
  readonly client: Pick<Client, 'create' | 'get' | 'list' | 'delete'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Namespace of the portal's Leases. */
  readonly namespace: string;
}

/**
 * Runs one person's requests one after another, on all replicas: otherwise two could both take the last place of a
 * quota. Different people do not wait for each other.
 */
export class PersonTurns {
  readonly #options: PersonTurnsOptions;
  readonly #turns = new Turns();

  constructor(options: PersonTurnsOptions) {
    this.#options = options;
  }

  /** @throws {Refusal | ApiError} */
  take<T>(person: Person, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const key = identityOf(person);
    return this.#turns.take(key, () => this.#alone(key, signal, work));
  }

  /** Deletes turns of dead replicas. @throws {ApiError} */
  async sweep(signal: AbortSignal): Promise<void> {
    const { client, clock, namespace } = this.#options;
    await deleteExpired(client, await leasesFor(client, { namespace, purpose: PURPOSE }, signal), clock.now(), signal);
  }

  /** Runs the work while no other replica works for this person. */
  async #alone<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lease = await this.#acquire(key, signal);
    try {
      return await work();
    } finally {
      // Even after a disconnect, the next one need not wait. A Lease that cannot be deleted expires.
      await deleteLease(this.#options.client, lease, AbortSignal.timeout(PATIENCE_MS)).catch(() => false);
    }
  }

  async #acquire(key: string, signal: AbortSignal): Promise<KubeObject> {
    const { client, clock, random, namespace } = this.#options;
    const name = `portal-turn-${hashOf(key)}`;
    const until = clock.monotonic() + PATIENCE_MS;
    for (let tries = 1; ; tries++) {
      const wanted = expiringLease({ namespace, name, purpose: PURPOSE, expires: clock.now() + TURN_MS });
      try {
        return await client.create(resources.leases, wanted, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      const other = await getIfExists<KubeObject>(client, resources.leases, { namespace, name }, { signal });
      if (other !== undefined && hasExpired(other, clock.now())) await deleteLease(client, other, signal);
      if (clock.monotonic() >= until)
        throw new Refusal(503, 'INTERNAL_ERROR', 'Another request of yours is under way. Try again in a minute.', {
          'retry-after': '30',
        });
      await sleep(clock, backoffDelay({ initialMs: 100, capMs: 1_000 }, tries, random), signal);
    }
  }
}
