import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { statusPatch } from '@hawser/client';
import { applyMergePatch } from '@hawser/json';
import type { Condition } from './kinds/condition.js';
import { isBefore, type NewCondition, setCondition } from './conditions/condition-list.js';
import { applyConditionPatch, diffConditions } from './conditions/condition-patch.js';
import { setSummary } from './conditions/summary.js';
import { formatDuration, parseDuration } from './duration.js';
import { formatTime, parseTime } from './time.js';

const change: fc.Arbitrary<NewCondition> = fc.record({
  type: fc.constantFrom('Ready', 'A', 'B', 'a', 'é', '\u{1f600}'),
  status: fc.constantFrom('True', 'False', 'Unknown'),
  severity: fc.constantFrom('', 'Error', 'Warning', 'Info'),
  reason: fc.constantFrom('', 'R', 'S'),
  message: fc.constantFrom('', 'm'),
});
const changes = fc.array(change, { maxLength: 8 });
const build = (list: readonly NewCondition[], start = 0): readonly Condition[] =>
  list.reduce<readonly Condition[]>(
    (conditions, next, index) => setCondition(conditions, next, start + index * 1000),
    [],
  );

describe('conditions', () => {
  it('are sorted, and one of a type, whatever was set', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const result = setSummary(build(list), 99_000);
        expect(new Set(result.map(({ type }) => type)).size).toBe(result.length);
        for (let index = 1; index < result.length; index++)
          expect(isBefore(result[index - 1]!, result[index]!)).toBe(true);
      }),
    );
  });

  it('setting the same again, or summing up again, changes nothing', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const once = setSummary(build(list), 50_000);
        expect(setSummary(once, 99_000)).toBe(once);
        for (const condition of once) expect(setCondition(once, condition, 99_000)).toBe(once);
      }),
    );
  });

  it('a patch leads from one list to the other, and is empty between equal ones', () => {
    fc.assert(
      fc.property(changes, changes, (one, two) => {
        const before = build(one);
        const after = build(two, 100_000);
        const states = (list: readonly Condition[]): object[] =>
          list.map((condition) => ({ ...condition, lastTransitionTime: undefined }));
        expect(states(applyConditionPatch(before, diffConditions(before, after), 200_000))).toEqual(states(after));
        expect(diffConditions(after, after)).toEqual([]);
      }),
    );
  });
});

describe('statusPatch', () => {
  const status = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 4,
    noNullPrototype: true,
  });

  it('applied to the one status, gives one that needs no patch to the other', () => {
    fc.assert(
      fc.property(status, status, (before, after) => {
        const patch = statusPatch(before, after);
        const result = patch === undefined ? before : applyMergePatch(before, patch);
        expect(statusPatch(result as object, after)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('is nothing from a status to itself', () => {
    fc.assert(
      fc.property(status, (one) => {
        expect(statusPatch(one, structuredClone(one))).toBeUndefined();
      }),
    );
  });
});

describe('times and durations', () => {
  it('come back from their text', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 3);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        expect(parseTime(formatTime(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });
});
