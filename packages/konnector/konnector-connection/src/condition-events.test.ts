import { type APIServiceBinding, falseCondition, trueCondition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { recordConditions } from './condition-events.js';

const binding = (conditions: NonNullable<APIServiceBinding['status']>['conditions']): APIServiceBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'a', uid: 'u' },
  status: { conditions },
});
const eventsOf = (
  before: NonNullable<APIServiceBinding['status']>['conditions'],
  ...conditions: Parameters<typeof recordConditions>[2]
): string[] => {
  const lines: string[] = [];
  recordConditions(
    {
      record: (about, event) => {
        lines.push(`${about.kind} ${about.name} ${event.type} ${event.reason}: ${event.message}`);
      },
      flush: () => Promise.resolve(),
    },
    binding(before),
    conditions,
  );
  return lines;
};
const no = falseCondition('Connected', 'ForeignCustomResourceDefinition', 'Error', 'x is foreign');
const since = { lastTransitionTime: '2026-01-01T00:00:00Z' };

describe('recordConditions', () => {
  it('tells what has become False', () => {
    expect(eventsOf([], trueCondition('SchemaInSync'), no)).toEqual([
      'APIServiceBinding a Warning ForeignCustomResourceDefinition: x is foreign',
    ]);
  });
  it('tells another cause', () => {
    expect(eventsOf([{ ...no, message: 'y', ...since }], no)).toHaveLength(1);
  });
  it('says nothing twice', () => {
    expect(eventsOf([{ ...no, ...since }], no)).toEqual([]);
  });
});
