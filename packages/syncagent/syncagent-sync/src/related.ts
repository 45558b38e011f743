import { isApiError, messageOf } from '@hawser/client';

import { withoutRoom } from './decide-related.js';
import { type PairRecord, recordId } from './pair-record.js';
import { FormerReferences } from './related-former.js';
import { RelatedReads } from './related-observe.js';
import { RelatedPairs } from './related-pair-run.js';
import { type RelatedPair, type RelatedPlan, planRelated, recordOf } from './related-pairs.js';
import type { Look, RelatedOptions, RelatedOutcome, RelatedRun } from './related-run.js';
import { RelatedTally } from './related-tally.js';
import { NotReady } from './related-unknown.js';
import { collision, noRoomProblem, unresolvedProblem } from './related-words.js';

export interface Related {
  run(run: RelatedRun): Promise<RelatedOutcome>;
  /** A primary's records count until it is looked at, which a pause may delay. */
  expect(key: string, records: readonly PairRecord[]): void;
  /** The primary is gone. */
  forget(key: string): void;
  /** Sends again what a server did not store as sent, or had no field for. */
  forgetRefusals(): void;
  /** False until all primaries were looked at: before that, the users of an object are unknown. */
  readonly surveyed: boolean;
}

export function createRelated(options: RelatedOptions): Related {
  return new RelatedSync(options);
}

/**
 * Brings the related objects of a primary in step: resolves its references, compares them with the records, and works
 * on one after the other.
 */
class RelatedSync implements Related {
  readonly #options: RelatedOptions;
  readonly #reads: RelatedReads;
  readonly #pairs: RelatedPairs;
  readonly #formers: FormerReferences;

  constructor(options: RelatedOptions) {
    this.#options = options;
    this.#reads = new RelatedReads(options);
    this.#pairs = new RelatedPairs(options, this.#reads);
    this.#formers = new FormerReferences(options, this.#reads);
  }

  get surveyed(): boolean {
    return this.#options.surveyed();
  }

  expect(key: string, records: readonly PairRecord[]): void {
    this.#options.uses.expect(key, records);
  }

  forget(key: string): void {
    this.#options.uses.forget(key);
    this.#formers.forget(key);
    this.#pairs.forget(key);
  }

  forgetRefusals(): void {
    this.#pairs.forgetRefusals();
  }

  async run(context: RelatedRun): Promise<RelatedOutcome> {
    const { key, draft } = context;
    const tally = new RelatedTally();
    const found = await this.#resolve(context, tally);
    const look = await this.#look(context, found);
    tally.pending ||= this.#formers.has(key);
    const plan = planRelated(found, new Set(tally.unresolved.keys()), [...look.known.values()]);
    const stale = await this.#confirmed(context, this.#clearable(context, plan, tally), tally);
    this.#giveUp(context, plan, stale);
    // Earlier objects go first: another may need their place.
    for (const record of stale)
      tally.take(
        record,
        look.known.get(recordId(record)),
        await this.#pairs.cleanUp(look, record, plan.current, tally.looked),
      );
    await this.#syncAll(look, plan, tally);
    for (const { record } of plan.collisions) tally.problem(record, collision);
    const { records } = tally;
    this.#options.uses.set(key, records, tally.waiting);
    // A Go agent's records are rewritten only with the next change: taking over costs no write.
    const differs = tally.hasNew || !sameRecords(records, draft.records);
    if (differs && (draft.changed() !== undefined || draft.records.length > 0)) draft.record(records);
    return tally.outcome();
  }

  /** Resolves the present references of the primary. */
  async #resolve(context: RelatedRun, tally: RelatedTally): Promise<readonly RelatedPair[]> {
    const found: RelatedPair[] = [];
    if (context.primary === undefined) return found;
    for (const rule of this.#options.rules) {
      try {
        const resolved = await rule.resolve(context.primary, this.#reads.readersFor(rule, context, tally.looked));
        found.push(...resolved.map((pair, index) => ({ rule, resolved: pair, record: recordOf(rule, pair), index })));
      } catch (error) {
        if (context.signal.aborted) throw error;
        tally.pending ||= error instanceof NotReady;
        tally.unresolved.set(rule.identifier, error instanceof NotReady ? undefined : unresolvedProblem(rule, error));
        // No event reports when a server answers again. A deletion goes on after its own time limit.
        if (isApiError(error) && !context.deleting) tally.failed(error);
      }
    }
    return found;
  }

  /** The objects synced before. */
  async #look(context: RelatedRun, found: readonly RelatedPair[]): Promise<Look> {
    const { key, draft } = context;
    const { uses } = this.#options;
    if (context.former !== undefined) this.#formers.expect(key, context.former);
    // A Go agent's record names no destination: it counts for present references, unless these have changed.
    const remembersDestinations = draft.records.length > 0 || uses.of(key).length > 0 || this.#formers.has(key);
    const former = await this.#formers.records(context, new Set(found.map(({ record }) => recordId(record))));
    const before = [...draft.records, ...former.records, ...uses.of(key)];
    return {
      context,
      known: new Map(before.map((record) => [recordId(record), record])),
      isRemembered: (record) => (remembersDestinations ? former.remembered.has(recordId(record)) : true),
    };
  }

  /** Records to clean up. The other earlier ones stay. */
  #clearable(
    { primary, deleting, overdue }: RelatedRun,
    plan: RelatedPlan,
    tally: RelatedTally,
  ): readonly PairRecord[] {
    if (primary === undefined && !deleting) {
      tally.keep(plan.stale);
      return [];
    }
    // Objects that their entry no longer finds go with their primary, after its wait for them.
    if (deleting && overdue === true) return [...plan.stale, ...plan.kept];
    tally.keep(plan.kept);
    return plan.stale;
  }

  /**
   * Of records to clean up, those that the primary, read live, does not reference any more. Of a cached primary that
   * kcp does not have, all stay: its event brings it back.
   */
  async #confirmed(
    { isStored }: RelatedRun,
    stale: readonly PairRecord[],
    tally: RelatedTally,
  ): Promise<readonly PairRecord[]> {
    if (stale.length === 0 || isStored === undefined) return stale;
    try {
      if (await isStored()) return stale;
      tally.pending = true;
    } catch (error) {
      tally.failed(error instanceof Error ? error : new Error(messageOf(error)));
    }
    tally.keep(stale);
    return [];
  }

  /** Before any wait. Objects being deleted in the workspace go without their primary. */
  #giveUp({ key, deleting }: RelatedRun, { current }: RelatedPlan, stale: readonly PairRecord[]): void {
    const going = current.filter(
      ({ resolved }) => deleting || resolved.origin.object.metadata.deletionTimestamp !== undefined,
    );
    this.#options.uses.giveUp(key, [...stale, ...going.map(({ record }) => record)]);
  }

  async #syncAll(look: Look, { current }: RelatedPlan, tally: RelatedTally): Promise<void> {
    const { deleting, draft } = look.context;
    const homeless = deleting
      ? new Set<PairRecord>()
      : withoutRoom(
          current.map(({ record }) => record),
          [...look.known.values()],
        );
    for (const pair of current) {
      if (homeless.has(pair.record)) {
        tally.problem(pair.record, noRoomProblem(draft.secretName));
        continue;
      }
      const result = await this.#pairs.sync(look, pair, tally.looked);
      tally.take(pair.record, look.known.get(recordId(pair.record)), result);
      if (result.kept && pair.rule.origin === 'service') tally.addPlaced(pair);
    }
  }
}

function sameRecords(a: readonly PairRecord[], b: readonly PairRecord[]): boolean {
  const ids = (records: readonly PairRecord[]): string => records.map(recordId).sort().join('\n');
  return ids(a) === ids(b);
}
