import type { Clock, TimerHandle } from '@hawser/clock';

import { CORRECTION_MEMORY_MS } from './correction-backoff.js';
import { correctedAgain, noCorrections } from './corrections.js';
import type { Action, Verdict } from './decision.js';
import type { PairMemory } from './observed.js';

/** Knowledge about pairs beyond the caches, by key. */
export interface PairMemories {
  get(key: string): PairMemory | undefined;
  remember(key: string, change: Partial<PairMemory>): void;
  /** The copy has been written. Repeated corrections of the same content are spaced further and further. */
  wrote(key: string, action: Extract<Action, { type: 'patchCopy' }>): void;
  /** Drops what no longer matters: an object in step needs no memory beyond the caches. */
  settled(key: string, verdict: Verdict): void;
  /** All known keys, among them all copies whose missing consumer object still matters. */
  keys(): readonly string[];
  /** Keys of copies known to be without a consumer object. */
  orphans(): readonly string[];
  close(): void;
}

/** `clock`: its monotonic time is also that of the decisions. */
export function createPairMemories(clock: Clock): PairMemories {
  const memories = new Map<string, PairMemory>();
  let forgetting: TimerHandle | undefined;
  const remember = (key: string, change: Partial<PairMemory>): void => {
    memories.set(key, { ...memories.get(key), ...change });
  };
  const forgetLater = (): void => {
    forgetting ??= clock.setTimeout(() => {
      forgetting = undefined;
      const before = clock.monotonic() - CORRECTION_MEMORY_MS;
      for (const [key, memory] of memories) {
        const { correctNotBefore, contest, patchedAt } = memory;
        if (correctNotBefore === undefined && patchedAt === undefined) continue;
        if (Math.max(correctNotBefore ?? 0, contest?.until ?? 0, patchedAt ?? 0) >= before) forgetLater();
        else if (isOnlyOfWrites(memory)) memories.delete(key);
        else remember(key, { ...noCorrections, patchedAt: undefined });
      }
    }, CORRECTION_MEMORY_MS);
  };
  return {
    get: (key) => memories.get(key),
    remember,
    wrote(key, { correction, wrong }) {
      const patchedAt = clock.monotonic();
      const corrections = correction ? correctedAgain(memories.get(key) ?? {}, wrong, patchedAt) : noCorrections;
      remember(key, { ...corrections, patchedAt });
      forgetLater();
    },
    settled(key, verdict) {
      const memory = memories.get(key);
      if (memory === undefined) return;
      const { corrections = 0, correctNotBefore, corrected, contest, inspection, statusRefused } = memory;
      // A second leading process may replace it: the next write is then a correction, although the copy was in step in
      // between.
      const { patchedAt, lastWrite } = memory.patchedAt === undefined ? {} : memory;
      if (verdict.kind === 'absent' || verdict.kind === 'notSelected') memories.delete(key);
      else if (verdict.kind === 'inStep') {
        if (corrections === 0 && [inspection, statusRefused, patchedAt].every((field) => field === undefined))
          memories.delete(key);
        else
          memories.set(key, {
            corrections,
            correctNotBefore,
            corrected,
            contest,
            inspection,
            statusRefused,
            patchedAt,
            lastWrite,
          });
      } else if (verdict.kind === 'rewritten' || (verdict.kind === 'held' && verdict.reason === 'Drifted'))
        remember(key, { previous: undefined });
    },
    keys: () => [...memories.keys()],
    orphans: () => [...memories].flatMap(([key, { orphanedSince }]) => (orphanedSince === undefined ? [] : [key])),
    close() {
      forgetting?.cancel();
    },
  };
}

/** Whether the memory holds nothing but writes. */
function isOnlyOfWrites(memory: PairMemory): boolean {
  return Object.entries(memory).every(([field, value]) => value === undefined || ofWrites.has(field));
}

const ofWrites: ReadonlySet<string> = new Set<keyof PairMemory>([
  'corrections',
  'correctNotBefore',
  'corrected',
  'contest',
  'patchedAt',
  'lastWrite',
]);
