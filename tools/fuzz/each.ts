import { pathsOf, replaced, without } from './paths.ts';

/** Every wrong type of value, and text that breaks what quotes it. */
const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  9_223_372_036_854_775_807n,
  '',
  '\u0000\uD800',
  [],
  [null],
  ['a', {}],
  {},
  { toString: [], valueOf: 1, toJSON: [] },
  { a: { b: 'c' } },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {}}}') as unknown,
];

/** `sample` with one value replaced or missing: each value, by each replacement. The whole is replaced, too. */
export function* eachVariant(sample: unknown): Generator<{ readonly what: string; readonly value: unknown }> {
  for (const [index, value] of REPLACEMENTS.entries()) yield { what: `the whole replaced (${index})`, value };
  for (const path of pathsOf(sample)) {
    const at = path.join('.');
    for (const [index, replacement] of REPLACEMENTS.entries())
      yield { what: `${at} replaced (${index})`, value: replaced(sample, path, replacement) };
    yield { what: `${at} missing`, value: without(sample, path) };
  }
}
