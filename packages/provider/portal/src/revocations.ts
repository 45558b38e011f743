import { createHash } from 'node:crypto';
import { type Client, type KubeObject, isAlreadyExists, isNotFound } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { InformerHandle } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';

export const REVOCATION_LABEL = 'hawser.dev/portal';
export const REVOCATION_VALUE = 'ended-session';
const EXPIRES = 'hawser.dev/expires';

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
      await this.#client.create(resources.leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          namespace: this.#namespace,
          name,
          labels: { [REVOCATION_LABEL]: REVOCATION_VALUE },
          annotations: { [EXPIRES]: new Date(expires).toISOString() },
        },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    this.#own.set(name, expires);
  }

  /** Deletes what has had its time. One that another replica was first to delete is gone just as well. */
  async sweep(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    for (const [name, expires] of this.#own) if (expires < now) this.#own.delete(name);
    for (const { metadata } of this.#seen.list()) {
      const expires = Date.parse(metadata.annotations?.[EXPIRES] ?? '');
      // One without a time is kept: a session that somebody has ended by hand.
      if (Number.isNaN(expires) || expires >= now || signal.aborted) continue;
      const preconditions = { uid: metadata.uid };
      try {
        await this.#client.delete(
          resources.leases,
          { namespace: this.#namespace, name: metadata.name },
          { preconditions, signal },
        );
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}

function nameOf(session: string): string {
  return `hawser-portal-ended-${createHash('sha256').update(session).digest('hex').slice(0, 32)}`;
}
