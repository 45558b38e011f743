import { expect, it } from '@jest/globals';
import { scanJson } from './json-scanner.js';

it.each(['"', '"a', '"a\\', '"a\\"', '{"a\\'])('says that %s ends too early', (text) => {
  expect(() => scanJson(text)).toThrow('unexpected end of JSON input');
});

it('says what a string must not have', () => {
  expect(() => scanJson('"a\u0001"')).toThrow('in string literal');
  expect(() => scanJson(String.raw`"a\x"`)).toThrow('in string escape code');
});

it('finds a key that is there twice, however it is written', () => {
  expect(scanJson(String.raw`{"a\"":1,"a\u0022":2}`).duplicates).toEqual(['a"']);
});
