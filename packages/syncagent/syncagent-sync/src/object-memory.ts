import { type UnstructuredObject, versionOf } from '@hawser/client';
import type { Clock } from '@hawser/clock';

import type { Decision } from './decision.js';
import type { PairMemory } from './observed.js';
import type { PairView } from './pair.js';

/** Longer than a status that somebody else keeps writing is left alone. */
const STATUS_WRITE_MATTERS_MS = 600_000;

interface StatusWrite {
  readonly written: NonNullable<PairMemory['statusWritten']>;
  readonly at: number;
}

/** Both sides of an object, as they were found. */
export interface Stand {
  readonly source: UnstructuredObject | undefined;
  readonly destination: UnstructuredObject | undefined;
  /** Of its workspace, where the rules want that. */
  readonly path: string | undefined;
}

/** What is remembered of published objects from one look to the next, by key, and only while it matters. */
export class ObjectMemory {
  /** Objects whose related ones wait, perhaps until it is known who else uses them. */
  readonly awaitingSurvey = new Set<string>();
  readonly #clock: Clock;
  readonly #memories = new Map<string, PairMemory>();
  /** Who has written copies whose marks do not tell, as live answers have it. */
  readonly #writers = new Map<string, NonNullable<PairMemory['written']>>();
  /** Since when related objects of one that is deleted cannot be found. */
  readonly #unresolvedSince = new Map<string, number>();
  /** Versions of both sides with which an object was last found in step: the echoes of our own writes need not be looked at again. */
  readonly #inStep = new Map<string, string>();
  /** What was last written to workspaces as status, the latest last. */
  readonly #statusWrites = new Map<string, StatusWrite>();
  /** When what failed at the last look is tried again, in milliseconds since the epoch. */
  readonly #retries = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: nothing that matters. */
  of(key: string): PairMemory | undefined {
    return this.#memories.get(key);
  }

  /** As a look begins. What stood in the way may have gone. */
  forView(key: string): PairMemory {
    return {
      ...this.#memories.get(key),
      written: this.#writers.get(key),
      occupant: undefined,
      statusWritten: this.#statusWrites.get(key)?.written,
    };
  }

  keys(): readonly string[] {
    return [this.#memories.keys(), this.#inStep.keys(), this.#unresolvedSince.keys()].flatMap((each) => [...each]);
  }

  /** After a look that failed. */
  interrupted(key: string, memory: PairMemory): void {
    this.#memories.set(key, memory);
    this.#rememberStatusWrite(key, memory);
  }

  /** After a look. `over`: neither side is there, and nothing is left to do. */
  looked(key: string, view: PairView, { verdict }: Decision): 'over' | 'goesOn' {
    const { gone, copyKey, occupied, statusRefused, corrections, deletionSeen, released } = view.memory;
    const { finalizerAdded, finalizerOthers, written, agreement } = view.memory;
    if (written !== undefined) this.#writers.set(key, written);
    this.#rememberStatusWrite(key, view.memory);
    const settledForGood = verdict.kind === 'absent' || verdict.kind === 'inStep' || verdict.kind === 'notSelected';
    if (view.source === undefined && view.destination === undefined && settledForGood) return 'over';
    const isOfNoUse =
      settledForGood && [statusRefused, corrections, deletionSeen, released].every((field) => field === undefined);
    if (isOfNoUse) this.#memories.delete(key);
    else
      this.#memories.set(key, {
        gone,
        copyKey,
        occupied,
        statusRefused,
        corrections,
        deletionSeen,
        released,
        finalizerAdded,
        finalizerOthers,
        agreement: agreement?.kind === 'refused' ? undefined : agreement,
      });
    return 'goesOn';
  }

  forget(key: string): void {
    for (const map of [
      this.#memories,
      this.#inStep,
      this.#writers,
      this.#unresolvedSince,
      this.#statusWrites,
      this.#retries,
    ])
      map.delete(key);
    this.awaitingSurvey.delete(key);
  }

  forgetRefusals(): void {
    for (const [key, memory] of this.#memories)
      this.#memories.set(key, { ...memory, statusRefused: undefined, agreement: undefined });
  }

  settle(key: string, stand: Stand): void {
    this.#inStep.set(key, textOf(stand));
  }

  unsettle(key: string): void {
    this.#inStep.delete(key);
  }

  /** Whether an object was found in step with just these versions. */
  isSettled(key: string, stand: Stand): boolean {
    return this.#inStep.get(key) === textOf(stand);
  }

  unresolvedSince(key: string): number | undefined {
    return this.#unresolvedSince.get(key);
  }

  setUnresolvedSince(key: string, since: number | undefined): void {
    if (since === undefined) this.#unresolvedSince.delete(key);
    else this.#unresolvedSince.set(key, since);
  }

  retriesAt(key: string, nextAttempt: number | undefined): void {
    if (nextAttempt !== undefined) this.#retries.set(key, nextAttempt);
  }

  forgetRetry(key: string): void {
    this.#retries.delete(key);
  }

  retriesInMs(key: string): number | undefined {
    const at = this.#retries.get(key);
    return at === undefined ? undefined : at - this.#clock.now();
  }

  #rememberStatusWrite(key: string, { statusWritten: written }: PairMemory): void {
    if (written === undefined || written === this.#statusWrites.get(key)?.written) return;
    const at = this.#clock.now();
    this.#statusWrites.delete(key);
    for (const [other, { at: then }] of this.#statusWrites) {
      if (at - then < STATUS_WRITE_MATTERS_MS) break;
      this.#statusWrites.delete(other);
    }
    this.#statusWrites.set(key, { written, at });
  }
}

function textOf({ source, destination, path }: Stand): string {
  return `${source === undefined ? '' : versionOf(source)}|${destination === undefined ? '' : versionOf(destination)}|${path ?? ''}`;
}
