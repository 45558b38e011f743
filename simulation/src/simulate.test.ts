import { describe, expect, it } from '@jest/globals';
import { drawSettings } from './settings.js';
import { simulate } from './simulate.js';

const size = { seed: 3, hours: 0.05, objects: 4, dialect: 'kube-bind.io' } as const;
const quiet = { actions: [{ at: 60_000, kind: 'create', object: 0 }], faults: [] } as const;

describe('a run', () => {
  it('is the same twice, event by event', async () => {
    const [first, second] = [await simulate(size), await simulate(size)];
    expect(first.violations).toEqual([]);
    expect(second.digest).toBe(first.digest);
    expect(second.requests).toBe(first.requests);
  });

  it('is the recorded one where it is told its schedule and settings, and says what is a watch', async () => {
    const settings = drawSettings(size);
    const whole = await simulate({
      ...size,
      schedule: quiet,
      settings: { ...settings, pageSize: 500 },
      keepTrace: 100_000,
    });
    const inPages = await simulate({ ...size, schedule: quiet, settings: { ...settings, pageSize: 1 } });
    expect(whole.schedule).toBe(quiet);
    expect(inPages.requests).toBeGreaterThan(whole.requests);
    const lines = whole.trace.filter((line) => line.includes('/apiservicebindings '));
    expect(lines.some((line) => / WATCH \/apis\//u.test(line))).toBe(true);
    expect(lines.some((line) => / GET \/apis\//u.test(line))).toBe(true);
  });
});
