import { describe, expect, it } from '@jest/globals';
import { accepts, generatedOf, guardedFiles, unitTestsOf } from './mutants/generated.ts';

describe('the mutants of a package', () => {
  it('are made in what decides, proves, or holds rights, and in no test', () => {
    const files = guardedFiles('packages/konnector/konnector-sync');
    expect(files).toEqual(
      expect.arrayContaining(
        ['decide', 'decide-deletion', 'ownership', 'deletion-prover', 'binding-policy'].map(
          (name) => `packages/konnector/konnector-sync/src/${name}.ts`,
        ),
      ),
    );
    expect(files.filter((file) => /\.test\.ts|\/(?:act|sync)\.ts$/u.test(file))).toEqual([]);
    expect(guardedFiles('packages/konnector/konnector-sync/src/act.ts')).toEqual([
      'packages/konnector/konnector-sync/src/act.ts',
    ]);
  });

  it('are looked for by its unit tests', () => {
    const tests = unitTestsOf('packages/konnector/konnector-sync/src/decide.ts');
    expect(tests).toContain('packages/konnector/konnector-sync/src/decide.test.ts');
    expect(tests.filter((file) => file.includes('.integration.'))).toEqual([]);
  });

  it('have a switch each, and are accepted by what they change, not by their line', () => {
    const text = 'function may(a: number): number { if (a > 1) return 1; return 2; }';
    const [first, ...others] = generatedOf('f.ts', text);
    const entry = { file: 'f.ts', within: 'may', find: 'a > 1', replace: '!(a > 1)', reason: 'an example' };
    expect(new Set([first, ...others].map((mutant) => mutant?.id)).size).toBe(others.length + 1);
    expect(
      [first, ...others, ...generatedOf('f.ts', `\n\n${text}`)]
        .filter((mutant) => mutant !== undefined && accepts(entry, mutant))
        .map((mutant) => mutant?.line),
    ).toEqual([1, 3]);
  });
});
