import { describe, expect, it } from '@jest/globals';
import { heartbeatPeriod, msToHeartbeat, pauseAfterHeartbeat } from './heartbeat.js';

const plan = { intervalMs: 300_000, periodMs: 140_000 };
const last = Date.UTC(2026, 0, 1);
const status = { lastHeartbeatTime: '2026-01-01T00:00:00Z' };

describe('heartbeatPeriod', () => {
  it('stays below half the interval, also with the second that is cut off', () => {
    for (const random of [0, 0.5, 0.999999]) {
      const period = heartbeatPeriod(300_000, () => random);
      expect(period).toBeLessThanOrEqual(150_000 - 2_000);
      expect(period).toBeGreaterThan(120_000);
    }
  });
});

describe('msToHeartbeat', () => {
  it.each<[string, Parameters<typeof msToHeartbeat>[0], number, number]>([
    ['never reported', undefined, last, 0],
    ['an unreadable time', { lastHeartbeatTime: 'yesterday' }, last, 0],
    ['just reported', status, last, 140_000],
    ['half way', status, last + 70_000, 70_000],
    ['due', status, last + 140_000, 0],
    ['overdue', status, last + 900_000, 0],
    ['reported in the future', status, last - 1, 0],
  ])('%s', (_, given, nowMs, expected) => {
    expect(msToHeartbeat(given, plan, nowMs)).toBe(expected);
  });

  it.each([
    ['by a konnector whose clock is an hour ahead', last - 3_600_000],
    ['by one whose clock is an hour behind', last + 3_600_000],
  ])('leaves what is written meanwhile %s for half a minute', (_, nowMs) => {
    const after = (ms: number): number =>
      msToHeartbeat(
        status,
        { ...plan, notBeforeMs: pauseAfterHeartbeat(plan, { atMs: 5_000, stays: true }, 5_000 + ms) },
        nowMs,
      );
    expect([after(0), after(10_000), after(30_000), after(60_000)]).toEqual([30_000, 20_000, 0, 0]);
  });

  it('is no sooner than any other where its time did not stay', () => {
    const after = (ms: number): number => pauseAfterHeartbeat(plan, { atMs: 5_000, stays: false }, 5_000 + ms);
    expect([after(0), after(30_000), after(140_000)]).toEqual([140_000, 110_000, 0]);
  });
});
