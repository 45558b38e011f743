import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyMergePatch, clone, createMergePatch, equal, parse, stringify } from './index.js';

describe('applyMergePatch', () => {
  // RFC 7386, appendix A.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('%s with %s gives %s', (target, patch, result) => {
    expect(stringify(applyMergePatch(parse(target), parse(patch)))).toBe(result);
  });

  it('treats __proto__ as a key', () => {
    const result = applyMergePatch(parse('{"a":1}'), parse('{"__proto__":{"polluted":{"x":null,"y":1}}}'));
    expect(stringify(result)).toBe('{"a":1,"__proto__":{"polluted":{"y":1}}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(stringify(applyMergePatch(result, parse('{"__proto__":null}')))).toBe('{"a":1}');
  });

  it('leaves its arguments alone and shares nothing with them', () => {
    const target = { a: { b: [1] }, c: { d: 1 } };
    const patch = { a: { e: { f: [2] } } };
    const before = clone({ target, patch });
    const result = applyMergePatch(target, patch) as { a: { b: number[]; e: { f: number[] } } };
    result.a.b.push(3);
    result.a.e.f.push(3);
    expect({ target, patch }).toEqual(before);
  });
});

describe('createMergePatch', () => {
  it.each([
    ['{"a":1}', '{"a":1}', undefined],
    ['{"a":1,"b":{"c":[1],"d":2}}', '{"a":1,"b":{"c":[1],"d":3}}', '{"b":{"d":3}}'],
    ['{"a":1,"b":2}', '{"b":2}', '{"a":null}'],
    ['{"a":[1,2]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"a":[1]}', '{"a":{}}', '{"a":{}}'],
    ['{}', '{"a":{}}', '{"a":{}}'],
    ['{"a":9007199254740992}', '{"a":9007199254740993}', '{"a":9007199254740993}'],
    ['{"a":1}', '{"a":1,"__proto__":{"b":1}}', '{"__proto__":{"b":1}}'],
    ['{"constructor":{"b":1}}', '{}', '{"constructor":null}'],
    ['{}', '{"toString":"x"}', '{"toString":"x"}'],
    ['{"a":null}', '{"a":null}', undefined],
  ])('from %s to %s: %s', (from, to, patch) => {
    const created = createMergePatch(parse(from), parse(to));
    expect(created === undefined ? undefined : stringify(created)).toBe(patch);
  });

  it('takes an undefined value for an absent key', () => {
    expect(createMergePatch({ a: undefined, b: 1 }, { b: 1, c: undefined })).toBeUndefined();
    expect(createMergePatch({ a: 1 }, { a: undefined })).toEqual({ a: null });
  });

  const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(0, 1, 'x', true, 9007199254740993n),
      fc.array(fc.oneof(fc.constant(null), tie('document')), { maxLength: 2 }),
      fc.dictionary(key, tie('document'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));

  it('applied to its origin gives its aim, for values without nulls in objects', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        const patch = createMergePatch(from, to);
        if (patch === undefined) expect(equal(from, to)).toBe(true);
        else expect(equal(applyMergePatch(from, patch), to)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is undefined exactly when there is nothing to change', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        expect(createMergePatch(from, to) === undefined).toBe(equal(from, to));
        expect(createMergePatch(from, clone(from))).toBeUndefined();
      }),
    );
  });
});
