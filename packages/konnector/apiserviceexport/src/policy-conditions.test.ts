import { expect, it } from '@jest/globals';

import { readBindingPolicy } from '@hawser/konnector-sync';

import { type PolicyFacts, policyConditions, policyEvents } from './policy-conditions.js';

const now = Date.UTC(2026, 0, 2);
const ready = { type: 'Connected', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' };
const facts = (annotations: Record<string, string> = {}, more: Partial<PolicyFacts> = {}): PolicyFacts => ({
  reading: readBindingPolicy({ binding: { annotations } }),
  held: undefined,
  perMinute: 10,
  heldKnown: true,
  ...more,
});
const held = { count: 12, token: '12-0a1b2c3d', examples: ['databases.example.com team-a/one'] };
const conditionsOf = ({ conditions = [] }: ReturnType<typeof policyConditions>): Record<string, unknown> =>
  Object.fromEntries(conditions.map((condition) => [condition.type, condition]));

it('leaves a binding alone of whose policies there is nothing to say', () => {
  const before = { conditions: [ready] };
  expect(policyConditions(before, facts({ 'hawser.dev/drift-policy': 'Ignore' }), now)).toBe(before);
});

it('names an annotation that says nothing known, without keeping Ready from being True, and takes that back', () => {
  const before = { conditions: [ready] };
  const after = policyConditions(before, facts({ 'hawser.dev/drift-policy': 'Sometimes' }), now);
  expect(conditionsOf(after)).toMatchObject({
    PoliciesValid: {
      status: 'False',
      reason: 'UnknownPolicyValue',
      message: expect.stringContaining('hawser.dev/drift-policy has the value "Sometimes"'),
    },
    Ready: { status: 'True' },
  });
  expect(policyEvents(before, after)).toEqual([
    { reason: 'UnknownPolicyValue', message: expect.stringContaining('Sometimes') },
  ]);
  expect(policyEvents(after, after)).toEqual([]);
  expect(Object.keys(conditionsOf(policyConditions(after, facts(), now)))).toEqual(['Ready', 'Connected']);
});

it('says why nothing is written', () => {
  const { Paused } = conditionsOf(
    policyConditions({ conditions: [ready] }, facts({ 'hawser.dev/paused': 'moving house' }), now),
  );
  expect(Paused).toMatchObject({
    status: 'True',
    reason: 'Paused',
    message: expect.stringContaining('"moving house"'),
  });
});

it('says how many deletions are held, and how they are approved', () => {
  const before = { conditions: [ready] };
  const after = policyConditions(before, facts({}, { held }), now);
  expect(conditionsOf(after)['DeletionsHeld']).toMatchObject({
    status: 'True',
    reason: 'TooManyOrphans',
    message: expect.stringMatching(/^12 copies .*\/one and 11 more\..*"hawser\.dev\/approve-deletions: 12-0a1b2c3d"/u),
  });
  expect(policyEvents(before, after)).toEqual([expect.objectContaining({ reason: 'TooManyOrphans' })]);
  const fewer = policyConditions(after, facts({}, { held: { ...held, count: 11, token: '11-00000000' } }), now);
  expect(policyEvents(after, fewer)).toEqual([]);
  // After a restart nobody knows yet.
  expect(policyConditions(fewer, facts({}, { heldKnown: false }), now)).toBe(fewer);
  expect(Object.keys(conditionsOf(policyConditions(fewer, facts(), now)))).toEqual(['Ready', 'Connected']);
});
