import type { UnstructuredObject } from '@hawser/client';

import { decideFormer } from './decide-related.js';
import { hasFinalizer } from './finalizer.js';
import { type PairRecord, recordId } from './pair-record.js';
import type { RelatedReads } from './related-observe.js';
import { recordOf } from './related-pairs.js';
import { ownerOfRelated } from './related-ports.js';
import type { RelatedOptions, RelatedRun } from './related-run.js';
import { NotReady } from './related-unknown.js';
import { leftOfFormer } from './related-words.js';
import type { PrimaryPair, ResolvedPair } from './rules.js';

/** Our earlier references of a primary; `remembered`: ids of all records that are remembered of it. */
export interface FormerRecords {
  readonly records: readonly PairRecord[];
  readonly remembered: ReadonlySet<string>;
}

/**
 * Finds the references of primaries at the time of a Go agent's last push: it remembers the synced objects, but not
 * their destinations.
 */
export class FormerReferences {
  readonly #options: RelatedOptions;
  readonly #reads: RelatedReads;
  /** Earlier states of primaries, until their references are known. */
  readonly #formers = new Map<string, PrimaryPair>();

  constructor(options: RelatedOptions, reads: RelatedReads) {
    this.#options = options;
    this.#reads = reads;
  }

  expect(key: string, former: PrimaryPair): void {
    this.#formers.set(key, former);
  }

  /** Whether they are still to be found. */
  has(key: string): boolean {
    return this.#formers.has(key);
  }

  forget(key: string): void {
    this.#formers.delete(key);
  }

  /**
   * The references at the last push, by today's rules. With other rules the object there may be foreign: it is left,
   * and reported, unless a present reference (`current`) includes it.
   */
  async records(context: RelatedRun, current: ReadonlySet<string>): Promise<FormerRecords> {
    const { key } = context;
    const former = this.#formers.get(key);
    const records: PairRecord[] = [];
    const remembered = new Set<string>();
    if (former === undefined) return { records, remembered };
    this.#formers.delete(key);
    const left: (() => void)[] = [];
    for (const rule of this.#options.rules) {
      try {
        for (const pair of await rule.resolve(former, this.#reads.readersFor(rule, context, []))) {
          const record = recordOf(rule, pair);
          const last = context.draft.last(ownerOfRelated(context.identity.cluster, record));
          if (last.kind !== 'known') continue;
          remembered.add(recordId(record));
          const copy = await this.#reads.copy(context, record);
          const fate = decideFormer(last, copy, current.has(recordId(record)));
          if (fate === 'ours') records.push(record);
          if (fate === 'leave') left.push(this.#leave(context, record, pair, copy));
        }
      } catch (error) {
        if (context.signal.aborted) throw error;
        // Unresolvable references stay as they are; unread ones will be read.
        if (error instanceof NotReady) this.#formers.set(key, former);
      }
    }
    // Reported once, when everything is known.
    if (!this.#formers.has(key)) for (const report of left) report();
    return { records, remembered };
  }

  #leave(
    { key, identity: { cluster } }: RelatedRun,
    record: PairRecord,
    { origin: { object: source } }: ResolvedPair,
    copy: UnstructuredObject | undefined,
  ): () => void {
    const { origin, cleanup } = record;
    const held = origin === 'kcp' && hasFinalizer(source) ? source : undefined;
    // A copy in the workspace stays anyway, unless it must be cleaned up.
    const staysCopy = copy !== undefined && (origin === 'kcp' || cleanup);
    if (held === undefined && !staysCopy) return () => undefined;
    const problem = leftOfFormer(key, record, { hasCopy: copy !== undefined, staysCopy, held: held !== undefined });
    return () => {
      this.#options.left(cluster, problem, held);
    };
  }
}
