import { type KnownDifference, isKnown } from './known-differences.js';
import type { Replayed } from './replay.js';

export interface Verdict {
  /** Differences without an entry, one line each. */
  readonly unexplained: readonly string[];
  /** Entries without a difference. */
  readonly gone: readonly string[];
  /** For people: how much was compared, and the known differences. */
  readonly report: string;
}

/** Compares actual differences with known ones. */
export function judge(replayed: readonly Replayed[], known: readonly KnownDifference[]): Verdict {
  const unexplained: string[] = [];
  const used = new Map<KnownDifference, number>();
  let same = 0;
  for (const { recorded, differences } of replayed) {
    if (differences.length === 0) same++;
    for (const difference of differences) {
      const entry = isKnown(recorded, difference, known);
      if (entry === undefined)
        unexplained.push(
          `${recorded.chapter}: ${recorded.name}: ${difference.path}: recorded ${difference.recorded}, answered ${difference.actual}`,
        );
      else used.set(entry, (used.get(entry) ?? 0) + 1);
    }
  }
  const lines = [...used].map(
    ([entry, count]) => `known difference, ${count} times: ${nameOf(entry)}: ${entry.reason}`,
  );
  return {
    unexplained,
    gone: known.filter((entry) => !used.has(entry)).map(nameOf),
    report: [`${replayed.length} recorded requests, ${same} answered alike`, ...lines].join('\n'),
  };
}

const nameOf = ({ requests, path }: KnownDifference): string =>
  `${requests?.join(', ') ?? 'any request'}: ${path.source}`;
