import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../kinds/condition.js';
import {
  applyConditionPatch,
  ConditionConflictError,
  type ConditionOperation,
  diffConditions,
} from './condition-patch.js';

const now = Date.UTC(2026, 0, 2);
const time = '2026-01-01T00:00:00Z';
const yes: Condition = { type: 'foo', status: 'True', lastTransitionTime: time };
const no: Condition = { type: 'foo', status: 'False', severity: 'Info', lastTransitionTime: time, reason: 'r' };
const worse: Condition = { ...no, severity: 'Error' };

describe('diffConditions', () => {
  it.each<[string, Condition[] | undefined, Condition[] | undefined, ConditionOperation[]]>([
    ['nothing', undefined, undefined, []],
    ['equal', [yes], [{ ...yes }], []],
    ['added', [], [yes], [{ kind: 'add', after: yes }]],
    ['changed', [yes], [no], [{ kind: 'change', before: yes, after: no }]],
    [
      'another time',
      [yes],
      [{ ...yes, lastTransitionTime: '2026-01-03T00:00:00Z' }],
      [{ kind: 'change', before: yes, after: { ...yes, lastTransitionTime: '2026-01-03T00:00:00Z' } }],
    ],
    ['removed', [yes], [], [{ kind: 'remove', before: yes }]],
  ])('%s', (_title, before, after, expected) => {
    expect(diffConditions(before, after)).toEqual(expected);
  });
});

describe('applyConditionPatch', () => {
  const add: ConditionOperation = { kind: 'add', after: yes };
  const change: ConditionOperation = { kind: 'change', before: yes, after: no };
  const remove: ConditionOperation = { kind: 'remove', before: yes };

  it.each<[string, Condition[], ConditionOperation[], string[]]>([
    ['no operation', [yes], [], ['True']],
    ['add a new one', [], [add], ['True']],
    ['add one that is there already', [yes], [add], ['True']],
    ['remove one that is gone', [], [remove], []],
    ['remove one that is there', [yes], [remove], []],
    ['change as expected', [yes], [change], ['False']],
    ['change that was made already', [no], [change], ['False']],
  ])('%s', (_title, latest, operations, expected) => {
    expect(applyConditionPatch(latest, operations, now).map(({ status }) => status)).toEqual(expected);
  });

  it.each<[string, Condition[], ConditionOperation, string[]]>([
    ['add over another state', [no], add, ['True']],
    ['remove one that changed', [no], remove, []],
    ['change one that changed otherwise', [worse], change, ['False']],
    ['change one that is gone', [], change, ['False']],
  ])('%s: a conflict, unless it is owned', (_title, latest, operation, expected) => {
    expect(() => applyConditionPatch(latest, [operation], now)).toThrow(ConditionConflictError);
    expect(applyConditionPatch(latest, [operation], now, { owned: ['foo'] }).map(({ status }) => status)).toEqual(
      expected,
    );
    expect(applyConditionPatch(latest, [operation], now, { force: true }).map(({ status }) => status)).toEqual(
      expected,
    );
  });

  it('names the type in conflict', () => {
    expect(() => applyConditionPatch([no], [add], now)).toThrow(
      expect.objectContaining({ code: 'ConditionConflict', conditionType: 'foo' }),
    );
  });

  it('does not move times of conditions that it adds', () => {
    expect(applyConditionPatch([], diffConditions([], [yes]), now)).toEqual([yes]);
  });
});
