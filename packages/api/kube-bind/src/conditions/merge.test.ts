import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../kinds/condition.js';
import { type Conditions, getCondition } from './condition-list.js';
import {
  groupConditions,
  localizeReason,
  mergeConditions,
  type SourcedCondition,
  stepCounterMessage,
} from './merge.js';
import {
  aggregate,
  mirror,
  setAggregate,
  setBindingSummary,
  setBundleSummary,
  setMirror,
  setSummary,
  summary,
} from './summary.js';

const time = '2026-01-01T00:00:00Z';
const now = Date.UTC(2026, 0, 2);
const nowText = '2026-01-02T00:00:00Z';

const yes = (type: string): Condition => ({ type, status: 'True', lastTransitionTime: time });
const no = (type: string, severity: NonNullable<Condition['severity']> = 'Info'): Condition => ({
  type,
  status: 'False',
  severity,
  lastTransitionTime: time,
  reason: `${type}Reason`,
  message: `${type} message`,
});
const unknown = (type: string): Condition => ({ type, status: 'Unknown', lastTransitionTime: time, reason: 'Dunno' });

const from = (condition: Condition, name = 'test-cluster'): SourcedCondition => ({
  condition,
  source: { kind: 'Foo', name },
});

describe('mergeConditions', () => {
  it('of nothing is nothing', () => {
    expect(mergeConditions([], 'Ready')).toBeUndefined();
    expect(mergeConditions([undefined, undefined], 'Ready')).toBeUndefined();
  });

  it.each<[string, Condition[], string, string | undefined]>([
    [
      'Error beats all',
      [yes('a'), no('i', 'Info'), no('w', 'Warning'), no('e', 'Error'), unknown('u')],
      'False',
      'Error',
    ],
    ['Warning beats Info', [yes('a'), no('i', 'Info'), no('w', 'Warning'), unknown('u')], 'False', 'Warning'],
    ['Info beats True', [yes('a'), no('i', 'Info'), unknown('u')], 'False', 'Info'],
    ['True beats Unknown', [yes('a'), unknown('u')], 'True', undefined],
    ['True beats False without severity', [no('x', ''), yes('a')], 'True', undefined],
    ['Unknown beats False without severity', [no('x', ''), unknown('u')], 'Unknown', undefined],
    ['Unknown alone', [unknown('u')], 'Unknown', undefined],
    ['False without severity alone', [no('x', '')], 'False', ''],
  ])('%s', (_title, conditions, status, severity) => {
    const merged = mergeConditions(
      conditions.map((condition) => from(condition)),
      'Ready',
    );
    expect([merged?.status, merged?.severity]).toEqual([status, severity]);
  });

  it('groups by status and severity in order of priority', () => {
    const groups = groupConditions([
      undefined,
      from(yes('a')),
      from(yes('b')),
      from(no('i')),
      from(no('w1', 'Warning')),
      from(no('w2', 'Warning')),
      from(no('e', 'Error')),
      from(unknown('u')),
    ]);
    expect(groups.map(({ status, severity, members }) => [status, severity, members.length])).toEqual([
      ['False', 'Error', 1],
      ['False', 'Warning', 2],
      ['False', 'Info', 1],
      ['True', '', 2],
      ['Unknown', '', 1],
    ]);
  });

  it('counts the plainly true ones', () => {
    const groups = groupConditions([yes('a'), yes('b'), no('i'), no('e', 'Error')].map((condition) => from(condition)));
    expect(stepCounterMessage(groups, 8)).toBe('2 of 8 completed');
  });

  it.each<[string, Condition[], readonly string[] | undefined, string]>([
    ['without an order the first by type', [no('foo'), no('bar')], undefined, 'barReason'],
    ['the first of the order', [no('foo'), no('bar')], ['foo', 'bar'], 'fooReason'],
    ['types that are not there are skipped', [no('foo'), no('bar')], ['x', 'foo'], 'fooReason'],
    ['none of the order is there', [no('foo'), no('bar')], ['x'], 'barReason'],
    ['the order means nothing for a single condition', [no('foo')], ['x'], 'fooReason'],
  ])('takes reason and message from: %s', (_title, conditions, types, reason) => {
    const merged = mergeConditions(
      conditions.map((condition) => from(condition)),
      'Ready',
      { types },
    );
    expect(merged?.reason).toBe(reason);
    expect(merged?.message).toBe(reason.replace('Reason', ' message'));
  });

  it('orders the same type by the name of its source', () => {
    const merged = mergeConditions([from(no('foo'), 'b'), from({ ...no('foo'), reason: 'First' }, 'a')], 'Ready');
    expect(merged?.reason).toBe('First');
  });

  it('names the source in the reason, once', () => {
    expect(localizeReason('foo', { kind: 'Foo', name: 'test-cluster' })).toBe('foo @ Foo/test-cluster');
    expect(localizeReason('foo @ Foo/test-cluster', { kind: 'Bar', name: 'x' })).toBe('foo @ Foo/test-cluster');
    expect(mergeConditions([from(no('foo'))], 'Ready', { sourceRef: true })?.reason).toBe(
      'fooReason @ Foo/test-cluster',
    );
  });
});

describe('summary', () => {
  const foo = yes('foo');
  const bar = no('bar');
  const baz = no('baz');
  const barState = { type: 'Ready', status: 'False', severity: 'Info', reason: 'barReason', message: 'bar message' };

  it.each<[string, Condition[] | undefined, Parameters<typeof summary>[1], unknown]>([
    ['nothing', undefined, {}, undefined],
    ['one false', [foo, bar], {}, barState],
    ['counter', [foo, bar], { stepCounter: true }, { ...barState, message: '1 of 2 completed' }],
    ['counter off', [foo, bar], { stepCounter: false }, barState],
    [
      'counter if only bar',
      [bar],
      { stepCounter: true, stepCounterIfOnly: ['bar'] },
      { ...barState, message: '0 of 1 completed' },
    ],
    ['counter if only foo, but bar is there', [foo, bar], { stepCounter: true, stepCounterIfOnly: ['foo'] }, barState],
    ['only foo counts', [foo, bar], { types: ['foo'] }, { type: 'Ready', status: 'True' }],
    [
      'foo and bar of three, counter',
      [foo, bar, baz],
      { types: ['foo', 'bar'], stepCounter: true },
      { ...barState, message: '1 of 2 completed' },
    ],
    [
      'types and if-only',
      [bar],
      { types: ['bar', 'baz'], stepCounter: true, stepCounterIfOnly: ['bar'] },
      { ...barState, message: '0 of 1 completed' },
    ],
    [
      'if-only of two',
      [bar],
      { types: ['baz', 'bar'], stepCounter: true, stepCounterIfOnly: ['bar', 'baz'] },
      { ...barState, message: '0 of 2 completed' },
    ],
    [
      'if-only does not hold',
      [bar, baz],
      { types: ['bar', 'baz'], stepCounter: true, stepCounterIfOnly: ['bar'] },
      barState,
    ],
    [
      'the order of types decides',
      [bar, baz],
      { types: ['baz', 'bar'] },
      { ...barState, reason: 'bazReason', message: 'baz message' },
    ],
    ['an old Ready does not count', [no('Ready', 'Error'), foo, bar], {}, barState],
    ['only an old Ready', [no('Ready', 'Error')], {}, undefined],
    [
      'a condition without severity cannot hold Ready back',
      [foo, no('ObjectsInSync', '')],
      {},
      { type: 'Ready', status: 'True' },
    ],
  ])('%s', (_title, conditions, options, expected) => {
    expect(summary(conditions, options)).toEqual(expected);
  });

  it('names the object', () => {
    expect(summary([bar], { sourceRef: { kind: 'Foo', name: 'x' } })?.reason).toBe('barReason @ Foo/x');
  });

  it('is set as Ready, first', () => {
    expect(setSummary([bar, foo], now)).toEqual([{ ...barState, lastTransitionTime: nowText }, bar, foo]);
  });

  it('leaves an old Ready if there is nothing to sum up', () => {
    const list = [yes('Ready')];
    expect(setSummary(list, now)).toBe(list);
  });
});

describe.each([
  ['an APIServiceBinding', setBindingSummary, 'Connected'],
  ['an APIServiceBindingBundle', setBundleSummary, 'Synced'],
] as const)('Ready of %s', (_title, set, last) => {
  const ready = (conditions: Conditions | undefined): object | undefined => getCondition(conditions, 'Ready');

  it('is pending, for those who wait for it, before the last condition is known', () => {
    const early = set([yes('SecretValid')], now);
    expect(ready(early)).toMatchObject({ status: 'False', reason: 'Pending', severity: 'Info' });
    expect(set(early, now + 1000)).toBe(early);
    expect(ready(set([...early, yes(last)], now))).toMatchObject({ status: 'True' });
  });

  it('says at once what is wrong', () => {
    expect(ready(set([no('SecretValid', 'Error')], now))).toMatchObject({
      status: 'False',
      reason: 'SecretValidReason',
    });
    expect(ready(set([], now))).toBeUndefined();
  });
});

describe('mirror', () => {
  it('shows the Ready of another object under another name, time included', () => {
    expect(mirror([yes('Ready'), no('foo')], 'Child')).toEqual(yes('Child'));
    expect(setMirror([], 'Child', [yes('Ready')], now)).toEqual([yes('Child')]);
  });

  it('without Ready shows the fallback, or nothing', () => {
    expect(mirror([no('foo')], 'Child')).toBeUndefined();
    expect(mirror(undefined, 'Child', { status: true })).toEqual({ type: 'Child', status: 'True' });
    expect(mirror(undefined, 'Child', { status: false, reason: 'r', severity: 'Warning', message: 'm' })).toEqual({
      type: 'Child',
      status: 'False',
      severity: 'Warning',
      reason: 'r',
      message: 'm',
    });
  });
});

describe('aggregate', () => {
  const source = (
    name: string,
    conditions?: Condition[],
  ): { kind: string; name: string; conditions: Condition[] | undefined } => ({ kind: 'Foo', name, conditions });

  it('of no sources is nothing', () => {
    expect(aggregate([], 'All')).toBeUndefined();
  });

  const five = [
    source('a', [yes('Ready')]),
    source('b', [yes('Ready'), no('foo')]),
    source('c', [no('Ready')]),
    source('d'),
    source('e', [no('foo')]),
  ];

  it('counts all sources, those without Ready too', () => {
    expect(aggregate(five, 'All')).toEqual({
      type: 'All',
      status: 'False',
      severity: 'Info',
      reason: 'ReadyReason',
      message: '2 of 5 completed',
    });
  });

  it('can show the message instead, and name the source', () => {
    expect(aggregate(five, 'All', { stepCounter: false, sourceRef: true })).toMatchObject({
      reason: 'ReadyReason @ Foo/c',
      message: 'Ready message',
    });
  });

  it('is set', () => {
    expect(setAggregate([], 'All', [source('a', [yes('Ready')])], now)).toEqual([
      { type: 'All', status: 'True', lastTransitionTime: nowText },
    ]);
  });
});
