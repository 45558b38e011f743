import { type UnstructuredObject, versionOf } from '@hawser/client';
import type { Clock } from '@hawser/clock';

import type { Decision } from './decision.js';
import type { PairMemory } from './observed.js';
import type { PairView } from './pair.js';

/** Longer than the pause for a status that another writer keeps changing. */
const STATUS_WRITE_MATTERS_MS = 600_000;

interface StatusWrite {
  readonly written: NonNullable<PairMemory['statusWritten']>;
  readonly at: number;
}

/** Both sides of an object, as last read. */
export interface Stand {
  readonly source: UnstructuredObject | undefined;
  readonly destination: UnstructuredObject | undefined;
  /** Path of its workspace, if the rules need it. */
  readonly path: string | undefined;
}

/** Memory of published objects between looks, by key, and only while it matters. */
export class ObjectMemory {
  /** Objects whose related ones wait, perhaps until all their users are known. */
  readonly awaitingSurvey = new Set<string>();
  readonly #clock: Clock;
  readonly #memories = new Map<string, PairMemory>();
  /** Writers of copies without conclusive marks, from live reads. */
  readonly #writers = new Map<string, NonNullable<PairMemory['written']>>();
  /** Since when related objects of a deleted one are missing. */
  readonly #unresolvedSince = new Map<string, number>();
  /** Versions of both sides when an object was last in step: echoes of our own writes need no look. */
  readonly #inStep = new Map<string, string>();
  /** Last status writes to workspaces, the latest last. */
  readonly #statusWrites = new Map<string, StatusWrite>();
  /** Time of the next try after a failed look, in milliseconds since the epoch. */
  readonly #retries = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: nothing that matters. */
  of(key: string): PairMemory | undefined {
    return this.#memories.get(key);
  }

  /** Memory at the beginning of a look. Earlier obstacles may be gone. */
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

  /** Keeps the memory after a failed look. */
  interrupted(key: string, memory: PairMemory): void {
    this.#memories.set(key, memory);
    this.#rememberStatusWrite(key, memory);
  }

  /** Updates the memory after a look. `over`: neither side exists, and nothing is left to do. */
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

  /** Whether an object was in step with exactly these versions. */
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
