import { type BackoffOptions, type Clock, type Random, type TimerHandle, backoffDelay } from '@hawser/clock';

/** A cause for which steps of several objects fail, through no fault of these objects. */
export interface Obstacle {
  /** Equal for the same obstacle. */
  readonly id: string;
  /**
   * Checks whether the obstacle is gone. Never rejects. Absent: only a successful step shows that, so one waiting key
   * is tried now and then.
   */
  readonly isGone?: (() => Promise<boolean>) | undefined;
}

/**
 * Groups keys that wait for the same obstacle: a missing right, an endpoint that answers 500. Checks an obstacle once
 * for all its keys, with growing delays. When it is gone, releases the waiting keys at once. Releases a key that fails
 * again soon after with growing delays: a key that fails through its own fault is tried at most twice as often as
 * without this.
 */
export interface Obstacles {
  /** The key's step failed at the obstacle; the key waits. The longest-waiting key goes first. */
  met(key: string, obstacle: Obstacle): void;
  /** A step of the key has succeeded past an obstacle of that id. */
  passed(id: string, key: string): void;
  /** The key waits no longer: all its steps are done, or its object is gone. */
  left(key: string): void;
  close(): void;
}

export interface ObstaclesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Releases keys to be tried now, in this order. */
  readonly release: (keys: readonly string[]) => void;
}

/** Delay between two checks of the same obstacle. */
const LOOKS: BackoffOptions = { initialMs: 1_000, capMs: 30_000 };
/** Delay between two checks of any obstacles: there may be one for each of a thousand namespaces. */
const GAP_MS = 500;
/** The same after a check found one gone: others may be gone too. */
const SHORT_GAP_MS = 50;
/** Delay between two releases of a key that fails again each time. */
const RELEASES: BackoffOptions = { initialMs: 2_000, capMs: 300_000, jitter: 0 };
/** Number of remembered releases from which on expired ones are forgotten. */
const SWEEP_AT = 4_096;

interface Release {
  readonly times: number;
  /** Earliest next check. Monotonic. */
  readonly notBeforeMs: number;
}

interface Known {
  obstacle: Obstacle;
  /** Longest-waiting first. */
  readonly keys: Set<string>;
  looks: number;
  lookAtMs: number;
  /** Earliest release of any key. Monotonic. */
  ripeAtMs: number;
}

export function createObstacles({ clock, random, release }: ObstaclesOptions): Obstacles {
  const obstacles = new Map<string, Known>();
  const waitsFor = new Map<string, Known>();
  const releases = new Map<string, Release>();
  let sweepAt = SWEEP_AT;
  let timer: TimerHandle | undefined;
  let timerAtMs = Infinity;
  let looking = false;
  let closed = false;

  const notBeforeMs = (key: string): number => releases.get(key)?.notBeforeMs ?? 0;
  const leave = (key: string): void => {
    const known = waitsFor.get(key);
    if (known === undefined) return;
    waitsFor.delete(key);
    known.keys.delete(key);
    if (known.keys.size === 0) obstacles.delete(known.obstacle.id);
  };
  const forget = (key: string): void => {
    leave(key);
    releases.delete(key);
  };
  /** `onTrial`: without a sign that it helps. */
  const letGo = (keys: readonly string[], onTrial = false): void => {
    const nowMs = clock.monotonic();
    for (const key of keys) {
      leave(key);
      if (onTrial) continue;
      const times = (releases.get(key)?.times ?? 0) + 1;
      releases.set(key, { times, notBeforeMs: nowMs + backoffDelay(RELEASES, times, random) });
    }
    if (releases.size >= sweepAt) {
      for (const [key, known] of releases) if (known.notBeforeMs < nowMs && !waitsFor.has(key)) releases.delete(key);
      sweepAt = Math.max(SWEEP_AT, 2 * releases.size);
    }
    if (keys.length > 0) release(keys);
  };
  /** Returns the keys that may be released; notes when the first of the others may. */
  const ripe = (known: Known, most: number): readonly string[] => {
    const nowMs = clock.monotonic();
    if (known.ripeAtMs > nowMs) return [];
    const keys: string[] = [];
    let firstMs = Infinity;
    for (const key of known.keys) {
      if (keys.length === most) return keys;
      if (notBeforeMs(key) <= nowMs) keys.push(key);
      else firstMs = Math.min(firstMs, notBeforeMs(key));
    }
    known.ripeAtMs = keys.length === 0 && firstMs !== Infinity ? firstMs : 0;
    return keys;
  };
  const later = (known: Known): void => {
    known.lookAtMs = clock.monotonic() + backoffDelay(LOOKS, ++known.looks, random);
  };
  /** Whether a check found it gone. */
  const lookAt = async (known: Known): Promise<boolean> => {
    const {
      obstacle: { isGone },
      keys,
    } = known;
    later(known);
    if (isGone === undefined) {
      // A single key may fail through its own fault: its own back-off retries it.
      if (keys.size > 1) letGo(ripe(known, 1), true);
      return false;
    }
    if (ripe(known, 1).length === 0) return false;
    if (!(await isGone()) || closed) return false;
    letGo(ripe(known, Infinity));
    // Rights usually return together.
    for (const other of obstacles.values())
      if (other.obstacle.isGone !== undefined && other !== known) other.lookAtMs = clock.monotonic();
    return true;
  };
  const arm = (gapMs = 0): void => {
    if (closed || looking) return;
    let atMs = Infinity;
    for (const known of obstacles.values()) atMs = Math.min(atMs, Math.max(known.lookAtMs, known.ripeAtMs));
    atMs = Math.max(atMs, clock.monotonic() + gapMs);
    // A timer that is too early finds nothing due, and is set again.
    if (atMs >= timerAtMs) return;
    timer?.cancel();
    timerAtMs = atMs;
    timer = clock.setTimeout(() => void look(), Math.max(0, atMs - clock.monotonic()));
  };
  const look = async (): Promise<void> => {
    timerAtMs = Infinity;
    const nowMs = clock.monotonic();
    const due = [...obstacles.values()]
      .filter(({ lookAtMs, ripeAtMs }) => Math.max(lookAtMs, ripeAtMs) <= nowMs)
      .sort((a, b) => a.lookAtMs - b.lookAtMs)[0];
    looking = true;
    let wasGone = false;
    try {
      if (due !== undefined) wasGone = await lookAt(due);
    } finally {
      looking = false;
    }
    arm(wasGone ? SHORT_GAP_MS : GAP_MS);
  };

  return {
    met(key, obstacle) {
      if (closed) return;
      leave(key);
      const known = obstacles.get(obstacle.id) ?? {
        obstacle,
        keys: new Set<string>(),
        looks: 0,
        lookAtMs: 0,
        ripeAtMs: 0,
      };
      if (known.looks === 0) later(known);
      known.obstacle = obstacle;
      known.keys.add(key);
      known.ripeAtMs = Math.min(known.ripeAtMs, notBeforeMs(key));
      obstacles.set(obstacle.id, known);
      waitsFor.set(key, known);
      arm();
    },
    passed(id, key) {
      const known = obstacles.get(id);
      if (waitsFor.get(key) === known && known !== undefined) forget(key);
      if (known !== undefined && known.keys.size > 0) letGo(ripe(known, Infinity));
    },
    left: forget,
    close() {
      closed = true;
      timer?.cancel();
      obstacles.clear();
      waitsFor.clear();
      releases.clear();
    },
  };
}
