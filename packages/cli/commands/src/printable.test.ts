import { describe, expect, it } from '@jest/globals';
import { document, table } from './output.js';
import { printable, printableLine } from './printable.js';

const clear = '\u001b[2J';

describe("what is printed of others' words", () => {
  it.each([
    ['an escape sequence', `${clear}ok`, '\\u001b[2Jok'],
    ['one of eight bits', '\u009b2J', '\\u009b2J'],
    ['a return over what stands there', 'no\ryes', 'no\\u000dyes'],
    ['another direction', '\u202eexe.doc', '\\u202eexe.doc'],
    ['lines and tabs', 'a\n\tb', 'a\n\tb'],
    ['letters of all kinds', 'Größe 大 🚢', 'Größe 大 🚢'],
  ])('shows %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps a line a line', () => {
    expect(printableLine(`a\n${clear}b\tc`)).toBe('a \\u001b[2Jb c');
  });

  it('keeps a row of a table a row', () => {
    expect(
      table(
        ['NAME', 'WHY'],
        [
          ['one', 'broken\ntwo    in step'],
          ['t\two', ''],
        ],
      ),
    ).toBe('NAME   WHY\none    broken two    in step\nt wo');
  });

  it('says the same in JSON', () => {
    const value = { message: `${clear}\r\u202e` };
    expect(JSON.parse(printable(document(value, 'json')))).toEqual(value);
  });
});
