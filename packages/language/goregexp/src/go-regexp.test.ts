import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidPattern, compile, quoteMeta } from './index.js';

interface Vector {
  readonly pattern: string;
  readonly error?: string;
  readonly text: string;
  readonly groups: number;
  readonly matches: boolean;
  readonly submatch?: readonly (string | null)[];
  readonly replacement: string;
  readonly replaced: string;
  readonly literal: string;
  readonly limit: number;
  readonly all: readonly string[];
  readonly split: readonly string[];
}

interface QuoteVector {
  readonly quote: string;
  readonly quoted: string;
}

const vectors = JSON.parse(readFileSync(new URL('testing/vectors.json', import.meta.url), 'utf8')) as readonly (
  Vector | QuoteVector
)[];
const compiled = vectors.filter((vector) => 'pattern' in vector);

describe('what Go finds', () => {
  it.each(
    compiled.filter(({ error }) => error === undefined).map((vector) => [vector.pattern, vector.text, vector] as const),
  )('%j in %j', (_pattern, _text, vector) => {
    const regexp = compile(vector.pattern);
    expect({
      groups: regexp.groupCount,
      matches: regexp.matches(vector.text),
      first: regexp.find(vector.text),
      submatch: regexp.findSubmatch(vector.text)?.map((group) => group ?? null),
      replaced: regexp.replaceAll(vector.text, vector.replacement),
      literal: regexp.replaceAllLiteral(vector.text, vector.replacement),
      all: regexp.findAll(vector.text, vector.limit),
      split: regexp.split(vector.text, vector.limit),
    }).toEqual({
      groups: vector.groups,
      matches: vector.matches,
      first: vector.submatch?.[0] ?? undefined,
      submatch: vector.submatch,
      replaced: vector.replaced,
      literal: vector.literal,
      all: vector.all,
      split: vector.split,
    });
  });

  it.each(compiled.filter(({ error }) => error !== undefined).map((vector) => [vector.pattern, vector.error] as const))(
    'refuses %j: %s',
    (pattern, error) => {
      let thrown: unknown;
      try {
        compile(pattern);
      } catch (refused) {
        thrown = refused;
      }
      expect(thrown).toBeInstanceOf(InvalidPattern);
      expect(thrown).toMatchObject({ code: 'InvalidPattern', retryable: false, pattern });
      expect(`error parsing regexp: ${(thrown as InvalidPattern).reason}`).toBe(error);
    },
  );

  it.each(vectors.filter((vector) => 'quote' in vector).map((vector) => [vector.quote, vector.quoted]))(
    'quotes %j',
    (text, quoted) => {
      expect(quoteMeta(text)).toBe(quoted);
    },
  );
});

describe('quoteMeta', () => {
  it('yields a pattern of just that text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(compile(`^${quoteMeta(text)}$`).matches(text)).toBe(true);
      }),
    );
  });
});

describe('texts', () => {
  it('half of a surrogate pair is U+FFFD, and nothing is cut in two', () => {
    expect(compile('.').replaceAll('a\ud83db', '<$0>')).toBe('<a><\ufffd><b>');
    expect(compile('').replaceAll('😀b', '-')).toBe('-😀-b-');
    expect(compile('').split('😀b')).toEqual(['😀', 'b']);
  });

  it('two groups of one name are refused, which Go takes', () => {
    expect(() => compile('(?P<n>a)(?P<n>b)')).toThrow(InvalidPattern);
  });

  it('names of groups are only names', () => {
    expect(compile('(?P<constructor>a)').replaceAll('a', '[$constructor$__proto__$toString]')).toBe('[a]');
  });
});

describe('time', () => {
  it('grows with the text, where a backtracking engine would not come back', () => {
    const text = `${'a'.repeat(5_000)}b`;
    expect(compile('^(a+)+$').matches(text)).toBe(false);
    expect(compile('(a|a)*c').find(text)).toBeUndefined();
  });
});
