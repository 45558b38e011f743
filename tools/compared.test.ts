import { describe, expect, it } from '@jest/globals';
import { comparisons } from './compared/comparisons.ts';
import type { Entry } from './compared/entry.ts';
import { comparedProblems, roughEdges } from './compared/problems.ts';
import { simulatedMutants } from './mutants/sources.ts';
import { root } from './workspace.ts';

const entry = (shownBy: Entry['shownBy']): readonly Entry[] => [
  { entry: 'R0', kind: 'hangs', go: 'g', ours: 'o', shownBy },
];

describe('the tables of what the Go programs do otherwise', () => {
  it.each(comparisons)('have a test for each entry: $program', ({ entries }) => {
    expect(comparedProblems(entries, root, simulatedMutants)).toEqual([]);
  });

  it.each<[string, Entry['shownBy'], string]>([
    [
      'a test that is not there',
      { kind: 'test', file: 'tools/compared.test.ts', title: 'is missing' },
      'has no test "is missing"',
    ],
    [
      'a test without its mutant',
      {
        kind: 'roughEdge',
        file: 'packages/konnector/konnector-sync/src/rough-edges.test.ts',
        titles: [
          'takes a field off the copy that the consumer has removed, also one that was there from the beginning',
        ],
        mutant: 'other',
      },
      'has no roughEdge',
    ],
    ['a mutant that nobody finds', { kind: 'simulated', mutant: 'missing' }, 'finds no "missing"'],
  ])('misses %s', (_, shownBy, words) => {
    expect(comparedProblems(entry(shownBy), root, simulatedMutants)).toEqual([expect.stringContaining(words)]);
  });

  it('reads entry, title and mutant', () => {
    expect(
      roughEdges("roughEdge('R1', 'a', () => {}); roughEdge('R2', 'b', () => {}, 'c'); it('d', () => {});"),
    ).toEqual([
      { entry: 'R1', title: 'a', mutant: 'R1' },
      { entry: 'R2', title: 'b', mutant: 'c' },
    ]);
  });
});
