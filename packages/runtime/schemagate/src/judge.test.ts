import { describe, expect, it } from '@jest/globals';
import { type SchemaPolicy, judge, parseSchemaPolicy, schemaHash, tighterPolicy } from './index.js';
import { databases } from './testing/databases.js';

const [before, narrower, wider] = [
  databases({ type: 'integer', maximum: 10 }),
  databases({ type: 'integer', maximum: 9 }),
  databases({ type: 'integer' }),
];
const clustered = databases({ type: 'integer', maximum: 10 }, { scope: 'Cluster' });

describe('a changed schema', () => {
  it.each<[SchemaPolicy, string, typeof before, string, string | undefined]>([
    ['Always', 'wider', wider, 'flows', undefined],
    ['Always', 'narrower', narrower, 'flows', undefined],
    ['Always', 'of another scope', clustered, 'refused', 'IncompatibleSchemaChange'],
    ['Safe', 'wider', wider, 'flows', undefined],
    ['Safe', 'narrower', narrower, 'held', 'BreakingSchemaChange'],
    ['Safe', 'of another scope', clustered, 'refused', 'IncompatibleSchemaChange'],
    ['Never', 'wider', wider, 'held', 'SchemaUpdatesOff'],
    ['Never', 'narrower', narrower, 'held', 'SchemaUpdatesOff'],
    ['Never', 'of another scope', clustered, 'refused', 'IncompatibleSchemaChange'],
  ])('under %s, if it is %s', (policy, _title, after, kind, reason) => {
    const verdict = judge({ before, after, policy });
    expect([verdict.kind, verdict.kind === 'flows' ? undefined : verdict.reason]).toEqual([kind, reason]);
  });

  it('flows once it is approved, unless it is another API', () => {
    expect(judge({ before, after: narrower, policy: 'Safe', approved: true }).kind).toBe('flows');
    expect(judge({ before, after: wider, policy: 'Never', approved: true }).kind).toBe('flows');
    expect(judge({ before, after: clustered, policy: 'Always', approved: true }).kind).toBe('refused');
  });
});

describe('a policy', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['  ', undefined],
    ['Always', 'Always'],
    [' always', 'Always'],
    ['NEVER', 'Never'],
    ['Safe', 'Safe'],
    ['saef', 'Safe'],
    ['no', 'Safe'],
  ])('that is written as %j means %s', (text, meant) => {
    expect(parseSchemaPolicy(text)).toBe(meant);
  });

  it('of two, the one that lets less through is tighter', () => {
    expect([
      tighterPolicy('Always', 'Safe'),
      tighterPolicy('Never', 'Safe'),
      tighterPolicy('Always', 'Always'),
    ]).toEqual(['Safe', 'Never', 'Always']);
  });
});

describe('the hash of a schema', () => {
  it('does not depend on the order of keys, nor on what an API server adds', () => {
    const { group, scope, names, versions } = before;
    const added = {
      versions,
      names: { plural: names.plural, listKind: 'DatabaseList', singular: 'database', kind: names.kind },
      scope,
      group,
      conversion: { strategy: 'None' },
    };
    expect(schemaHash(added)).toBe(schemaHash(before));
    expect(schemaHash(before)).toMatch(/^[0-9a-f]{64}$/u);
  });

  it('is another one with every change, even of a description', () => {
    const others = [
      before,
      narrower,
      wider,
      clustered,
      databases({ type: 'integer', maximum: 10, description: 'how many' }),
      { ...before, conversion: { strategy: 'Webhook' } },
      { ...before, names: { ...before.names, singular: 'db' } },
    ];
    expect(new Set(others.map(schemaHash)).size).toBe(others.length);
  });
});
