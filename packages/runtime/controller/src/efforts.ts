import { type BackoffOptions, type Clock, type Random, backoffDelay } from '@hawser/clock';

/**
 * Spaces out steps that the API server accepts and that still have to be repeated: they have no effect, or something
 * undoes them. The wait grows up to 5 min. A step that was not needed for a while counts as new.
 */
export interface Efforts {
  /** Records that the step was taken. */
  done(id: string): void;
  /** Repetitions in a row once they exceed the free ones; 0 otherwise. */
  times(id: string): number;
  /** Milliseconds until it may be taken again; 0: now. */
  waits(id: string): number;
  /** Milliseconds until the step counts as the first again, unless it is taken before; 0: it does now. */
  forgottenIn(id: string): number;
  /** Allows one more try of all steps, or of the `concerned` ones. Keeps their counts. */
  retryAll(concerned?: (id: string) => boolean): void;
}

/** Repetitions without a wait: a stale cache makes two steps of one. */
const FREE = 3;
const BACKOFF: BackoffOptions = { initialMs: 1_000, capMs: 300_000, jitter: 0.2 };
/** A step needed again this long after its wait is a new one. */
const CALM_MS = 30_000;
/** Steps per generation; a generation is forgotten when the next one is full. */
const GENERATION = 8_192;
const GENERATION_MS = 120_000;

interface Effort {
  readonly times: number;
  readonly atMs: number;
  readonly delayMs: number;
  readonly notBeforeMs: number;
}

/** Creates the {@link Efforts} of one controller; they need no disposal. */
export function createEfforts(clock: Clock, random: Random): Efforts {
  let young = new Map<string, Effort>();
  let old = new Map<string, Effort>();
  let turnedAtMs = clock.monotonic();

  const isOver = ({ atMs, delayMs }: Effort, nowMs: number): boolean => nowMs - atMs > 2 * delayMs + CALM_MS;
  const get = (id: string): Effort | undefined => {
    const effort = young.get(id) ?? old.get(id);
    return effort === undefined || isOver(effort, clock.monotonic()) ? undefined : effort;
  };
  const turn = (nowMs: number): void => {
    if (young.size < GENERATION && nowMs - turnedAtMs < GENERATION_MS) return;
    const kept = [...old].filter(([id, effort]) => effort.times >= FREE && !young.has(id) && !isOver(effort, nowMs));
    old = young;
    young = new Map(kept);
    turnedAtMs = nowMs;
  };

  return {
    done(id) {
      const nowMs = clock.monotonic();
      const times = (get(id)?.times ?? 0) + 1;
      turn(nowMs);
      const delayMs = times < FREE ? 0 : backoffDelay(BACKOFF, times - FREE + 1, random);
      young.set(id, { times, atMs: nowMs, delayMs, notBeforeMs: nowMs + delayMs });
    },
    times(id) {
      const times = get(id)?.times ?? 0;
      return times < FREE ? 0 : times;
    },
    waits: (id) => Math.max(0, (get(id)?.notBeforeMs ?? 0) - clock.monotonic()),
    forgottenIn(id) {
      const effort = get(id);
      return effort === undefined ? 0 : effort.atMs + 2 * effort.delayMs + CALM_MS - clock.monotonic();
    },
    retryAll(concerned = () => true) {
      const nowMs = clock.monotonic();
      for (const generation of [young, old])
        for (const [id, effort] of generation)
          if (effort.notBeforeMs > nowMs && concerned(id)) generation.set(id, { ...effort, notBeforeMs: nowMs });
    },
  };
}
