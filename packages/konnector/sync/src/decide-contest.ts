import type { UnstructuredObject } from '@hawser/client';

import type { Decision } from './decision.js';
import type { Path } from './difference.js';
import { FIELD_MANAGER } from './marks.js';
import type { Contest, Correction, Observed, PairSettings } from './observed.js';
import { held, pathsInWords, progressing } from './verdicts.js';

const DEFAULT_CONTESTED_AFTER = 5;
const WINDOW_MS = 60_000;
/** How long a contested copy is left as it is, the first time. Twice as long each further time. */
const FIRST_PARK_MS = 300_000;
const PARK_CAP_MS = 3_600_000;

/** What to do where two writers fight over fields of a copy: name the other one, then leave the copy as it is. Undefined: there is no fight, or it is time to try again. */
export function decideContest({ memory, now }: Observed, copy: UnstructuredObject, wrong: readonly Path[], wantedHash: string, settings: PairSettings): Decision | undefined {
  const contest = memory.contest?.wantedHash === wantedHash ? memory.contest : begins(wrong, wantedHash, memory.corrected ?? [], now, settings.contestedAfter ?? DEFAULT_CONTESTED_AFTER);
  if (contest === undefined || now >= contest.until) return undefined;
  const { name, namespace } = copy.metadata;
  if (contest.writers === undefined) return { actions: [{ type: 'nameWriters', key: { name, namespace }, contest }], verdict: progressing('write') };
  return { ...held('FieldContested', inWords(contest), 'provider'), requeueAfterMs: contest.until - now };
}

/** The contest as it goes on after one more correction. */
export function prolonged(contest: Contest, now: number): Contest {
  const forMs = Math.min(PARK_CAP_MS, contest.forMs * 2);
  return { ...contest, writers: undefined, until: now + forMs, forMs };
}

/** The last corrections that can still tell something. */
export function recentCorrections(corrected: readonly Correction[], now: number): readonly Correction[] {
  return corrected.filter(({ at }) => at > now - WINDOW_MS);
}

function begins(wrong: readonly Path[], wantedHash: string, corrected: readonly Correction[], now: number, after: number): Contest | undefined {
  const recent = recentCorrections(corrected, now);
  const contested = wrong.filter((path) => recent.filter(({ paths }) => paths.some((other) => samePath(path, other))).length >= after);
  return contested.length === 0 ? undefined : { wantedHash, paths: contested, until: now + FIRST_PARK_MS, forMs: FIRST_PARK_MS };
}

function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

function inWords({ paths, writers = [], forMs }: Contest): string {
  const who = writers.length === 0 ? `another process with the field manager "${FIELD_MANAGER}"` : writers.map((writer) => `"${writer}"`).join(' and ');
  return `On the provider, ${who} writes ${pathsInWords(paths)} as often as it is put back. The copy is left as it is, and tried again after ${Math.round(forMs / 60_000)} min. Agree on one owner, or name the field in the binding's annotation hawser.dev/drift-ignore.`;
}
