import { createHash } from 'node:crypto';
import { type Client, type KubeObject, isAlreadyExists, isNotFound } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { InformerHandle } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { deleteExpired, expiringLease } from './expiring-leases.js';

export const REVOCATION_PURPOSE = 'ended-session';

/**
 * Sessions that have ended before their time, as Leases in the portal's namespace, so that a sign-out counts on every replica as soon as it hears of it. Each goes when what it
 * ends would have ended by itself. They name sessions by a hash: who reads them learns nothing that can be presented.
 */
export class Revocations {
  readonly #client: Pick<Client, 'create' | 'delete'>;
  readonly #seen: Pick<InformerHandle<KubeObject>, 'list' | 'get'>;
  readonly #clock: Clock;
  readonly #namespace: string;
  /** Those of this replica, until its watch tells of them. */
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

  /** `expires`: when the session ends by itself. @throws {ApiError} */
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

  /** Whether it is the first time that this is used up: of any number, on whichever replica, one is told so. @throws {ApiError} */
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

  /** What was used up for nothing. @throws {ApiError} */
  async giveBack(id: string): Promise<void> {
    try {
      await this.#client.delete(resources.leases, { namespace: this.#namespace, name: nameOf(id) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Deletes what has had its time. @throws {ApiError} */
  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    for (const [name, expires] of this.#own) if (expires < now) this.#own.delete(name);
    await deleteExpired(this.#client, this.#seen.list(), now, signal);
  }
}

function nameOf(session: string): string {
  return `hawser-portal-ended-${createHash('sha256').update(session).digest('hex').slice(0, 32)}`;
}
