import { type Path, samePath } from './difference.js';
import { correctionDelayMs } from './correction-backoff.js';

/** One correction of a copy. */
export interface Correction {
  readonly at: number;
  readonly paths: readonly Path[];
}

/** Another writer changes the same fields again and again. */
export interface Contest {
  readonly wantedHash: string;
  readonly paths: readonly Path[];
  /** The other field managers; undefined: not looked up yet. */
  readonly writers?: readonly string[] | undefined;
  /** No correction before this time. */
  readonly until: number;
  /** That time minus the time of the last correction. */
  readonly forMs: number;
}

/** Memory of a copy that was corrected to the same content. */
export interface Corrections {
  /** Number of recent corrections. */
  readonly corrections?: number | undefined;
  /** The copy keeps drifting from the same wanted content: no correction before this time. */
  readonly correctNotBefore?: number | undefined;
  /** The latest corrections, oldest first. */
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
/** First pause of a contested copy; each further pause is twice as long. */
const FIRST_PARK_MS = 300_000;
const PARK_CAP_MS = 3_600_000;

/**
 * The memory after one more correction of these paths: the next ones are spaced further, and a contest lasts longer.
 */
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

/**
 * The current contest over wrong fields, unless a retry is due: a known one, or a new one because the same field was
 * corrected `after` times within a minute (default 5).
 */
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

/** The recent corrections that still matter. */
function recent(corrected: readonly Correction[], now: number): readonly Correction[] {
  return corrected.filter(({ at }) => at > now - WINDOW_MS);
}
