import { describe, expect, it } from '@jest/globals';
import { getCondition, removeCondition, setCondition } from './conditions.js';

const now = Date.parse('2026-01-01T00:00:00.123Z');
const ready = { type: 'Ready', status: 'False', reason: 'Because', message: 'of this' } as const;

describe('conditions', () => {
  it('are added with the time, in whole seconds', () => {
    expect(setCondition(undefined, ready, now)).toEqual([{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }]);
  });

  it('that say the same are the same list', () => {
    const once = setCondition(undefined, ready, now);
    expect(setCondition(once, ready, now + 60_000)).toBe(once);
  });

  it('keep their time while the status stays, and take the new one when it changes', () => {
    const once = setCondition(undefined, ready, now);
    const changed = setCondition(once, { ...ready, message: 'of that', observedGeneration: 2 }, now + 60_000);
    expect(changed).toEqual([
      { ...ready, message: 'of that', observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
    expect(
      getCondition(setCondition(changed, { ...ready, status: 'True' }, now + 60_000), 'Ready')?.lastTransitionTime,
    ).toBe('2026-01-01T00:01:00Z');
  });

  it('say 4096 characters at most, whatever a server has answered, and are the same when they are told again', () => {
    const long = { ...ready, message: `${'x'.repeat(4_094)}🙂${'y'.repeat(1_000_000)}` };
    const once = setCondition(undefined, long, now);
    expect(once[0]?.message).toBe(`${'x'.repeat(4_094)}\ufffd…`);
    expect(setCondition(once, long, now + 60_000)).toBe(once);
  });

  it('stay where they are among others, and go', () => {
    const two = setCondition(setCondition(undefined, ready, now), { ...ready, type: 'Valid' }, now);
    expect(setCondition(two, { ...ready, status: 'True' }, now).map(({ type }) => type)).toEqual(['Ready', 'Valid']);
    expect(removeCondition(two, 'Ready').map(({ type }) => type)).toEqual(['Valid']);
    expect(removeCondition(two, 'Gone')).toBe(two);
    expect(removeCondition(undefined, 'Gone')).toEqual([]);
  });
});
