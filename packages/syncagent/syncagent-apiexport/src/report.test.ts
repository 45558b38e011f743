import { describe, expect, it } from '@jest/globals';

import type { Contribution } from './contribution.js';
import type { Outcome } from './decide.js';
import { type Report, conditionOf, everywhere, withRefusals } from './report.js';

const contribution = (uid: string): Contribution => ({
  uid,
  name: uid,
  schema: `v1.${uid}.example.com`,
  claims: [],
  relatedClaims: [],
});
const [a, b, c] = ['a', 'b', 'c'].map(contribution) as [Contribution, Contribution, Contribution];
const twice: Outcome = { kind: 'problem', reason: 'ResourcePublishedTwice', message: 'It is published twice.' };

describe('reports', () => {
  it('say what was decided, and first of all what was refused', () => {
    const outcomes = new Map<string, Outcome>([
      ['a', { kind: 'exported' }],
      ['b', twice],
    ]);
    const reports = withRefusals({ outcomes }, [a, b, c], ({ uid }) => (uid === 'a' ? 'kcp says no.' : undefined));
    expect([...reports]).toEqual([
      ['a', { kind: 'failed', reason: 'APIExportRefused', message: 'kcp says no.' }],
      ['b', twice],
    ]);
  });

  it('say the same everywhere', () => {
    expect([...everywhere([a, b], twice).values()]).toEqual([twice, twice]);
  });
});

it.each<[Report, string | undefined]>([
  [{ kind: 'exported' }, 'True Exported'],
  [{ kind: 'pending' }, undefined],
  [twice, 'False ResourcePublishedTwice'],
  [{ kind: 'failed', reason: 'APIExportNotFound', message: 'It is not there.' }, 'False APIExportNotFound'],
])('makes of %j the condition %s', (report, expected) => {
  const condition = conditionOf(report);
  expect(condition === undefined ? undefined : `${condition.status} ${condition.reason}`).toBe(expected);
});
