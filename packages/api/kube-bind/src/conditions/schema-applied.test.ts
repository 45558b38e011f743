import { describe, expect, it } from '@jest/globals';
import { setCondition } from './condition-list.js';
import { type SchemaAnswer, readSchemaApplied, schemaAppliedCondition } from './schema-applied.js';
import { setSummary } from './summary.js';

const hash = 'a1'.repeat(32);
const now = Date.UTC(2026, 0, 2);

describe('the answer to a schema', () => {
  it.each<SchemaAnswer>([
    { kind: 'applied', hash },
    {
      kind: 'refused',
      hash,
      reason: 'CustomResourceDefinitionUpdateFailed',
      message: 'CustomResourceDefinition a could not be updated:\nno.',
    },
  ])('is read back as it was written: $kind', (answer) => {
    const conditions = setCondition([], schemaAppliedCondition(answer), now);
    expect(readSchemaApplied(conditions)).toEqual(answer);
    expect(setCondition(conditions, schemaAppliedCondition(answer), now + 60_000)).toBe(conditions);
  });

  it('counts in no summary', () => {
    const refused = schemaAppliedCondition({ kind: 'refused', hash, reason: 'No', message: 'no' });
    const conditions = setSummary(
      setCondition([{ type: 'Established', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }], refused, now),
      now,
    );
    expect(conditions[0]).toMatchObject({ type: 'Ready', status: 'True' });
  });

  it.each([
    [undefined],
    [{ type: 'SchemaApplied', status: 'True' as const, reason: 'Applied' }],
    [{ type: 'SchemaApplied', status: 'True' as const }],
    [{ type: 'SchemaApplied', status: 'False' as const, reason: 'No', message: 'Schema abc: no' }],
    [{ type: 'SchemaApplied', status: 'Unknown' as const, reason: hash, message: `Schema ${hash}: no` }],
  ])('is none where nobody of ours has given one: %j', (condition) => {
    expect(readSchemaApplied(setCondition([], condition, now))).toBeUndefined();
  });
});
