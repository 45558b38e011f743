import { describe, expect, it } from '@jest/globals';
import { type Settings, drawSettings } from './settings.js';

describe('the settings of a run', () => {
  it('follow from its seed, length and size', () => {
    const options = { seed: 7, hours: 1, objects: 24 };
    expect(drawSettings(options)).toEqual(drawSettings(options));
    const seen = Array.from({ length: 100 }, (_, seed) => drawSettings({ ...options, seed }));
    expect([...new Set(seen.map(({ isolation }) => isolation))].sort()).toEqual(['Namespaced', 'None', 'Prefixed']);
    expect([...new Set(seen.map(({ pageSize }) => pageSize))].sort((a, b) => a - b)).toEqual([3, 8, 500]);
    expect([...new Set(seen.map(({ bundle }) => bundle))].sort()).toEqual(['Beside', 'None', 'Whole']);
    expect([...new Set(seen.map(({ rollout: [tier = 'none'] }) => tier))].sort()).toEqual([
      'canary',
      'gold',
      'none',
      'rest',
    ]);
    expect(seen.filter(({ webhooks }) => webhooks === true).length).toBeGreaterThan(15);
    for (const kind of ['defaults', 'grows', 'monsters', 'repoints', 'twins'] as const)
      expect(seen.filter((settings) => settings[kind] === true).length).toBeGreaterThan(5);
    const ofKbind = seen.filter(({ dialect }) => dialect === 'core.kbind.io');
    expect(ofKbind.length).toBeGreaterThan(20);
    expect(ofKbind.length).toBeLessThan(45);
    expect(drawSettings({ ...options, dialect: 'kube-bind.io' }).dialect).toBeUndefined();
    expect(seen.filter(({ hostile }) => hostile === true).length).toBeGreaterThan(20);
    expect(seen.filter(({ byHand }) => byHand === true).length).toBeGreaterThan(20);
    expect(seen.filter(({ routes }) => routes === true).length).toBeGreaterThan(30);
    // Most runs have none of what not every consumer has.
    for (const plain of [
      ({ claims }: Settings) => !claims,
      ({ bundle }: Settings) => bundle === 'None',
      ({ rollout }: Settings) => rollout.length === 0,
    ])
      expect(seen.filter(plain).length).toBeGreaterThan(50);
    expect(drawSettings({ ...options, hours: 24 }).lease.durationSeconds).toBeGreaterThan(
      drawSettings(options).lease.durationSeconds,
    );
  });
});
