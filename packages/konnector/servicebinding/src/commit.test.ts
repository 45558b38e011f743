import { type APIServiceBindingStatus, falseCondition, trueCondition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { nextStatus } from './commit.js';

const nowMs = Date.UTC(2026, 0, 2);
const at = (day: number): { lastTransitionTime: string } => ({ lastTransitionTime: `2026-01-0${day}T00:00:00Z` });
const connected = { set: [trueCondition('Connected'), trueCondition('SchemaInSync')], remove: [] };

describe('nextStatus', () => {
  it('keeps conditions and fields of others, and sums up', () => {
    const before: APIServiceBindingStatus = {
      conditions: [{ type: 'Heartbeating', status: 'False', severity: 'Warning', reason: 'X', ...at(1) }],
      providerPrettyName: 'P',
    };
    expect(nextStatus(before, {}, connected, nowMs)).toEqual({
      providerPrettyName: 'P',
      conditions: [
        { type: 'Ready', status: 'False', severity: 'Warning', reason: 'X', ...at(2) },
        { type: 'Connected', status: 'True', ...at(2) },
        { type: 'Heartbeating', status: 'False', severity: 'Warning', reason: 'X', ...at(1) },
        { type: 'SchemaInSync', status: 'True', ...at(2) },
      ],
    });
  });

  it('does not move the time of a condition that stays', () => {
    const wanted = { set: [falseCondition('Connected', 'ForeignCustomResourceDefinition', 'Error', 'no')], remove: [] };
    const once = nextStatus({}, {}, wanted, Date.UTC(2026, 0, 1));
    expect(nextStatus(once, {}, wanted, nowMs)).toEqual(once);
  });

  it('takes back what it can no longer say', () => {
    const before = nextStatus({}, {}, connected, nowMs);
    expect(
      nextStatus(before, {}, { set: [], remove: ['SchemaInSync'] }, nowMs).conditions?.map(({ type }) => type),
    ).toEqual(['Ready', 'Connected']);
  });

  it('leaves no empty lists and names', () => {
    const before = { boundSchemas: [{ group: 'g', resource: 'r' }], permissionClaims: [], providerPrettyName: 'P' };
    expect(
      nextStatus(
        before,
        { boundSchemas: [], permissionClaims: [], providerPrettyName: '' },
        { set: [], remove: [] },
        nowMs,
      ),
    ).toEqual({ conditions: [] });
  });
});
