import { expect, it } from '@jest/globals';
import type { Sharing } from './sharing.js';
import { withRightsOutcome } from './rights-outcome.js';

const now = Date.parse('2026-05-01T00:00:00Z');
const databases = { group: 'example.com', resource: 'databases' };
const zones = { group: 'example.com', resource: 'zones' };
const conditionsFor = (sharing: readonly Sharing[], status = {}): unknown =>
  withRightsOutcome(status, { refusals: [], sharing }, now).conditions?.map(
    ({ type, status: is, reason, message, severity = '' }) => ({ type, is, reason, message, severity }),
  );

it('what is shared is told without a severity, and is not told any more when it ends', () => {
  const seen: Sharing = { kind: 'sight', resource: zones };
  expect(conditionsFor([seen])).toEqual([
    {
      type: 'ObjectsShared',
      is: 'True',
      reason: 'ObjectsVisible',
      message: expect.stringContaining('zones.example.com'),
      severity: '',
    },
  ]);
  expect(conditionsFor([seen, { kind: 'names', resource: databases }])).toEqual([
    {
      type: 'ObjectsShared',
      is: 'True',
      reason: 'NamesShared',
      message: expect.stringMatching(/zones.*databases/u),
      severity: '',
    },
  ]);
  const before = withRightsOutcome({}, { refusals: [], sharing: [seen] }, now);
  expect(withRightsOutcome(before, { refusals: [], sharing: [seen] }, now + 1_000)).toEqual(before);
  expect(conditionsFor([], before)).toEqual([]);
});

it('nothing is written where nothing is shared and nothing was refused', () => {
  expect(withRightsOutcome({}, { refusals: [], sharing: [] }, now)).toEqual({});
  expect(withRightsOutcome(undefined, { refusals: [], sharing: [] }, now)).toEqual({});
});
