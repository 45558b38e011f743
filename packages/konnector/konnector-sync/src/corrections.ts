import { type Path, samePath } from './difference.js';
import { correctionDelayMs } from './correction-backoff.js';

/** A copy was put back. */
export interface Correction {
  readonly at: number;
  readonly paths: readonly Path[];
}

/** Somebody else writes the same fields again and again. */
export interface Contest {
  readonly wantedHash: string;
  readonly paths: readonly Path[];
  /** The other field managers; undefined: to be looked up. */
  readonly writers?: readonly string[] | undefined;
  /** Nothing is put back before this time. */
  readonly until: number;
  /** How long that is from the last correction on. */
  readonly forMs: number;
}

/** What is remembered of a copy that had to be put back to the same content. */
export interface Corrections {
  /** How often of late. */
  readonly corrections?: number | undefined;
  /** The copy keeps drifting from the same wanted content: do not correct it before this time. */
  readonly correctNotBefore?: number | undefined;
  /** The latest of them, oldest first. */
  readonly corrected?: readonly Correction[] | undefined;
  readonly contest?: Contest | undefined;
}

export const noCorrections: Corrections = {
  corrections: 0,
  correctNotBefore: undefined,
  corrected: undefined,
  contest: undefined,
};

const DEFAULT_CONTESTED_AFTER = 5;
const WINDOW_MS = 60_000;
/** How long a contested copy is left as it is, the first time. Twice as long each further time. */
const FIRST_PARK_MS = 300_000;
const PARK_CAP_MS = 3_600_000;

/** The same after one more correction of these paths: the next ones are spaced further and further, and a contest goes on for longer. */
export function correctedAgain(
  { corrections = 0, corrected = [], contest }: Corrections,
  paths: readonly Path[],
  now: number,
): Corrections {
  const times = corrections + 1;
  return {
    corrections: times,
    correctNotBefore: now + correctionDelayMs(times),
    corrected: [...recent(corrected, now), { at: now, paths }],
    contest: contest === undefined ? undefined : prolonged(contest, now),
  };
}

/** The fight over fields that are wrong now, if it is not time to try again: one that is known, or one that has begun, as the same field was put back `after` times within a minute (default 5). */
export function contestOf(
  { corrected = [], contest }: Corrections,
  wrong: readonly Path[],
  wantedHash: string,
  now: number,
  after = DEFAULT_CONTESTED_AFTER,
): Contest | undefined {
  const found = contest?.wantedHash === wantedHash ? contest : begins(wrong, wantedHash, corrected, now, after);
  return found === undefined || now >= found.until ? undefined : found;
}

function begins(
  wrong: readonly Path[],
  wantedHash: string,
  corrected: readonly Correction[],
  now: number,
  after: number,
): Contest | undefined {
  const latest = recent(corrected, now);
  const contested = wrong.filter(
    (path) => latest.filter(({ paths }) => paths.some((other) => samePath(path, other))).length >= after,
  );
  return contested.length === 0
    ? undefined
    : { wantedHash, paths: contested, until: now + FIRST_PARK_MS, forMs: FIRST_PARK_MS };
}

function prolonged(contest: Contest, now: number): Contest {
  const forMs = Math.min(PARK_CAP_MS, contest.forMs * 2);
  return { ...contest, writers: undefined, until: now + forMs, forMs };
}

/** The last corrections that can still tell something. */
function recent(corrected: readonly Correction[], now: number): readonly Correction[] {
  return corrected.filter(({ at }) => at > now - WINDOW_MS);
}
