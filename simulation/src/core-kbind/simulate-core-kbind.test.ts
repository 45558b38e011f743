import { describe, expect, it } from '@jest/globals';
import { drawSettings } from '../settings.js';
import { simulate } from '../simulate.js';
import { drawKbindPlan } from './plan.js';

const size = { seed: 3, hours: 0.1, objects: 9, dialect: 'core.kbind.io' } as const;

describe('a run in core.kbind.io', () => {
  it('holds, and is the same twice, event by event', async () => {
    const [first, second] = [await simulate(size), await simulate(size)];
    expect(first.violations).toEqual([]);
    expect(first.settings.dialect).toBe('core.kbind.io');
    expect(first.requests).toBeGreaterThan(500);
    expect(second.digest).toBe(first.digest);
  }, 120_000);

  it('is the recorded one where it is told its schedule and settings', async () => {
    const schedule = {
      actions: [],
      faults: [],
      kbindActions: [{ at: 60_000, kind: 'create', object: 0 }],
    } as const;
    const { seed, objects } = size;
    const result = await simulate({ seed, objects, hours: 0.05, schedule, settings: drawSettings(size) });
    expect(result.violations).toEqual([]);
    expect(result.schedule).toBe(schedule);
  }, 60_000);

  it('draws what is over when the run is', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { faults, actions } = drawKbindPlan({ seed, endMs: 600_000, objects: 9, webhooks: true, routes: true });
      for (const one of [...faults, ...actions])
        expect(one.at + ('forMs' in one ? one.forMs : 0)).toBeLessThanOrEqual(600_000);
    }
  });
});
