import type { Clock } from '@hawser/clock';
import type { Lease } from './lease-record.js';
import { holderOf, isRenewed, recordText } from './lease-record.js';
import { SHARDS } from './shard-plan.js';

/** Label on each Lease of a group: the name of the Lease that the group holds together. */
export const GROUP_LABEL = 'hawser.dev/shards-of';
/** Label on the Lease of a shard: its number. Absent on that of a member. */
export const SHARD_LABEL = 'hawser.dev/shard';

interface Sighting {
  /** Record of the member's own Lease; undefined: it has none. */
  readonly record: string | undefined;
  /** Since when, by our own monotonic clock. */
  readonly at: number;
  readonly durationMs: number;
}

/** The state of a group by its Leases: the living members, and the holders of shards. Trusts no other clock. */
export class ShardView {
  readonly #clock: Clock;
  readonly #defaultMs: number;
  readonly #sightings = new Map<string, Sighting>();
  #members = new Map<string, Lease>();
  #shards = new Map<number, Lease>();

  /** `defaultMs`: how long a holder without a Lease of its own counts. */
  constructor(clock: Clock, defaultMs: number) {
    this.#clock = clock;
    this.#defaultMs = defaultMs;
  }

  /** Takes in the current cache. */
  refresh(all: readonly Lease[]): void {
    this.#shards = new Map();
    this.#members = new Map();
    for (const lease of all) {
      const shard = lease.metadata.labels?.[SHARD_LABEL];
      const holder = holderOf(lease);
      if (shard !== undefined) {
        if (isShard(shard)) this.#shards.set(Number(shard), lease);
      } else if (holder !== undefined) this.#members.set(holder, lease);
    }
    const holders = [...this.#shards.values()].flatMap((lease) => holderOf(lease) ?? []);
    const known = new Set([...this.#members.keys(), ...holders]);
    for (const identity of known) this.#see(identity, this.#members.get(identity));
    for (const identity of this.#sightings.keys()) if (!known.has(identity)) this.#sightings.delete(identity);
  }

  shard(shard: number): Lease | undefined {
    return this.#shards.get(shard);
  }

  member(identity: string): Lease | undefined {
    return this.#members.get(identity);
  }

  /** Members that have renewed their Lease lately. */
  get live(): readonly string[] {
    return [...this.#members.keys()].filter((identity) => !this.isDead(identity));
  }

  /**
   * Living members that have begun a term: they have renewed the Lease that they acquired for it. A member that has not
   * may lack a right, and would not serve its shards.
   */
  get sharing(): readonly string[] {
    return this.live.filter((identity) => {
      const lease = this.#members.get(identity);
      return lease !== undefined && isRenewed(lease);
    });
  }

  get dead(): readonly string[] {
    return [...this.#members.keys()].filter((identity) => this.isDead(identity));
  }

  /** Whether a shard names it as its holder, dead or not. */
  isNamed(identity: string): boolean {
    return [...this.#shards.values()].some((lease) => holderOf(lease) === identity);
  }

  /**
   * Whether its Lease has not changed for the duration that it states, or was missing for that long. Only as reliable
   * as the cache is fresh.
   */
  isDead(identity: string): boolean {
    const sighting = this.#sightings.get(identity);
    return sighting !== undefined && this.#clock.monotonic() >= sighting.at + sighting.durationMs;
  }

  /**
   * Milliseconds since its last change; `Infinity`: none at all. A renewing process that asks for itself learns how far
   * the cache may lag behind.
   */
  silentMs(identity: string): number {
    const sighting = this.#sightings.get(identity);
    return sighting === undefined ? Infinity : this.#clock.monotonic() - sighting.at;
  }

  /** The record that {@link isDead} uses; compare it with the live one. */
  recordOf(identity: string): string | undefined {
    return this.#sightings.get(identity)?.record;
  }

  /** Milliseconds until the next silent member counts as dead; `Infinity`: none. */
  get nextDeathMs(): number {
    const now = this.#clock.monotonic();
    return Math.min(
      Infinity,
      ...[...this.#sightings.values()].map(({ at, durationMs }) => at + durationMs - now).filter((left) => left > 0),
    );
  }

  /** Shard → holder, without dead holders. */
  get holders(): ReadonlyMap<number, string> {
    const holders = new Map<number, string>();
    for (const [shard, lease] of this.#shards) {
      const holder = holderOf(lease);
      if (holder !== undefined && !this.isDead(holder)) holders.set(shard, holder);
    }
    return holders;
  }

  #see(identity: string, lease: Lease | undefined): void {
    const record = lease === undefined ? undefined : recordText(lease);
    const before = this.#sightings.get(identity);
    if (before !== undefined && before.record === record) return;
    const seconds = lease?.spec?.leaseDurationSeconds;
    this.#sightings.set(identity, {
      record,
      at: this.#clock.monotonic(),
      durationMs: seconds === undefined || seconds === null ? (before?.durationMs ?? this.#defaultMs) : seconds * 1000,
    });
  }
}

function isShard(text: string): boolean {
  return /^\d{1,2}$/u.test(text) && Number(text) < SHARDS;
}
