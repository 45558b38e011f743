import { type BackoffOptions, type Clock, type Random, backoffDelay } from '@hawser/clock';

/** Steps that an API server took. One that has to be taken again and again has no effect, or something undoes it: it waits ever longer, up to 5 min. What was not taken for a while counts as new. */
export interface Efforts {
  /** The step was taken. */
  done(id: string): void;
  /** How often it was taken in a row, if so often that this gets nowhere; 0 otherwise. */
  times(id: string): number;
  /** In how many milliseconds it may be taken again; 0: now. */
  waits(id: string): number;
  /** So many milliseconds from now it counts as the first again, unless it is taken before; 0: it does. */
  forgottenIn(id: string): number;
  /** Lets all be taken once more, or those that are `concerned`, and counts on. */
  retryAll(concerned?: (id: string) => boolean): void;
}

/** So often a step is taken at once: caches that lag behind make two of one. */
const FREE = 3;
const BACKOFF: BackoffOptions = { initialMs: 1_000, capMs: 300_000, jitter: 0.2 };
/** A step that is wanted again so long after its wait is a new one. */
const CALM_MS = 30_000;
/** Steps of one generation; those of the one before are forgotten with it. */
const GENERATION = 8_192;
const GENERATION_MS = 120_000;

interface Effort {
  readonly times: number;
  readonly atMs: number;
  readonly delayMs: number;
  readonly notBeforeMs: number;
}

/** {@link Efforts} of one controller; nothing has to be disposed of. */
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
