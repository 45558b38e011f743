import { expect, it } from '@jest/globals';

import { heldSchemaOf } from './held-schema.js';

const status = (message: string, reason = 'BreakingSchemaChange', value: 'True' | 'False' = 'True') => ({
  status: {
    conditions: [
      { type: 'SchemaUpdateHeld', status: value, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});
const CRD = 'databases.example.com';

it('finds what the export holds of a resource, and begins with it', () => {
  expect(
    heldSchemaOf(CRD, status(`queues.example.com: kind is another. ${CRD}: spec.tier is required now.`), undefined),
  ).toEqual({ by: 'provider', reason: 'BreakingSchemaChange', message: `${CRD}: spec.tier is required now.` });
});

it.each([
  [
    'what is said of it',
    `CustomResourceDefinition queues.example.com stays as it is (SchemaUpdatesOff): Never. CustomResourceDefinition ${CRD} stays as it is (BreakingSchemaChange): spec.tier.`,
    `CustomResourceDefinition ${CRD} stays as it is (BreakingSchemaChange): spec.tier.`,
  ],
  [
    'its name alone, where many wait',
    `CustomResourceDefinition a.example.com stays as it is (X): y. 2 more are held: b.example.com (X), ${CRD} (X).`,
    `${CRD} (X).`,
  ],
])('finds what the binding holds of a resource: %s', (_, message, found) => {
  expect(heldSchemaOf(CRD, {}, status(message))).toMatchObject({ by: 'binding', message: found });
});

it.each([
  ['nothing is said', undefined],
  ['the condition is over', status(`${CRD}: spec.tier`, 'X', 'False')],
  ['another resource is held', status('queues.example.com: spec.tier')],
  ['another resource is held whose name ends like this one', status(`my${CRD}: spec.tier`)],
])('finds nothing where %s', (_, apiExport) => {
  expect(heldSchemaOf(CRD, apiExport, undefined)).toBeUndefined();
});
