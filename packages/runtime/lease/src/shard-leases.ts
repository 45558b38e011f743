import { createHash } from 'node:crypto';

import { type Client, isAlreadyExists, isConflict, isNotFound } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { leases } from './lease-lock.js';
import { type Lease, heldSpec, holderOf, recordText, releasedSpec } from './lease-record.js';
import { GROUP_LABEL, SHARD_LABEL, type ShardView } from './shard-view.js';

export interface ShardLeasesOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Name of the group. */
  readonly name: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
  readonly timeoutMs: number;
  /**
   * Time limit of a release: a stopping process has little time, and after a failure others wait for its Leases to
   * expire.
   */
  readonly releaseTimeoutMs: number;
  readonly view: ShardView;
  /** Puts an answer into the cache. */
  readonly observe: (lease: Lease) => void;
  /** Lists the cache anew. */
  readonly relist: () => void;
}

/**
 * Lost races in a row after which the cache counts as wrong: another cluster has replaced the one that it was filled
 * from, and no watch reports that.
 */
const RACES_BEFORE_RELIST = 3;

/** `raced`: another process wrote in between, which the watch reports. `alive`: the holder lives after all. */
export type TakeResult = 'taken' | 'raced' | 'alive';

/** The Lease of a shard of a group. */
export function shardLeaseName(group: string, shard: number): string {
  return `${group}-shard-${String(shard).padStart(2, '0')}`;
}

/** Name of the Lease by which a member of a group shows that it lives. */
export function memberLeaseName(group: string, identity: string): string {
  return `${group}-member-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`;
}

/**
 * Writes the Leases of shards, each guarded by the version read before. A shard's Lease is written when the shard
 * changes hands, and never renewed: a holder counts as long as it renews its own Lease.
 */
export class ShardLeases {
  readonly #options: ShardLeasesOptions;
  /** Shard → lost races in a row. */
  readonly #races = new Map<number, number>();

  constructor(options: ShardLeasesOptions) {
    this.#options = options;
  }

  /**
   * Takes a shard that is free, ours by name, or whose holder is dead. In the last case reads the holder's Lease live
   * first: the cache may lag behind.
   */
  async take(shard: number, signal: AbortSignal): Promise<TakeResult> {
    const { view, client, namespace, name, identity, clock, leaseDurationMs, timeoutMs, observe } = this.#options;
    const known = view.shard(shard);
    const holder = known === undefined ? undefined : holderOf(known);
    const request = { signal, timeoutMs };
    if (holder !== undefined && holder !== identity && !(await this.#isReallyDead(holder, signal))) return 'alive';
    const spec = heldSpec(known?.spec, identity, leaseDurationMs, clock.now());
    try {
      const written =
        known === undefined
          ? await client.create<Lease>(leases, this.#made(shard, namespace, name, spec), request)
          : await client.update<Lease>(leases, { ...known, spec } as Lease, request);
      observe(written);
      this.#races.delete(shard);
      return 'taken';
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      this.#lost(shard);
      return 'raced';
    }
  }

  #lost(shard: number): void {
    const races = (this.#races.get(shard) ?? 0) + 1;
    this.#races.set(shard, races % RACES_BEFORE_RELIST);
    if (races >= RACES_BEFORE_RELIST) this.#options.relist();
  }

  /** Releases a shard if its Lease is ours as we know it. Resolves to whether it was. */
  async release(shard: number): Promise<boolean> {
    const { view, client, identity, clock, releaseTimeoutMs: timeoutMs, observe } = this.#options;
    const known = view.shard(shard);
    if (known === undefined || holderOf(known) !== identity) return false;
    try {
      const spec = releasedSpec(known.spec, clock.now());
      observe(await client.update<Lease>(leases, { ...known, spec } as Lease, { timeoutMs }));
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Reads all Leases live, for a cache that may lag behind, and puts them into it. Resolves to the shards that have a
   * Lease.
   */
  async read(signal: AbortSignal): Promise<ReadonlySet<number>> {
    const { client, namespace, name, timeoutMs, observe } = this.#options;
    const labelSelector = `${GROUP_LABEL}=${name}`;
    const { items } = await client.list<Lease>(leases, { namespace, labelSelector, signal, timeoutMs });
    for (const lease of items) observe(lease);
    return new Set(items.flatMap(({ metadata }) => Number(metadata.labels?.[SHARD_LABEL] ?? Number.NaN)));
  }

  /** Removes the Lease of a dead member without shards; it creates another one if it comes back. */
  async bury(identity: string): Promise<void> {
    const { view, client, timeoutMs } = this.#options;
    const lease = view.member(identity);
    if (lease === undefined) return;
    const { name, namespace, uid, resourceVersion } = lease.metadata;
    try {
      await client.delete(leases, { name, namespace }, { preconditions: { uid, resourceVersion }, timeoutMs });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  /** Removes our own Lease. */
  async leave(): Promise<void> {
    const { client, namespace, name, identity, releaseTimeoutMs: timeoutMs } = this.#options;
    try {
      await client.delete(leases, { namespace, name: memberLeaseName(name, identity) }, { timeoutMs });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Whether all others are dead, by a live list. */
  async isLast(): Promise<boolean> {
    const { view, client, namespace, name, identity, releaseTimeoutMs: timeoutMs } = this.#options;
    const labelSelector = `${GROUP_LABEL}=${name},!${SHARD_LABEL}`;
    const { items } = await client.list<Lease>(leases, { namespace, labelSelector, timeoutMs });
    return items.every((lease) => {
      const holder = holderOf(lease);
      return (
        holder === undefined ||
        holder === identity ||
        (view.isDead(holder) && view.recordOf(holder) === recordText(lease))
      );
    });
  }

  async #isReallyDead(holder: string, signal: AbortSignal): Promise<boolean> {
    const { view, client, namespace, name, timeoutMs } = this.#options;
    if (!view.isDead(holder)) return false;
    const seen = view.recordOf(holder);
    try {
      const key = { namespace, name: memberLeaseName(name, holder) };
      const lease = await client.get<Lease>(leases, key, { signal, timeoutMs });
      return recordText(lease) === seen;
    } catch (error) {
      if (isNotFound(error)) return seen === undefined;
      throw error;
    }
  }

  #made(shard: number, namespace: string, name: string, spec: Lease['spec']): Lease {
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: shardLeaseName(name, shard),
        namespace,
        labels: { [GROUP_LABEL]: name, [SHARD_LABEL]: String(shard) },
      },
      spec,
    };
  }
}
