import { type JsonValue, parse, stringify } from '@hawser/json';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PathError, get, remove, set } from './index.js';

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
  } catch (error) {
    return error instanceof PathError ? error.code : undefined;
  }
  return undefined;
};

describe('integers', () => {
  const document = parse(
    '{"spec":{"limits":[9223372036854775807,9007199254740993,9007199254740992,-9223372036854775808]},"id":1}',
  );

  it('are what they were, wherever a path takes them', () => {
    expect(get(document, 'spec.limits.0').value).toBe(9223372036854775807n);
    expect(get(document, 'spec.limits.0').text).toBe('9223372036854775807');
    expect(stringify(get(document, '{spec.limits,"n":spec.limits.#}').value)).toBe(
      '{"limits":[9223372036854775807,9007199254740993,9007199254740992,-9223372036854775808],"n":4}',
    );
    expect(get(document, 'spec.limits|@reverse').value).toEqual([
      -9223372036854775808n,
      9007199254740992n,
      9007199254740993n,
      9223372036854775807n,
    ]);
    expect(get(document, 'spec|@pretty|limits.0').value).toBe(9223372036854775807n);
    expect(stringify(set(document, 'id', 9223372036854775806n))).toContain(
      '"limits":[9223372036854775807,9007199254740993,9007199254740992,-9223372036854775808]',
    );
  });

  it('are compared exactly by queries, where gjson compares doubles', () => {
    expect(get(document, 'spec.limits.#(==9007199254740993)').raw).toBe('9007199254740993');
    expect(get(document, 'spec.limits.#(>9007199254740992)#').raw).toBe('[9223372036854775807,9007199254740993]');
  });
});

describe('keys', () => {
  it('__proto__ and constructor are keys like any other', () => {
    const document = parse('{"__proto__":{"a":1},"b":{}}');
    expect(get(document, '__proto__.a').value).toBe(1);
    expect(get(document, 'b.__proto__').exists).toBe(false);
    expect(get(document, 'b.constructor').exists).toBe(false);
    expect(stringify(set(document, 'b.__proto__.polluted', true))).toBe(
      '{"__proto__":{"a":1},"b":{"__proto__":{"polluted":true}}}',
    );
    expect(stringify(remove(document, '__proto__.a'))).toBe('{"__proto__":{},"b":{}}');
    expect(stringify(get(document, '{"__proto__":b,"x":__proto__}').value)).toBe('{"__proto__":{},"x":{"a":1}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('come in the order of their bytes', () => {
    expect(get({ '😀': 1, '\uffff': 2, a: 3, Z: 4 }, '@keys').value).toEqual(['Z', 'a', '\uffff', '😀']);
  });
});

describe('what was found', () => {
  const { entries, items, get: inside } = get({ a: { b: [1, { c: 'x' }] } }, 'a');

  it('can be taken apart and looked into', () => {
    expect(items).toBeUndefined();
    expect(entries?.map(([key, { raw }]) => [key, raw])).toEqual([['b', '[1,{"c":"x"}]']]);
    expect(inside('b').items?.map(({ kind }) => kind)).toEqual(['number', 'json']);
    expect(inside('b.1.c').text).toBe('x');
    expect(inside('nope').get('@keys').raw).toBe('[]');
  });
});

describe('differences to gjson', () => {
  it('a string is never looked into, whatever braces are in it', () => {
    expect(get({ a: '[1,2]' }, 'a|0').exists).toBe(false);
    expect(get({ a: '[1,2]' }, 'a|@fromstr|0').value).toBe(1);
    expect(get({ a: [1, 2] }, 'a|@tostr|0').exists).toBe(false);
    expect(get({ a: '{"x":1}', b: { x: 2 } }, '@dig:x').value).toEqual([2]);
  });

  it('@fromstr of what is not JSON finds nothing', () => {
    expect(get({ a: 'text' }, 'a|@fromstr').exists).toBe(false);
  });

  it('a literal ends where its value ends', () => {
    expect(get({}, '!"a]b"').value).toBe('a]b');
    expect(get({}, '!7|@tostr').value).toBe('7');
  });

  it('a wildcard that would take gjson too long is matched to its end', () => {
    expect(get({ ['a'.repeat(200)]: 1 }, `${'a*'.repeat(50)}b`).exists).toBe(false);
    expect(get({ ['a'.repeat(200)]: 1 }, 'a*'.repeat(50)).value).toBe(1);
  });
});

describe('differences to sjson', () => {
  it('a path through several arrays sets everything that it finds', () => {
    const document = { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: [{ c: 3 }] }] };
    expect(set(document, 'a.#.b.#.c', 0)).toEqual({ a: [{ b: [{ c: 0 }, { c: 0 }] }, { b: [{ c: 0 }] }] });
  });

  it('a gap of more than 10 000 elements is refused', () => {
    expect(codeOf(() => set({ a: [] }, 'a.4000000000', 1))).toBe('TooFar');
    expect((set({}, 'a.10000', 1) as { a: unknown[] }).a).toHaveLength(10_001);
  });

  it('keys that begin with a bracket are deleted, too', () => {
    expect(remove({ '[k]': 1, '{k}': 2 }, '[k]')).toEqual({ '{k}': 2 });
  });
});

describe('what cannot be set', () => {
  it.each([
    ['EmptyPath', () => set({}, '', 1)],
    ['EmptyPath', () => remove({}, '')],
    ['NoIndex', () => set({ a: [1] }, 'a.b', 1)],
    ['ComplexDelete', () => remove({ a: [1] }, 'a.#')],
  ])('%s', (code, run) => {
    expect(codeOf(run)).toBe(code);
  });
});

describe('set', () => {
  const key = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,5}$/u);
  const leaf = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
    fc.boolean(),
    fc.constant(null),
  );
  const { document } = fc.letrec<{ document: JsonValue }>((tie) => ({
    document: fc.oneof({ maxDepth: 4 }, leaf, fc.dictionary(key, tie('document'), { maxKeys: 3 })),
  }));

  it('is found again by get, and leaves the rest alone', () => {
    fc.assert(
      fc.property(
        fc.dictionary(key, document, { maxKeys: 4 }),
        fc.array(key, { minLength: 1, maxLength: 4 }),
        leaf,
        (object, keys, value) => {
          const before = stringify(object);
          const path = keys.join('.');
          const result = set(object, path, value);
          expect(get(result, path).value).toBe(value);
          expect(stringify(object)).toBe(before);
          for (const other of Object.keys(object).filter((name) => name !== keys[0]))
            expect((result as Record<string, unknown>)[other]).toBe(object[other]);
          expect(get(remove(result, path), path).exists).toBe(false);
        },
      ),
    );
  });
});
