import { createHash } from 'node:crypto';
import { type Client, type KubeObject, isAlreadyExists, isNotFound } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { InformerHandle } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { deleteExpired, expiringLease } from './expiring-leases.js';

export const REVOCATION_PURPOSE = 'ended-session';

/**
 * Sessions ended early, as Leases in the portal's namespace: a sign-out takes effect on every replica as soon as its
 * watch reports it. Each Lease goes when its session would have expired. They name sessions by a hash: readers learn
 * nothing that can be presented.
 */
export class Revocations {
  readonly #client: Pick<Client, 'create' | 'delete'>;
  readonly #seen: Pick<InformerHandle<KubeObject>, 'list' | 'get'>;
  readonly #clock: Clock;
  readonly #namespace: string;
  /** This replica's own, until its watch reports them. */
  readonly #own = new Map<string, number>();

  constructor(
    client: Pick<Client, 'create' | 'delete'>,
    seen: Pick<InformerHandle<KubeObject>, 'list' | 'get'>,
    clock: Clock,
    namespace: string,
  ) {
    this.#client = client;
    this.#seen = seen;
    this.#clock = clock;
    this.#namespace = namespace;
  }

  has(session: string): boolean {
    const name = nameOf(session);
    return this.#own.has(name) || this.#seen.get({ namespace: this.#namespace, name }) !== undefined;
  }

  /** `expires`: when the session expires anyway. @throws {ApiError} */
  async add(session: string, expires: number): Promise<void> {
    const name = nameOf(session);
    if (this.#own.has(name)) return;
    try {
      const lease = { namespace: this.#namespace, name, purpose: REVOCATION_PURPOSE, expires };
      await this.#client.create(resources.leases, expiringLease(lease));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    this.#own.set(name, expires);
  }

  /** Whether this is the first use: of any number, on any replica, exactly one returns true. @throws {ApiError} */
  async useUp(id: string, expires: number): Promise<boolean> {
    try {
      const lease = { namespace: this.#namespace, name: nameOf(id), purpose: REVOCATION_PURPOSE, expires };
      await this.#client.create(resources.leases, expiringLease(lease));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** Returns an id whose use failed. @throws {ApiError} */
  async giveBack(id: string): Promise<void> {
    try {
      await this.#client.delete(resources.leases, { namespace: this.#namespace, name: nameOf(id) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Deletes expired Leases. @throws {ApiError} */
  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    for (const [name, expires] of this.#own) if (expires < now) this.#own.delete(name);
    await deleteExpired(this.#client, this.#seen.list(), now, signal);
  }
}

function nameOf(session: string): string {
  return `hawser-portal-ended-${createHash('sha256').update(session).digest('hex').slice(0, 32)}`;
}
