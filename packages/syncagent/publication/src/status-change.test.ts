import { describe, expect, it } from '@jest/globals';
import {
  type PublishedResource,
  type PublishedResourceStatus,
  type StatusField,
  setCondition,
} from '@hawser/syncagent-api';
import { type StatusChange, changedStatus, changesStatus } from './status-change.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const ofHawser = new Set<StatusField>(['resourceSchemaName', 'conditions', 'phase', 'lastError', 'observedGeneration']);
const ofGo = new Set<StatusField>(['resourceSchemaName']);
const published = (status?: PublishedResourceStatus): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name: 'a', uid: 'u' },
  spec: { resource: { apiGroup: 'example.com', kind: 'Thing' } },
  ...(status === undefined ? {} : { status }),
});
const exported: StatusChange = (status) => ({
  ...status,
  conditions: setCondition(
    status.conditions,
    { type: 'Exported', status: 'True', reason: 'Exported', message: '' },
    now,
  ),
});
const named: StatusChange = (status) => ({ ...status, resourceSchemaName: 'v1.things.example.com' });
const written = (change: StatusChange, kept: ReadonlySet<StatusField>): PublishedResource =>
  published(changedStatus({}, published(), change, { kept, now }));

describe('the change of a status', () => {
  it.each([
    ['a condition that is missing', published(), exported, ofHawser, true],
    ['a condition that is there', written(exported, ofHawser), exported, ofHawser, false],
    ['a condition that the CRD does not keep', published(), exported, ofGo, false],
    ['a name that the CRD keeps', published(), named, ofGo, true],
    ['a summary that is missing', published({ conditions: exported({}).conditions }), exported, ofHawser, true],
  ])('is to be written: %s', (_, object, change, kept, expected) => {
    expect(changesStatus(object, change, { kept, now: now + 1_000 })).toBe(expected);
  });

  it('takes away what the caller has dropped', () => {
    const before = published({ resourceSchemaName: 'v1.things.example.com' });
    const dropped: StatusChange = (status) => ({ ...status, resourceSchemaName: undefined });
    expect(changesStatus(before, dropped, { kept: ofGo, now })).toBe(true);
    expect(changedStatus(before.status ?? {}, before, dropped, { kept: ofGo, now })).toEqual({});
  });
});
