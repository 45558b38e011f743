import { type Client, type Resource, isAlreadyExists, isApiError, isConflict, isNotFound } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { LeaseError } from './lease-error.js';
import { type Lease, heldSpec, holderOf, recordText, releasedSpec } from './lease-record.js';
import { type Instant, instant } from './term.js';

export const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

export interface LeaseLockOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
  /** Whether several processes hold it together, by that identity. Default: no. */
  readonly isShared?: boolean | undefined;
  /**
   * Whether {@link LeaseLock.acquire} writes a new acquireTime even if the lease is ours: others then see the beginning
   * of each term. Default: no.
   */
  readonly showsTerms?: boolean | undefined;
  /** Labels of a created Lease. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Result of a try to get or keep the lease. `held`: ours, by a request sent at `writtenAt`. `taken`: another process
 * has it. `free`: it was ours, and was released or deleted. `raced`: another process wrote in between; the next try
 * shows the holder.
 */
export type LockResult =
  | { readonly kind: 'held'; readonly writtenAt: Instant }
  | { readonly kind: 'taken'; readonly by: string }
  | { readonly kind: 'free' }
  | { readonly kind: 'raced' };

/** Why a try to renew ends the term; undefined: it does not. */
export function lossIn(result: LockResult): LeaseError | undefined {
  switch (result.kind) {
    case 'held':
    case 'raced':
      return undefined;
    case 'taken':
      return new LeaseError('LeaseLost', `${result.by} holds the lease`);
    case 'free':
      return new LeaseError('LeaseLost', 'the lease was released or deleted');
  }
}

export interface LockRequest {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * One Lease as a lock. The resourceVersion of the last read guards every write. Requests that fail otherwise than by
 * losing a race throw their ApiError; the state is then unknown, and the next call reads first.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  /** The Lease as last read or written; absent: unknown. */
  #lease: Lease | undefined;
  #uncertain = false;
  /** The last record seen, and when, by our own monotonic clock: no other clock is trusted. */
  #observed: { readonly record: string; readonly at: number } | undefined;
  /**
   * Another process held it after us. If our name appears after that, it comes from a backup, and the other process may
   * still believe that it leads; unless a write of ours was under way.
   */
  #succeeded = false;
  /** The record by which others share the lease with us, as last seen after that. */
  #companions: string | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  /** Whether a write may have succeeded without an answer: the lease may be ours without our knowledge. */
  get uncertain(): boolean {
    return this.#uncertain;
  }

  /** The record as last read or written; undefined before that. */
  get record(): string | undefined {
    return this.#observed?.record;
  }

  /**
   * Takes the lease if it is free, ours already (without another holder in between), or expired by its holder's own
   * duration.
   */
  async acquire(request: LockRequest): Promise<LockResult> {
    const { client, namespace, name, identity, clock } = this.#options;
    this.#lease = undefined;
    let lease: Lease;
    try {
      lease = await client.get<Lease>(leases, { namespace, name }, request);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#observed = undefined;
      return this.#create(request);
    }
    const observedAt = this.#observe(lease);
    const holder = holderOf(lease);
    this.#meetCompanions(lease, holder);
    if (holder !== undefined && (holder !== identity || (this.#succeeded && !this.#uncertain))) {
      const durationMs = (lease.spec?.leaseDurationSeconds ?? this.#options.leaseDurationMs / 1000) * 1000;
      if (clock.monotonic() < observedAt + durationMs) {
        this.#uncertain = false;
        this.#succeeded = true;
        return { kind: 'taken', by: holder };
      }
    }
    return this.#update(lease, request, this.#options.showsTerms);
  }

  /**
   * Detects companions. A changing record with our name comes from a process that shares the lease, not from a backup.
   */
  #meetCompanions(lease: Lease, holder: string | undefined): void {
    const { identity, isShared = false } = this.#options;
    const record = holder === identity && isShared ? recordText(lease) : undefined;
    if (record !== undefined && this.#companions !== undefined && record !== this.#companions) this.#succeeded = false;
    this.#companions = record;
  }

  /** Writes a new renewTime. Reads only if another process wrote in between. */
  async renew(request: LockRequest): Promise<LockResult> {
    const { client, namespace, name, identity } = this.#options;
    const known = this.#lease;
    if (known !== undefined) {
      this.#lease = undefined;
      const result = await this.#update(known, request);
      if (result.kind === 'held') return result;
    }
    try {
      const lease = await client.get<Lease>(leases, { namespace, name }, request);
      const holder = holderOf(lease);
      if (holder === identity) return await this.#update(lease, request);
      if (holder === undefined) return { kind: 'free' };
      this.#succeeded = true;
      return { kind: 'taken', by: holder };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'free' };
      throw error;
    }
  }

  /** Releases the lease if it is still ours. Tries twice: the first try may use an old resourceVersion. */
  async release(request: { readonly timeoutMs: number }): Promise<boolean> {
    const { client, namespace, name, identity, clock } = this.#options;
    for (let tries = 0; tries < 2; tries++) {
      try {
        const lease = this.#lease ?? (await client.get<Lease>(leases, { namespace, name }, request));
        this.#lease = undefined;
        this.#uncertain = false;
        if (holderOf(lease) !== identity) return false;
        await client.update(leases, { ...lease, spec: releasedSpec(lease.spec, clock.now()) } as Lease, request);
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        if (!isConflict(error)) throw error;
      }
    }
    return false;
  }

  async #create(request: LockRequest): Promise<LockResult> {
    const { client, namespace, name, identity, clock, leaseDurationMs, labels } = this.#options;
    const writtenAt = instant(clock);
    const object: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
      spec: heldSpec(undefined, identity, leaseDurationMs, writtenAt.epoch),
    };
    // NotFound: the namespace is missing, not the Lease.
    return this.#write(
      writtenAt,
      () => client.create<Lease>(leases, object, request),
      (error) => isAlreadyExists(error) || isConflict(error),
    );
  }

  async #update(lease: Lease, request: LockRequest, isRestart = false): Promise<LockResult> {
    const { client, identity, clock, leaseDurationMs } = this.#options;
    const writtenAt = instant(clock);
    const object: Lease = {
      ...lease,
      spec: heldSpec(lease.spec, identity, leaseDurationMs, writtenAt.epoch, isRestart),
    };
    return this.#write(
      writtenAt,
      () => client.update<Lease>(leases, object, request),
      (error) => isNotFound(error) || isConflict(error),
    );
  }

  async #write(
    writtenAt: Instant,
    send: () => Promise<Lease>,
    isRaced: (error: unknown) => boolean,
  ): Promise<LockResult> {
    const uncertainBefore = this.#uncertain;
    this.#uncertain = true;
    try {
      this.#lease = await send();
    } catch (error) {
      if (isRefusal(error)) this.#uncertain = uncertainBefore;
      if (isRaced(error)) return { kind: 'raced' };
      throw error;
    }
    this.#uncertain = false;
    this.#succeeded = false;
    this.#observe(this.#lease);
    return { kind: 'held', writtenAt };
  }

  /** Since when this record has been seen. */
  #observe(lease: Lease): number {
    const record = recordText(lease);
    if (this.#observed?.record !== record) this.#observed = { record, at: this.#options.clock.monotonic() };
    return this.#observed.at;
  }
}

/** Whether the server answered that it did not carry out the request. */
function isRefusal(error: unknown): boolean {
  return isApiError(error) && error.httpStatus !== undefined && error.httpStatus < 500;
}
