import { type Client, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type LockRequest, type LockResult, LeaseLock, leases } from './lease-lock.js';
import { type Lease, holderOf, recordText, releasedSpec } from './lease-record.js';
import { type Instant, instant } from './term.js';

/** Holder of the Lease of one process while several share its work: the same for all of them. */
export const GROUP_IDENTITY = 'hawser-shards';

export interface GroupLeaseOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
}

/**
 * One Lease that a group of processes holds together: a process that works alone (another version, a Go konnector)
 * waits for all of them.
 *
 * Each member must know by itself that the Lease is fresh. A write of its own proves it, and so do two reads of its
 * own. If the second read shows another record of the group than the first, that record was written after the first was
 * sent. So no other process can have seen it before then. Thus a group writes about as often as one process alone.
 */
export class GroupLease {
  readonly #options: GroupLeaseOptions;
  readonly #lock: LeaseLock;
  /** The record of our last request, and when that request was sent. */
  #seen: { readonly record: string; readonly at: Instant } | undefined;

  constructor(options: GroupLeaseOptions) {
    this.#options = options;
    this.#lock = new LeaseLock({ ...options, identity: GROUP_IDENTITY, isShared: true });
  }

  /**
   * Takes or renews the Lease for the group by a write of our own. Each term must begin with one: a leaving member
   * looks for it.
   */
  async join(request: LockRequest): Promise<LockResult> {
    const result = await this.#lock.acquire(request);
    const { record } = this.#lock;
    if (result.kind === 'held' && record !== undefined) this.#seen = { record, at: result.writtenAt };
    return result;
  }

  /**
   * Whether the group still holds it; `writtenAt` of `held` is a time at which no other process can have seen an older
   * record than its current one.
   */
  async prove(request: LockRequest): Promise<LockResult> {
    const { client, namespace, name, clock } = this.#options;
    const seen = this.#seen;
    if (seen === undefined) return this.join(request);
    const at = instant(clock);
    const lease = await getIfExists<Lease>(client, leases, { namespace, name }, request);
    const holder = lease === undefined ? undefined : holderOf(lease);
    if (lease === undefined || holder !== GROUP_IDENTITY)
      return holder === undefined ? { kind: 'free' } : { kind: 'taken', by: holder };
    const record = recordText(lease);
    if (record === seen.record) return this.join(request);
    this.#seen = { record, at };
    return { kind: 'held', writtenAt: seen.at };
  }

  /**
   * Releases the Lease if `isLast` is true in between: reads the Lease, then the members, then releases it unless it
   * was written since. A member that joins meanwhile has its own Lease before it writes this one. So it is either seen,
   * or it prevents the release.
   */
  async releaseIfLast(isLast: () => Promise<boolean>, request: { readonly timeoutMs: number }): Promise<boolean> {
    const { client, namespace, name, clock } = this.#options;
    const lease = await getIfExists<Lease>(client, leases, { namespace, name }, request);
    if (lease === undefined || holderOf(lease) !== GROUP_IDENTITY || !(await isLast())) return false;
    await client.update(leases, { ...lease, spec: releasedSpec(lease.spec, clock.now()) } as Lease, request);
    return true;
  }
}
