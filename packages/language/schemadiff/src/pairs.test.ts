import { describe, expect, it } from '@jest/globals';
import { type CustomResourceDefinition, formatFieldError, validateCustomResourceDefinition } from '@hawser/schema';
import { classification, compareDefinitions, definitionOf, explainChange, severities } from './index.js';
import { pairs, reversedPairs, type Spec } from './testing/pairs.js';

const all = pairs();
const crd = (spec: Spec): CustomResourceDefinition => ({
  metadata: { name: `${spec.names.plural}.${spec.group}` },
  spec,
  status: { storedVersions: [] },
});

describe('two versions of a CRD', () => {
  it('are compared in more than 150 pairs, no two of them alike', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    expect(new Set(all.map(({ before, after }) => JSON.stringify([before, after]))).size).toBe(all.length);
  });

  it.each(all.map((pair) => [pair.title, pair] as const))('%s', (_title, { before, after, expected }) => {
    const { severity, changes } = compareDefinitions(definitionOf(before), definitionOf(after));
    expect(changes.map(({ kind }) => kind).toSorted()).toEqual(expected.toSorted());
    const worst = expected.reduce((most, kind) => Math.max(most, severities.indexOf(classification[kind].severity)), 0);
    expect(severity).toBe(severities[worst]);
    for (const change of changes)
      expect(explainChange(change)).toEqual({
        reason: expect.stringMatching(/\.$/u) as unknown,
        remedy: expect.stringMatching(/\.$/u) as unknown,
      });
    // A pair of nonsense would prove nothing.
    for (const spec of [before, after])
      expect(
        validateCustomResourceDefinition(crd(spec))
          .map(formatFieldError)
          .filter((text) => !text.includes('storedVersions')),
      ).toEqual([]);
  });

  it('are judged alike if they are the same', () => {
    for (const { before, after } of all)
      for (const spec of [before, after])
        expect(compareDefinitions(definitionOf(spec), definitionOf(structuredClone(spec))).changes).toEqual([]);
  });

  it('are found to differ the other way round too, wherever they differ', () => {
    for (const [at, { title, before, after }] of reversedPairs().entries()) {
      const found = compareDefinitions(definitionOf(before), definitionOf(after)).changes.length > 0;
      expect([title, found]).toEqual([title, (all[at]?.expected.length ?? 0) > 0]);
    }
  });

  it('meet every kind of change that is classified, one way or the other', () => {
    const met = new Set(
      [...all, ...reversedPairs()].flatMap(({ before, after }) =>
        compareDefinitions(definitionOf(before), definitionOf(after)).changes.map(({ kind }) => kind),
      ),
    );
    expect(Object.keys(classification).filter((kind) => !met.has(kind as keyof typeof classification))).toEqual(
      [
        'conversion-webhook-changed',
        'version-served',
        'unserved-version-removed',
        'version-undeprecated',
        'scale-changed',
        'unique-added',
        'unique-removed',
      ].filter((kind) => !met.has(kind as keyof typeof classification)),
    );
  });
});
