import { describe, expect, it } from '@jest/globals';
import { conditionFalse, conditionTrue, setCondition, setConditions } from './conditions.js';

const first = Date.UTC(2026, 0, 1);
const later = first + 60_000;

describe('setCondition', () => {
  const ready = setCondition(undefined, conditionTrue('Ready', 'AsExpected'), 1, first);

  it('keeps the order in which types came', () => {
    const both = setCondition(ready, conditionTrue('Connected', 'AsExpected'), 1, later);
    expect(both.map(({ type }) => type)).toEqual(['Ready', 'Connected']);
    expect(setCondition(both, conditionFalse('Ready', 'Pending', 'wait'), 1, later).map(({ type }) => type)).toEqual([
      'Ready',
      'Connected',
    ]);
  });

  it.each([
    ['keeps the time while only the words change', conditionTrue('Ready', 'AsExpected', 'so'), '2026-01-01T00:00:00Z'],
    ['moves the time with the status', conditionFalse('Ready', 'Pending', 'so'), '2026-01-01T00:01:00Z'],
  ])('%s', (_, condition, lastTransitionTime) => {
    expect(setCondition(ready, condition, 2, later)).toEqual([
      { ...condition, lastTransitionTime, observedGeneration: 2 },
    ]);
  });

  it('gives back the same list where nothing changes', () => {
    expect(setConditions(ready, [conditionTrue('Ready', 'AsExpected')], 1, later)).toBe(ready);
  });

  it('cuts what no API server takes', () => {
    const [cut] = setCondition(undefined, conditionFalse('Ready', 'Pending', 'x'.repeat(40_000)), 1, first);
    expect(cut?.message).toHaveLength(32_768);
    expect(cut?.message.endsWith('x…')).toBe(true);
  });
});
