import { type BackoffOptions, type Clock, type Random, type TimerHandle, backoffDelay } from '@hawser/clock';

/** What the steps of several objects fail at, for no fault of these objects. */
export interface Obstacle {
  /** The same text for the same obstacle. */
  readonly id: string;
  /** Whether it is out of the way, where that can be asked. Never rejects. Absent: only a step that gets past it shows that, so one of several that wait is tried now and then. */
  readonly isGone?: (() => Promise<boolean>) | undefined;
}

/**
 * Keys that wait for the same thing: a right that is missing, an endpoint that answers 500. As long as keys wait for an obstacle it is looked at, once for all of them, ever less often. When it is out of
 * the way, what waited for it is released at once. A key that fails again soon after that is released ever less often: what fails through its own fault is tried twice as often as without this, and no more.
 */
export interface Obstacles {
  /** The key's step has failed at it, and waits. The longest-waiting key goes first. */
  met(key: string, obstacle: Obstacle): void;
  /** A step of the key has got past an obstacle of that id. */
  passed(id: string, key: string): void;
  /** The key waits for nothing any more: all its steps are done, or its object is gone. */
  left(key: string): void;
  close(): void;
}

export interface ObstaclesOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The keys are to be tried now, the first of them first. */
  readonly release: (keys: readonly string[]) => void;
}

/** Between two looks at the same obstacle. */
const LOOKS: BackoffOptions = { initialMs: 1_000, capMs: 30_000 };
/** Between two looks at whatever obstacles: there may be one for each of a thousand namespaces. */
const GAP_MS = 500;
/** The same after one was found to be gone: others may be, too. */
const SHORT_GAP_MS = 50;
/** Between two releases of a key that fails again each time. */
const RELEASES: BackoffOptions = { initialMs: 2_000, capMs: 300_000, jitter: 0 };
/** So many releases are remembered before those are forgotten whose time is over. */
const SWEEP_AT = 4_096;

interface Release {
  readonly times: number;
  /** Not again before that. Monotonic. */
  readonly notBeforeMs: number;
}

interface Known {
  obstacle: Obstacle;
  /** The longest-waiting first. */
  readonly keys: Set<string>;
  looks: number;
  lookAtMs: number;
  /** None of its keys may be released before that. Monotonic. */
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
  /** `onTrial`: nothing shows that it helps. */
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
  /** Those that may be released; of the others it is noted when the first may. */
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
  /** Whether it was found to be gone. */
  const lookAt = async (known: Known): Promise<boolean> => {
    const {
      obstacle: { isGone },
      keys,
    } = known;
    later(known);
    if (isGone === undefined) {
      // One alone may be at fault itself: its own back-off does.
      if (keys.size > 1) letGo(ripe(known, 1), true);
      return false;
    }
    if (ripe(known, 1).length === 0) return false;
    if (!(await isGone()) || closed) return false;
    letGo(ripe(known, Infinity));
    // Rights come back together.
    for (const other of obstacles.values())
      if (other.obstacle.isGone !== undefined && other !== known) other.lookAtMs = clock.monotonic();
    return true;
  };
  const arm = (gapMs = 0): void => {
    if (closed || looking) return;
    let atMs = Infinity;
    for (const known of obstacles.values()) atMs = Math.min(atMs, Math.max(known.lookAtMs, known.ripeAtMs));
    atMs = Math.max(atMs, clock.monotonic() + gapMs);
    // A timer that is set too early finds nothing due, and is set again.
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
