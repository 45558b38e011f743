import { messageOf } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import type { Dependency } from './dependencies.js';
import type { PairRecord } from './pair-record.js';
import { type RelatedPair, uniqueRecords } from './related-pairs.js';
import type { PairOutcome, RelatedOutcome } from './related-run.js';
import { inWords } from './related-words.js';

/** Collects the outcomes of one primary's related objects. */
export class RelatedTally {
  /** Work is in progress, or something is not read yet. */
  pending = false;
  readonly looked: Dependency[] = [];
  /** Entries by identifier; undefined: its inputs are not read yet. */
  readonly unresolved = new Map<string, Problem | undefined>();
  readonly #problems: Problem[] = [];
  readonly #placed: RelatedPair[] = [];
  readonly #unreachable: Problem[] = [];
  readonly #kept: PairRecord[] = [];
  readonly #waiting: PairRecord[] = [];
  #hasNew = false;
  #requeueAfterMs: number | undefined;
  #error: Error | undefined;
  #nextAttempt: number | undefined;

  /** The records of the primary from now on. */
  get records(): readonly PairRecord[] {
    return uniqueRecords(this.#kept);
  }

  /** Further references of the primary that could not be looked at. */
  get waiting(): readonly PairRecord[] {
    return this.#waiting;
  }

  /** Whether a copy was just created or adopted. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  keep(records: readonly PairRecord[]): void {
    this.#kept.push(...records);
  }

  problem(record: PairRecord, problem: Problem): void {
    this.#problems.push(inWords(record, problem));
  }

  /** Records a failure to retry with growing delay. */
  failed(error: Error): void {
    this.#error ??= error;
  }

  addPlaced(pair: RelatedPair): void {
    this.#placed.push(pair);
  }

  /** `before`: its earlier record. */
  take(record: PairRecord, before: PairRecord | undefined, result: PairOutcome): void {
    const uid = result.uid ?? before?.uid;
    if (result.kept) this.#kept.push(uid === undefined ? record : { ...record, uid });
    else if (result.waiting === true) this.#waiting.push(record);
    this.#hasNew ||= result.isNew === true;
    this.pending ||= result.pending;
    if (result.problem !== undefined) this.problem(record, result.problem);
    if (result.unreachable !== undefined) this.#unreachable.push(inWords(record, result.unreachable));
    if (result.requeueAfterMs !== undefined)
      this.#requeueAfterMs = Math.min(result.requeueAfterMs, this.#requeueAfterMs ?? Infinity);
    if (this.#error === undefined && result.error !== undefined) this.#nextAttempt = result.nextAttempt;
    this.#error ??=
      result.error instanceof Error || result.error === undefined ? result.error : new Error(messageOf(result.error));
  }

  outcome(): RelatedOutcome {
    return {
      problems: this.#problems,
      placed: this.#placed,
      requeueAfterMs: this.#requeueAfterMs,
      error: this.#error,
      nextAttempt: this.#nextAttempt,
      pending: this.pending,
      looked: this.looked,
      unresolved: [...[...this.unresolved.values()].filter((problem) => problem !== undefined), ...this.#unreachable],
      kept: [...this.unresolved.keys()],
    };
  }
}
