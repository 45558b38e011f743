import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compile } from './compile.js';
import { sprigFunctions } from './sprig/index.js';
import { TemplateError } from './template-error.js';
import type { FunctionMap } from './template-function.js';
import { fromBytes, toBytes, toText } from './values/bytes.js';

const functions: FunctionMap = sprigFunctions({ clock: { now: () => 0 }, random: (size) => new Uint8Array(size) });

/** Made on purpose to take long; they are charged for it, and tested elsewhere. */
const slow = ['bcrypt', 'htpasswd', 'derivePassword', 'genPrivateKey'];

const names = Object.keys(functions).filter((name) => !slow.includes(name));

/** Renders, or says that the template was refused; anything else is a fault. */
function attempt(text: string, data: unknown, html = false): string | TemplateError {
  try {
    return compile(text, { functions, html, limits: { steps: 20_000, output: 20_000 } }).render(data);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

const pieces = fc.constantFrom(
  '{{',
  '}}',
  '{{-',
  '-}}',
  ' ',
  '\n',
  '/*',
  '*/',
  '"',
  '`',
  "'",
  '\\',
  '|',
  '(',
  ')',
  '.',
  '..',
  ',',
  ':=',
  '=',
  '$',
  '$x',
  '.a',
  '.b.c',
  'if',
  'else',
  'end',
  'range',
  'with',
  'define',
  'block',
  'template',
  'break',
  'continue',
  'nil',
  'true',
  '0',
  '1.5',
  '-',
  '0x',
  '1e9',
  "'a'",
  '"a"',
  '%d',
  '%*[2]v',
  'printf',
  'index',
  'len',
  'eq',
  'and',
  'or',
  'é',
  '\u0000',
  '\ud800',
  '😀',
  '{{ end }}',
  '{{ if .a }}',
  '{{ range .a }}',
);

const constants = fc.oneof(
  fc.constantFrom(
    'nil',
    '.',
    '.a',
    '.b',
    '.c',
    '.d',
    '.missing',
    '.e.f',
    'true',
    '0',
    '-1',
    '3',
    '2.5',
    '1e300',
    '9223372036854775807',
    '(list)',
    '(dict "a" 1)',
    '(list 1 "a" nil)',
    '(until 3)',
    '(now)',
    '(semver "1.2.3")',
  ),
  fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text.toWellFormed()).replaceAll('\\u2028', ' ')),
  fc.constantFrom('"2006-01-02"', '"%v"', '"a*"', '"["', '">=1.x"', '"1h"', '"http://a@b/c?d#e"', '"{}"', '"w6k="'),
);

const data = { a: 'text', b: ['x', 1, null], c: { k: 'v', n: 1 }, d: 2.5, e: { f: 'g' } };

describe('templates made at random', () => {
  it('are rendered or refused, whatever they consist of', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), fc.boolean(), (parts, html) => {
        attempt(parts.join(''), data, html);
      }),
      { numRuns: 800 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        attempt(`{{ ${text}`, data);
      }),
      { numRuns: 300 },
    );
  });

  it('get an answer or an error from every function, whatever its arguments', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(constants, { maxLength: 4 }), constants, (name, args, piped) => {
        attempt(`{{ ${[name, ...args].join(' ')} }}`, data);
        attempt(`{{ ${piped} | ${[name, ...args].join(' ')} }}`, data);
      }),
      { numRuns: 1500 },
    );
  });

  it('never change the data', () => {
    const before = JSON.stringify(data);
    fc.assert(
      fc.property(
        fc.constantFrom(
          'set',
          'unset',
          'merge',
          'mergeOverwrite',
          'mustMerge',
          'append',
          'sortAlpha',
          'reverse',
          'without',
          'deepCopy',
          'omit',
        ),
        fc.constantFrom('.c', '.', '.b', '.e'),
        fc.array(constants, { maxLength: 3 }),
        (name, target, args) => {
          attempt(`{{ $x := ${[name, target, ...args].join(' ')} }}{{ $y := set .c "new" 1 }}{{ $y }}`, data);
          expect(JSON.stringify(data)).toBe(before);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('give back text that has no actions', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('{{')),
        (text) => {
          expect(attempt(text, {})).toBe(toText(text));
        },
      ),
    );
  });

  it('carry values unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), (text, number) => {
        expect(attempt('{{ .text }}|{{ .number }}', { text, number })).toBe(`${text}|${number}`);
      }),
    );
  });

  it('read back what they quote, encode and hash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(attempt(`{{ ${String(attempt('{{ quote . }}', text))} }}`, undefined)).toBe(text);
        expect(attempt('{{ . | b64enc | b64dec }}{{ . | b32enc | b32dec }}', text)).toBe(text + text);
        expect(attempt('{{ eq (. | toJson | fromJson) . }}', text)).toBe('true');
      }),
    );
  });
});

describe('bytes that are no text', () => {
  it('survive until they are written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = fromBytes(bytes);
        expect(Array.from(toBytes(text))).toEqual(Array.from(bytes));
        expect(attempt('{{ . | b64dec | b64enc }}', Buffer.from(bytes).toString('base64'))).toBe(
          Buffer.from(bytes).toString('base64'),
        );
        expect(toText(text).isWellFormed()).toBe(true);
      }),
    );
  });

  it('become characters again when their halves meet', () => {
    expect(attempt('{{ trunc 1 . }}{{ trunc -1 . }}', 'é')).toBe('é');
    expect(attempt('{{ trunc 1 . }}', 'é')).toBe('\ufffd');
  });
});
