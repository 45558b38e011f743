import { type Client, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type LockRequest, type LockResult, LeaseLock, leases } from './lease-lock.js';
import { type Lease, holderOf, recordText, releasedSpec } from './lease-record.js';
import { type Instant, instant } from './term.js';

/** Who holds the Lease of one process while several share its work: one name for all of them. */
export const GROUP_IDENTITY = 'hawser-shards';

export interface GroupLeaseOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
}

/**
 * One Lease that a group of processes holds together, so that a process that works alone (another version, a Go konnector) waits for all of them.
 *
 * Each member must know by itself that the Lease is fresh. It knows that from a write of its own, or from two reads of its own: where the second shows another record of
 * the group than the first, that record was written after the first was sent, so nobody else can have seen it before then. So a group writes about
 * as often as one process alone does.
 */
export class GroupLease {
  readonly #options: GroupLeaseOptions;
  readonly #lock: LeaseLock;
  /** The last record that a request of ours has shown, and when that request was sent. */
  #seen: { readonly record: string; readonly at: Instant } | undefined;

  constructor(options: GroupLeaseOptions) {
    this.#options = options;
    this.#lock = new LeaseLock({ ...options, identity: GROUP_IDENTITY, isShared: true });
  }

  /** Takes the Lease for the group, or renews it, by a write of our own. The first of each term has to be one: it is what a member that leaves looks for. */
  async join(request: LockRequest): Promise<LockResult> {
    const result = await this.#lock.acquire(request);
    const { record } = this.#lock;
    if (result.kind === 'held' && record !== undefined) this.#seen = { record, at: result.writtenAt };
    return result;
  }

  /** Whether the group still has it; `writtenAt` of `held` is a time at which nobody else can have seen an older record than theirs of now. */
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
   * Lets go if `isLast` of what it reads between two steps: the Lease is read, then the members, then it is released if nobody has written it since. A member that comes
   * meanwhile has its own Lease before it writes this one, so it is either seen, or keeps this one from being released.
   */
  async releaseIfLast(isLast: () => Promise<boolean>, request: { readonly timeoutMs: number }): Promise<boolean> {
    const { client, namespace, name, clock } = this.#options;
    const lease = await getIfExists<Lease>(client, leases, { namespace, name }, request);
    if (lease === undefined || holderOf(lease) !== GROUP_IDENTITY || !(await isLast())) return false;
    await client.update(leases, { ...lease, spec: releasedSpec(lease.spec, clock.now()) } as Lease, request);
    return true;
  }
}
