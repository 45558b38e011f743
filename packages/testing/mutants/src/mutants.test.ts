import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { type Mutant, mutants, withMutants } from './index.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const mutant = (find: string, replace: string, name = 'wrong'): Mutant => ({
  name,
  foundBy: { seed: 'any' },
  edits: [{ file: 'f.ts', find, replace }],
});
const plain = (code: string): string => code.replaceAll(/\s+/gu, ' ').trim();

describe('the list', () => {
  it('names each mutant once', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants.map((one) => [one.name, one] as const))(
    'has a place in the sources for %s, and names who finds it',
    (_, one) => {
      for (const { file } of one.edits) {
        const mutated = withMutants(readFileSync(join(root, file), 'utf8'), file, [one]);
        expect(mutated).toContain(`globalThis.hawserMutant === ${JSON.stringify(one.name)}`);
        expect(
          ts.transpileModule(mutated, { reportDiagnostics: true }).diagnostics?.map(({ messageText }) => messageText),
        ).toEqual([]);
      }
      const { tests = [], seed, coreKbindSeed, agentSeed, regression } = one.foundBy;
      expect(tests.length > 0 || (seed ?? coreKbindSeed ?? agentSeed ?? regression) !== undefined).toBe(true);
      expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    },
  );
});

describe('withMutants', () => {
  it('gives a function one body more', () => {
    expect(plain(withMutants('function f(): number { return 1; }', 'f.ts', [mutant('return 1', 'return 2')]))).toBe(
      'function f(): number { if (globalThis.hawserMutant === "wrong") { return 2; } else { return 1; } }',
    );
  });

  it('finds its place however the source is laid out', () => {
    expect(
      plain(
        withMutants('function f() {\n  return g(\n    1,\n    [2],\n  );\n}', 'f.ts', [
          mutant('return g(1, [2])', 'return 2'),
        ]),
      ),
    ).toBe('function f() { if (globalThis.hawserMutant === "wrong") { return 2; } else { return g( 1, [2], ); } }');
    expect(() => withMutants('function f() { return g(1, 2); }', 'f.ts', [mutant('g(12)', 'g(3)')])).toThrow(
      'is not in f.ts',
    );
  });

  it('takes an expression, too', () => {
    expect(plain(withMutants('const f = (a: number) => a + 1;', 'f.ts', [mutant('a + 1', 'a')]))).toBe(
      'const f = (a: number) => (globalThis.hawserMutant === "wrong" ? ( a ) : ( a + 1 ));',
    );
  });

  it('keeps mutants apart that change one function, or a function in a function', () => {
    const code = withMutants('function f() { const g = () => { return 1; }; return g() + 1; }', 'f.ts', [
      mutant('return 1;', 'return 2;', 'a'),
      mutant('g() + 1', 'g() + 3', 'b'),
      mutant('g() + 1', 'g() + 4', 'c'),
    ]);
    const run = (name: string | undefined): unknown => runInNewContext(`${code}; f()`, { hawserMutant: name });
    expect([undefined, 'a', 'b', 'c'].map(run)).toEqual([2, 3, 4, 5]);
  });

  it.each([
    ['is not in', 'return 3'],
    ['is more than once in', 'return 1'],
    ['is in no function of', 'const top'],
  ])('refuses what %s the file', (words, find) => {
    expect(() =>
      withMutants('const top = 0; function f() { if (a) return 1; return 1; }', 'f.ts', [mutant(find, '')]),
    ).toThrow(words);
  });
});
