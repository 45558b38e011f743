import type { Clock } from '@hawser/clock';
import type { Lease } from './lease-record.js';
import { holderOf, isRenewed, recordText } from './lease-record.js';
import { SHARDS } from './shard-plan.js';

/** On each Lease of a group: the name of the Lease that the group holds together. */
export const GROUP_LABEL = 'hawser.dev/shards-of';
/** On the Lease of a shard: its number. Absent on that of a member. */
export const SHARD_LABEL = 'hawser.dev/shard';

interface Sighting {
  /** Of the member's own Lease; undefined while it has none. */
  readonly record: string | undefined;
  /** Since when, by our own monotonic clock. */
  readonly at: number;
  readonly durationMs: number;
}

/** What the Leases of a group say: who lives, and who holds what. Nobody else's clock is trusted. */
export class ShardView {
  readonly #clock: Clock;
  readonly #defaultMs: number;
  readonly #sightings = new Map<string, Sighting>();
  #members = new Map<string, Lease>();
  #shards = new Map<number, Lease>();

  /** `defaultMs`: how long a holder counts that has no Lease of its own. */
  constructor(clock: Clock, defaultMs: number) {
    this.#clock = clock;
    this.#defaultMs = defaultMs;
  }

  /** Takes in what the cache has now. */
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

  /** Those that have renewed their Lease lately. */
  get live(): readonly string[] {
    return [...this.#members.keys()].filter((identity) => !this.isDead(identity));
  }

  /**
   * Those that live and have begun a term, which they show by renewing the Lease that they acquired for it. One that has not may lack a right, and would serve nothing
   * of what it is given.
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

  /** Whether a shard has it for its holder, dead or not. */
  isNamed(identity: string): boolean {
    return [...this.#shards.values()].some((lease) => holderOf(lease) === identity);
  }

  /** Whether its Lease has not changed for as long as it says, or was missing for that long. Only as true as the cache is fresh. */
  isDead(identity: string): boolean {
    const sighting = this.#sightings.get(identity);
    return sighting !== undefined && this.#clock.monotonic() >= sighting.at + sighting.durationMs;
  }

  /** For how long it has shown nothing new, in milliseconds; `Infinity`: nothing at all. Of a process that renews, and asks for itself: how far the cache may lie behind. */
  silentMs(identity: string): number {
    const sighting = this.#sightings.get(identity);
    return sighting === undefined ? Infinity : this.#clock.monotonic() - sighting.at;
  }

  /** What {@link isDead} goes by; to be compared with what the API server has. */
  recordOf(identity: string): string | undefined {
    return this.#sightings.get(identity)?.record;
  }

  /** Milliseconds until the next that says nothing counts as dead; `Infinity`: none. */
  get nextDeathMs(): number {
    const now = this.#clock.monotonic();
    return Math.min(
      Infinity,
      ...[...this.#sightings.values()].map(({ at, durationMs }) => at + durationMs - now).filter((left) => left > 0),
    );
  }

  /** By shard, those that have a holder that is not dead. */
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
