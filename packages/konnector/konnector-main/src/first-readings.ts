import { isForbidden } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { SecretKeyRef } from '@hawser/konnector-connection';
import type { MemberObserved } from './decide-targets.js';
import { type Member, isBound } from './observed.js';
import type { SecretReading } from './secret-reading.js';

/** Work left after {@link FirstReadings.confirm}. */
export interface Confirmed {
  readonly members: readonly MemberObserved[];
  /** A Secret that could not be read: its members wait and are checked again. */
  readonly failed?: { readonly error: unknown } | undefined;
}

export interface FirstReadingsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly isServed: (member: Member) => boolean;
  /** The Secret with a member's kubeconfig. */
  readonly refOf: (member: Member) => SecretKeyRef | undefined;
  /** Reads a Secret from the API server. */
  readonly readLive: (ref: SecretKeyRef | undefined, signal: AbortSignal) => Promise<SecretReading>;
}

interface Reading {
  readonly uid: string | undefined;
  readonly hash: string;
  readonly atMs: number;
}

/** How long a live reading stays valid. Otherwise an unreachable provider would cost one read per look. */
const goodForMs = 10_000;

/**
 * Reads the Secret live before the first connection of a member, because that connection binds it to a provider. A
 * cache may still have a kubeconfig that a person corrected just before the binding: objects would go to the former
 * provider.
 */
export class FirstReadings {
  readonly #options: FirstReadingsOptions;
  readonly #confirmed = new Map<Member, Reading>();

  constructor(options: FirstReadingsOptions) {
    this.#options = options;
  }

  /** Sends one request per Secret of new members until they are connected; none for others. */
  async confirm(members: readonly MemberObserved[], signal: AbortSignal): Promise<Confirmed> {
    const confirmed: MemberObserved[] = [];
    let failed: Confirmed['failed'];
    const live = new Map<string, Promise<SecretReading>>();
    const readOnce = (member: Member): Promise<SecretReading> => {
      const ref = this.#options.refOf(member);
      const id = ref === undefined ? '' : `${ref.namespace}/${ref.name}/${ref.key}`;
      const reading = live.get(id) ?? this.#options.readLive(ref, signal);
      live.set(id, reading);
      return reading;
    };
    for (const member of members) {
      try {
        confirmed.push(this.#isOpen(member) ? await this.#read(member, readOnce) : member);
      } catch (error) {
        signal.throwIfAborted();
        // The watch on it reports this.
        if (!isForbidden(error)) failed ??= { error };
        confirmed.push({ ...member, secret: { kind: 'unknown' } });
      }
    }
    return { members: confirmed, failed };
  }

  /** Whether this kubeconfig was read live for it. */
  has({ member, uid }: MemberObserved, hash: string): boolean {
    const reading = this.#confirmed.get(member);
    return reading?.uid === uid && reading?.hash === hash;
  }

  /** Forgets a member that is gone, or replaced by another one. */
  forget(member: Member): void {
    this.#confirmed.delete(member);
  }

  #isOpen(observed: MemberObserved): boolean {
    const { member, secret, pin, foreign } = observed;
    if (!isBound(member) || foreign || pin !== undefined || secret.kind !== 'valid') return false;
    const atMs = this.#confirmed.get(member)?.atMs ?? -Infinity;
    const isFresh = this.has(observed, secret.hash) && this.#options.clock.monotonic() - atMs < goodForMs;
    return !isFresh && !this.#options.isServed(member);
  }

  async #read(observed: MemberObserved, readOnce: (member: Member) => Promise<SecretReading>): Promise<MemberObserved> {
    const { member, uid } = observed;
    const atMs = this.#options.clock.monotonic();
    const secret = await readOnce(member);
    if (secret.kind === 'valid') this.#confirmed.set(member, { uid, hash: secret.hash, atMs });
    return { ...observed, secret };
  }
}
