import { describe, expect, it } from '@jest/globals';
import { parse } from '@hawser/json';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { compile } from './compile.js';
import { sprigFunctions } from './sprig/index.js';
import { TemplateError } from './template-error.js';
import type { FunctionMap } from './template-function.js';

interface Vector {
  readonly template: string;
  readonly data?: unknown;
  readonly output?: string;
  /** Where the original fails: a line, or line and column; `yes` where it does not say. */
  readonly fails?: string;
}

interface Vectors {
  readonly data: unknown;
  readonly cases: readonly Vector[];
}

const read = (name: string): Vectors =>
  parse(readFileSync(new URL(`testing/vectors/${name}.json`, import.meta.url), 'utf8')) as unknown as Vectors;

/** What the original did, in the words of a vector. */
function outcome(
  { template, data }: Vector,
  shared: unknown,
  functions: FunctionMap,
  html: boolean,
  fails: string | undefined,
): Vector {
  try {
    return { template, output: compile(template, { name: 't', functions, html }).render(data ?? shared) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const position = error.column === undefined ? `${error.line}` : `${error.line}:${error.column}`;
    return { template, fails: fails === 'yes' ? 'yes' : position };
  }
}

function check(name: string, functions: FunctionMap, html = false): void {
  const { data, cases } = read(name);
  const wrong: { readonly wanted: Vector; readonly got: Vector }[] = [];
  for (const { template, output, fails, data: own } of cases) {
    const wanted: Vector =
      fails === undefined ? { template, ...(output === undefined ? {} : { output }) } : { template, fails };
    const got = outcome({ template, data: own }, data, functions, html, fails);
    if (wanted.output !== got.output || wanted.fails !== got.fails) wrong.push({ wanted, got });
  }
  expect(wrong).toEqual([]);
  expect(cases.length).toBeGreaterThan(50);
}

const sprig = sprigFunctions({ clock: { now: () => 1_700_000_000_000 }, random: randomBytes });

describe('templates, beside the original', () => {
  it('text/template: syntax, evaluation and the built-in functions', () => {
    check('core', {});
  });
  it('the functions of sprig', () => {
    check('sprig', sprig);
  });
  it('html/template in plain text', () => {
    check('html', sprig, true);
  });
});
