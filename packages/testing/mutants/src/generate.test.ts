import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { acceptedMutants } from './accepted.js';
import { withChanges } from './apply.js';
import { describeMutant, generateMutants } from './generate.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** What a function of JavaScript gives without and with each of its mutants. */
function outcomes(code: string, call: string): readonly (readonly [string, unknown])[] {
  const mutants = generateMutants(code, 'f.ts');
  const switched = withChanges(
    code,
    'f.ts',
    mutants.map(({ start, end, replace }, at) => ({ mutant: `${at}`, start, end, replace })),
  );
  const run = (name: string | undefined): unknown =>
    JSON.parse(JSON.stringify(runInNewContext(`${switched}; ${call}`, { hawserMutant: name }) ?? null));
  return [['none', run(undefined)], ...mutants.map(({ kind }, at) => [kind, run(`${at}`)] as const)];
}

describe('generateMutants', () => {
  it('negates a condition, and drops a guard', () => {
    expect(outcomes('function f(a) { if (a) return 1; return 2; }', '[f(true), f(false)]')).toEqual([
      ['none', [1, 2]],
      ['condition negated', [2, 1]],
      ['guard dropped', [2, 2]],
    ]);
  });

  it('leaves each half of a condition out', () => {
    expect(outcomes('const f = (a, b) => a && b;', '[f(true, false), f(false, true)]')).toEqual([
      ['none', [false, false]],
      ['condition left out', [false, true]],
      ['condition left out', [true, false]],
    ]);
  });

  it('moves a bound, and negates a comparison', () => {
    expect(outcomes('const f = (a) => [a < 1, a >= 1, a === 1];', 'f(1)')).toEqual([
      ['none', [false, true, true]],
      ['bound moved', [true, true, true]],
      ['bound moved', [false, false, true]],
      ['comparison negated', [false, true, false]],
    ]);
  });

  it('leaves calls and elements out', () => {
    expect(
      outcomes(
        'const f = (a) => { const list = [...a, { one: 1 }]; list.push(2); return list.filter((one) => one !== 0); };',
        'f([0])',
      ),
    ).toEqual([
      ['none', [{ one: 1 }, 2]],
      ['element left out', [{ one: 1 }, 2]],
      ['element left out', [2]],
      ['call left out', [{ one: 1 }]],
      ['call left out', [0, { one: 1 }, 2]],
      ['comparison negated', [0]],
    ]);
  });

  it.each([
    ['boolean', ['true', 'false']],
    ['readonly string[]', ['[]']],
    ['Decision | undefined', ['undefined']],
    ['Decision', []],
  ])('returns early what a function of %s may give', (type, values) => {
    const early = generateMutants(`function f(): ${type} { return g(); }`, 'f.ts').filter(
      ({ kind }) => kind === 'early return',
    );
    expect(early.map(({ replace }) => replace)).toEqual(values.map((value) => ` return ${value};`));
  });

  it('changes nothing outside of functions', () => {
    expect(generateMutants('const a = b && c; export const d = a ? [{}] : 1;', 'f.ts')).toEqual([]);
  });

  it('says where a mutant is, and what changes', () => {
    const [first] = generateMutants('function judge(a) {\n  if (a\n    > 1) return 1;\n}', 'src/f.ts');
    expect(first === undefined ? '' : describeMutant(first)).toBe(
      'src/f.ts:2:7  condition negated in judge\n    - a > 1\n    + !(a > 1)',
    );
  });
});

describe('withChanges', () => {
  it('notes which mutants a call reaches', () => {
    const code = 'function f() { return 1; } function g() { return 2; }';
    const switched = withChanges(code, 'f.ts', [
      { mutant: 'one', start: 22, end: 23, replace: '3' },
      { mutant: 'other', start: 49, end: 50, replace: '4' },
    ]);
    const hawserReached = new Set<string>();
    expect(runInNewContext(`${switched}; f()`, { hawserReached })).toBe(1);
    expect([...hawserReached]).toEqual(['one']);
  });

  it('refuses a place outside of functions', () => {
    expect(() => withChanges('const a = 1;', 'f.ts', [{ mutant: 'one', start: 10, end: 11, replace: '2' }])).toThrow(
      'is in no function of f.ts',
    );
  });
});

describe('accepted mutants', () => {
  it('are still generated, and have a reason', () => {
    const gone = acceptedMutants.filter(
      ({ file, within, find, replace, reason }) =>
        reason.length < 20 ||
        !existsSync(join(root, file)) ||
        !generateMutants(readFileSync(join(root, file), 'utf8'), file).some(
          (mutant) => mutant.within === within && mutant.find === find && mutant.replace === replace,
        ),
    );
    expect(gone).toEqual([]);
  });
});
