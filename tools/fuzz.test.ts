import { describe, expect, it } from '@jest/globals';
import { feed, objectOf } from './fuzz/feed.ts';
import { minimal } from './fuzz/minimal.ts';
import { type Reader, readers } from './fuzz/readers.ts';
import { regressions } from './fuzz/regressions.ts';

const named = (name: string): Reader => {
  const found = readers.find((reader) => reader.name === name);
  if (found === undefined) throw new Error(`no reader is called ${name}`);
  return found;
};

describe('what made a reader fail once', () => {
  it.each(regressions)('$reader: $what', ({ reader, value }) => {
    expect(feed(named(reader), value).fault).toBeUndefined();
  });
});

describe('the fuzzer', () => {
  const broken: Reader = {
    name: 'broken',
    samples: [{ a: { b: [1, 2] }, c: 'x' }],
    read: (value: { readonly a?: { readonly b?: readonly number[] } }) => value.a?.b?.map((one) => one),
  };

  it('takes every well-formed sample through every reader', () => {
    for (const reader of readers)
      for (const sample of reader.samples)
        expect([reader.name, feed(reader, sample).outcome]).toEqual([
          reader.name,
          expect.stringMatching(/^read$|^refused$/u),
        ]);
  });

  it('makes the same object of the same seed', () => {
    for (let seed = 0; seed < 50; seed++) expect(objectOf(broken, seed)).toEqual(objectOf(broken, seed));
  });

  it('finds a reader that fails, and the least that it fails of', () => {
    const seed = Array.from({ length: 500 }, (_, at) => at).find(
      (at) => feed(broken, objectOf(broken, at)).fault?.includes('map is not a function') === true,
    );
    expect(seed).toBeDefined();
    const least = minimal(broken, objectOf(broken, seed ?? 0)) as { readonly a: object };
    expect([Object.keys(least), Object.keys(least.a)]).toEqual([['a'], ['b']]);
  });

  it('sees what changes its argument', () => {
    expect(
      feed(
        {
          name: 'x',
          samples: [],
          read: (value: { a: number }) => {
            value.a = 2;
          },
        },
        { a: 1 },
      ).fault,
    ).toBe('changes what it was given');
  });
});
