import type { Clock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import { ServerTime } from './server-time.js';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

describe('ServerTime', () => {
  const open = (): { readonly time: ServerTime; readonly ours: { wall: number; monotonic: number } } => {
    const ours = { wall: start, monotonic: 5_000 };
    const clock: Clock = { now: () => ours.wall, monotonic: () => ours.monotonic, setTimeout: () => ({ cancel: () => undefined }) };
    return { time: new ServerTime(clock), ours };
  };

  it('is our own time while the server has said nothing', () => {
    const { time, ours } = open();
    time.learn(undefined);
    ours.wall += hour;
    expect(time.now()).toBe(start + hour);
  });

  it('is what the server said and what has passed since, whatever our wall clock does', () => {
    const { time, ours } = open();
    ours.wall += hour;
    time.learn(start);
    ours.wall -= 2 * hour;
    ours.monotonic += 60_000;
    expect(time.now()).toBe(start + 60_000);
    time.learn(start + 90_000);
    expect(time.now()).toBe(start + 90_000);
  });
});
