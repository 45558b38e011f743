import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../kinds/condition.js';
import {
  MAX_MESSAGE_BYTES,
  falseCondition,
  getCondition,
  hasCondition,
  hasSameState,
  isBefore,
  isConditionFalse,
  isConditionTrue,
  isConditionUnknown,
  markFalse,
  markTrue,
  markUnknown,
  removeCondition,
  setCondition,
  trueCondition,
  unknownCondition,
} from './condition-list.js';
import { setSummary } from './summary.js';

const early = '2026-01-01T00:00:00Z';
const now = Date.UTC(2026, 4, 1, 12, 0, 0, 700);
const nowText = '2026-05-01T12:00:00Z';

const yes = (type: string): Condition => ({ type, status: 'True', lastTransitionTime: early });
const no = (type: string, reason = 'why'): Condition => ({
  type,
  status: 'False',
  severity: 'Info',
  lastTransitionTime: early,
  reason,
  message: 'text',
});

describe('looking up', () => {
  const list = [
    yes('true1'),
    { type: 'unknown1', status: 'Unknown', lastTransitionTime: early } as const,
    no('falseInfo1'),
  ];

  it('finds by type', () => {
    expect(getCondition(list, 'true1')).toBe(list[0]);
    expect(hasCondition(list, 'true1')).toBe(true);
    expect(getCondition(list, 'other')).toBeUndefined();
    expect(getCondition(undefined, 'other')).toBeUndefined();
    expect(hasCondition(undefined, 'other')).toBe(false);
  });

  it.each([
    ['true1', [true, false, false]],
    ['falseInfo1', [false, true, false]],
    ['unknown1', [false, false, true]],
    ['missing', [false, false, true]],
  ])('tells what %s is', (type, expected) => {
    expect([isConditionTrue(list, type), isConditionFalse(list, type), isConditionUnknown(list, type)]).toEqual(
      expected,
    );
  });
});

describe('order', () => {
  it.each([
    ['A', 'B', true],
    ['B', 'A', false],
    ['Ready', 'A', true],
    ['A', 'Ready', false],
    ['Ready', 'Ready', false],
    ['B', 'a', true],
  ])('%s before %s: %s', (a, b, expected) => {
    expect(isBefore({ type: a }, { type: b })).toBe(expected);
  });
});

describe('hasSameState', () => {
  const base = no('foo');

  it('does not look at the time', () => {
    expect(hasSameState(base, { ...base, lastTransitionTime: nowText })).toBe(true);
  });

  it.each<[string, Partial<Condition>]>([
    ['type', { type: 'bar' }],
    ['status', { status: 'Unknown' }],
    ['severity', { severity: 'Error' }],
    ['reason', { reason: 'other' }],
    ['message', { message: 'other' }],
  ])('looks at the %s', (_field, change) => {
    expect(hasSameState(base, { ...base, ...change })).toBe(false);
  });

  it('takes an empty field for an absent one', () => {
    expect(hasSameState({ ...yes('a'), severity: '', reason: '', message: '' }, yes('a'))).toBe(true);
  });
});

describe('a long message', () => {
  const storedMessage = (message: string): string | undefined =>
    getCondition(setCondition(undefined, { ...no('a'), message }, now), 'a')?.message;

  it('is cut to 4096 bytes, between two characters', () => {
    const longest = 'x'.repeat(MAX_MESSAGE_BYTES);
    expect(storedMessage(longest)).toBe(longest);
    expect(storedMessage(`${longest}x`)).toBe(`${'x'.repeat(MAX_MESSAGE_BYTES - 3)}…`);
    for (const character of ['ü', '€', '😀']) {
      for (const before of ['', 'a', 'ab', 'abc']) {
        const message = storedMessage(before + character.repeat(2_000_000)) ?? '';
        expect(message).toMatch(new RegExp(`^${before}(?:${character})+…$`, 'u'));
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
        expect(Buffer.byteLength(message)).toBeGreaterThan(MAX_MESSAGE_BYTES - 4);
      }
    }
  });

  it('is no news again', () => {
    const long = { ...no('a'), message: 'x'.repeat(1_000_000) };
    const once = setCondition(undefined, long, now);
    expect(setCondition(once, long, now + 60_000)).toBe(once);
    expect(hasSameState(once[0] ?? yes('a'), long)).toBe(true);
    // One that somebody else wrote is left as it is.
    expect(setCondition([long], long, now)[0]).toBe(long);
  });

  it('is as long in the summary', () => {
    const conditions = setSummary([{ ...no('a'), severity: 'Error', message: 'x'.repeat(1_000_000) }], now);
    expect(getCondition(conditions, 'Ready')?.message).toHaveLength(MAX_MESSAGE_BYTES - 2);
  });
});

describe('setCondition', () => {
  it('adds, without doubling, and sorts with Ready first', () => {
    const one = setCondition(undefined, yes('b'), now);
    const two = setCondition(one, yes('a'), now);
    const three = setCondition(two, yes('a'), now);
    const four = setCondition([yes('b'), yes('a')], yes('Ready'), now);
    expect(two.map(({ type }) => type)).toEqual(['a', 'b']);
    expect(three).toBe(two);
    expect(four.map(({ type }) => type)).toEqual(['Ready', 'a', 'b']);
  });

  it('does nothing without a condition', () => {
    const list = [yes('a')];
    expect(setCondition(list, undefined, now)).toBe(list);
    expect(setCondition(undefined, undefined, now)).toEqual([]);
  });

  it('gives a new condition the time now, in whole seconds', () => {
    expect(setCondition([], trueCondition('a'), now)).toEqual([
      { type: 'a', status: 'True', lastTransitionTime: nowText },
    ]);
    expect(setCondition([], trueCondition('a'), new Date(now))[0]?.lastTransitionTime).toBe(nowText);
  });

  it('keeps the time that a new condition carries', () => {
    expect(setCondition([], yes('a'), now)[0]?.lastTransitionTime).toBe(early);
  });

  it('keeps the entry in the same state, with its time', () => {
    const list = [no('a')];
    expect(setCondition(list, { ...no('a'), lastTransitionTime: '2020-01-01T00:00:00Z' }, now)).toBe(list);
  });

  it('moves the time for another state, whatever time the condition carries; another message is another state', () => {
    const list = setCondition(
      [no('a')],
      { ...no('a'), message: 'other', lastTransitionTime: '2020-01-01T00:00:00Z' },
      now,
    );
    expect(list).toEqual([{ ...no('a'), message: 'other', lastTransitionTime: nowText }]);
  });

  it('leaves the list that it was given alone', () => {
    const list = Object.freeze([Object.freeze(no('b')), Object.freeze(no('a'))]);
    expect(setCondition(list, yes('a'), now).map(({ type, status }) => `${type} ${status}`)).toEqual([
      'a True',
      'b False',
    ]);
    expect(list.map(({ type }) => type)).toEqual(['b', 'a']);
  });

  it('writes the fields in the order of the wire and no empty ones', () => {
    const [condition] = setCondition([], { message: 'm', reason: '', severity: '', status: 'False', type: 'a' }, now);
    expect(Object.keys(condition ?? {})).toEqual(['type', 'status', 'lastTransitionTime', 'message']);
  });
});

describe('constructors and marks', () => {
  it('build the three kinds', () => {
    expect(trueCondition('a')).toEqual({ type: 'a', status: 'True' });
    expect(falseCondition('a', 'r', 'Error', 'm')).toEqual({
      type: 'a',
      status: 'False',
      severity: 'Error',
      reason: 'r',
      message: 'm',
    });
    expect(unknownCondition('a', 'r', 'm')).toEqual({ type: 'a', status: 'Unknown', reason: 'r', message: 'm' });
  });

  it('set them', () => {
    expect(markTrue([], 'a', now)).toEqual([{ type: 'a', status: 'True', lastTransitionTime: nowText }]);
    expect(markFalse([], 'a', 'r', 'Warning', 'm', now)).toEqual([
      { type: 'a', status: 'False', severity: 'Warning', lastTransitionTime: nowText, reason: 'r', message: 'm' },
    ]);
    expect(markUnknown([], 'a', 'r', 'm', now)).toEqual([
      { type: 'a', status: 'Unknown', lastTransitionTime: nowText, reason: 'r', message: 'm' },
    ]);
  });

  it('a mark over a False condition clears what belonged to it', () => {
    expect(markTrue([no('a')], 'a', now)).toEqual([{ type: 'a', status: 'True', lastTransitionTime: nowText }]);
  });

  it('are removed by type', () => {
    const list = [yes('a'), yes('b')];
    expect(removeCondition(list, 'a')).toEqual([yes('b')]);
    expect(removeCondition(list, 'c')).toBe(list);
  });
});
