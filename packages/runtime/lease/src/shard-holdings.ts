import type { Logger } from '@hawser/telemetry';
import { LeaseError } from './lease-error.js';
import { holderOf } from './lease-record.js';
import type { ShardLeases } from './shard-leases.js';
import { SHARDS, planShards, shardOf } from './shard-plan.js';
import type { ShardView } from './shard-view.js';
import type { ShardTerm, ShardedWork } from './shards.js';
import type { Term } from './term.js';

export interface ShardHoldingsOptions {
  readonly term: Term;
  readonly identity: string;
  readonly view: ShardView;
  readonly leases: ShardLeases;
  readonly logger: Logger;
  /** Called when shards were taken, released or lost, with their number. */
  readonly moved: (way: 'taken' | 'released', count: number) => void;
}

/**
 * The shards of one term: takes those that the plan assigns to this process. Releases those that it assigns to others,
 * once none of their work is in flight.
 */
export class ShardHoldings implements ShardTerm {
  readonly #options: ShardHoldingsOptions;
  /** Shards taken by a write of this term. */
  readonly #held = new Set<number>();
  /** Held shards whose work is ending; released after that. */
  readonly #leaving = new Set<number>();
  #work: ShardedWork | undefined;
  #releasing = false;

  constructor(options: ShardHoldingsOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.term.signal;
  }

  /** The shards served now, in order. */
  get shards(): readonly number[] {
    return [...this.#held].filter((shard) => !this.#leaving.has(shard)).sort((a, b) => a - b);
  }

  owns(unit: string): boolean {
    const shard = shardOf(unit);
    return this.#held.has(shard) && !this.#leaving.has(shard) && !this.#options.term.ended;
  }

  follow(work: ShardedWork): void {
    this.#work = work;
    void this.#settle();
  }

  /** Follows the view. Call it after each change of the view, and after each failure. */
  async evaluate(): Promise<void> {
    const { term, identity, view } = this.#options;
    for (const shard of this.#held) {
      const lease = view.shard(shard);
      if (lease === undefined || holderOf(lease) !== identity) {
        // Changed by hand, or from a backup: the new holder does not wait for us.
        term.end(new LeaseError('LeaseLost', `the Lease of shard ${shard} is no longer ours`));
        return;
      }
    }
    const { holders } = view;
    const plan = planShards({ members: [...view.sharing, identity], holders });
    const coming: number[] = [];
    for (let shard = 0; shard < SHARDS; shard++) {
      const here = plan.get(shard) === identity;
      if (here && !this.#held.has(shard)) coming.push(shard);
      // Ours only by name: from an earlier term, or by a write whose answer was lost.
      if (!here && holders.get(shard) === identity) this.#leaving.add(shard);
    }
    if (this.#leaving.size > 0) void this.#release();
    await this.#take(coming);
    await this.#bury();
  }

  /**
   * Reads live what the view may miss: a Lease changed by hand while the watch is silent. Call it before {@link
   * evaluate}.
   */
  async catchUp(): Promise<void> {
    const { term, leases, logger } = this.#options;
    const held = [...this.#held];
    try {
      const found = await leases.read(term.signal);
      const lost = held.find((shard) => !found.has(shard));
      if (lost !== undefined) term.end(new LeaseError('LeaseLost', `the Lease of shard ${lost} is gone`));
    } catch (error) {
      logger.debug('The Leases of the group could not be read', { error });
    }
  }

  async #take(shards: readonly number[]): Promise<void> {
    const { term, leases, logger, moved } = this.#options;
    const taken = await Promise.all(
      shards.map(async (shard) => {
        try {
          if ((await leases.take(shard, term.signal)) !== 'taken' || term.ended) return 0;
          this.#held.add(shard);
          return 1;
        } catch (error) {
          logger.debug('A shard could not be taken', { shard, error });
          return 0;
        }
      }),
    );
    const count = taken.reduce<number>((sum, one) => sum + one, 0);
    if (count === 0) return;
    moved('taken', count);
    logger.info('Shards were taken.', { taken: count, shards: this.shards.length });
    void this.#settle();
  }

  /** Read anew each time: the term may end during an await. */
  #isOver(): boolean {
    return this.#options.term.ended;
  }

  /** One release at a time; the next round releases shards that began to leave meanwhile. */
  async #release(): Promise<void> {
    const { logger, moved } = this.#options;
    if (this.#releasing) return;
    this.#releasing = true;
    try {
      while (this.#leaving.size > 0 && !this.#isOver()) {
        const going = [...this.#leaving];
        if (!(await this.#settle()) || this.#isOver()) return;
        const gone = await Promise.all(going.map((shard) => this.#letGo(shard)));
        const count = gone.filter((isGone) => isGone).length;
        if (count > 0) moved('released', count);
        logger.info('Shards were released to other processes.', { released: count, shards: this.shards.length });
        if (count < going.length) return;
      }
    } finally {
      this.#releasing = false;
    }
  }

  /**
   * Counts as released from the start: the answer may reach the cache first. Without an answer it stays ours by name,
   * and is tried again.
   */
  async #letGo(shard: number): Promise<boolean> {
    this.#held.delete(shard);
    try {
      await this.#options.leases.release(shard);
    } catch (error) {
      this.#options.logger.warn('A shard could not be released; it is tried again', { shard, error });
      return false;
    }
    this.#leaving.delete(shard);
    return true;
  }

  /** Whether no work of unowned units is in flight. */
  async #settle(): Promise<boolean> {
    try {
      await this.#work?.settle();
      return true;
    } catch (error) {
      this.#options.logger.error('Work of shards that move did not end', { error });
      return false;
    }
  }

  /** One member of the group does it. */
  async #bury(): Promise<void> {
    const { identity, view, leases, logger } = this.#options;
    if ([...view.sharing].sort()[0] !== identity) return;
    for (const dead of view.dead) {
      if (view.isNamed(dead)) continue;
      await leases.bury(dead).catch((error: unknown) => {
        logger.debug('The Lease of a process that is gone could not be removed', { member: dead, error });
      });
    }
  }
}
