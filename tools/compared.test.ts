import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { defects } from '../packages/testing/simulation/src/planted.ts';
import { comparisons } from './compared/comparisons.ts';
import type { Entry } from './compared/entry.ts';
import { comparedProblems, roughEdges } from './compared/problems.ts';
import { root } from './workspace.ts';

const entry = (shownBy: Entry['shownBy']): readonly Entry[] => [{ entry: 'R0', kind: 'hangs', go: 'g', ours: 'o', shownBy }];

describe('the tables of what the Go programs do otherwise', () => {
  it.each(comparisons)('have a test for each entry: $program', ({ entries }) => { expect(comparedProblems(entries, root, defects)).toEqual([]); });

  it.each<[string, Entry['shownBy'], string]>([
    ['a test that is not there', { kind: 'test', file: 'tools/compared.test.ts', title: 'is missing' }, 'has no test "is missing"'],
    ['a test without its switch', { kind: 'roughEdge', file: 'tools/compared.test.ts', titles: ['sees a switch'], planted: 'other' }, 'has no roughEdge'],
    ['a switch that nobody knows', { kind: 'simulated', planted: 'missing' }, 'knows no "missing"'],
  ])('misses %s', (_, shownBy, words) => { expect(comparedProblems(entry(shownBy), root, defects)).toEqual([expect.stringContaining(words)]); });

  it('reads entry, title and switch', () => {
    expect(roughEdges("roughEdge('R1', 'a', () => {}); roughEdge('R2', 'b', () => {}, 'c'); it('d', () => {});")).toEqual([{ entry: 'R1', title: 'a', planted: 'R1' }, { entry: 'R2', title: 'b', planted: 'c' }]);
  });
});

roughEdge('R0', 'sees a switch', () => { expect(globalThis.hawserPlanted?.has('R0')).not.toBe(true); });
