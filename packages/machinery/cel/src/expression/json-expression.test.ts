import { parse } from '@hawser/json';
import { describe, expect, it } from '@jest/globals';
import { ExpressionError, compileJsonExpression } from '../index.js';

const evaluate = (source: string, document: unknown = null, numbers: 'int' | 'double' = 'int'): unknown =>
  compileJsonExpression(source, { self: numbers }).evaluate({ self: parse(JSON.stringify(document)) });

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
  } catch (error) {
    return error instanceof ExpressionError ? error.code : undefined;
  }
  return undefined;
};

describe('expressions over documents', () => {
  it.each<[source: string, document: unknown, expected: unknown]>([
    ['self.a.b + 1', { a: { b: 2 } }, 3],
    ['self.list.map(i, i * 2)', { list: [1, 2] }, [2, 4]],
    ['self.filter(k, self[k] > 1)', { b: 2, a: 3, c: 1 }, ['a', 'b']],
    ['self == {"a": [1, 2.5]}', { a: [1, 2.5] }, true],
    ['2 in self.list && !("x" in self)', { list: [1, 2] }, true],
    ['[1, "a", null, {"k": 1.5}]', null, [1, 'a', null, { k: 1.5 }]],
    ['{"n": null, "b": true, "s": "x"}', null, { n: null, b: true, s: 'x' }],
    ['self.?a.?b', { a: {} }, null],
    ['self.?a.?b', { a: { b: 'x' } }, 'x'],
    ['has(self.constructor) || has(self.toString)', {}, false],
  ])('%s of %j', (source, document, expected) => {
    expect(evaluate(source, document)).toEqual(expected);
  });

  it('integers are exact in either kind of variable', () => {
    const big = parse('{"n":9007199254740993,"max":9223372036854775807}');
    for (const numbers of ['int', 'double'] as const) {
      const variables = { self: numbers };
      expect(compileJsonExpression('[self.n, self.max]', variables).evaluate({ self: big })).toEqual([9007199254740993n, 9223372036854775807n]);
    }
    expect(evaluate('9007199254740992 + 1')).toBe(9007199254740993n);
  });

  it('numbers are what the variable says, and can be mixed', () => {
    expect(evaluate('type(self) == double', 3, 'double')).toBe(true);
    expect(evaluate('type(self) == int', 3)).toBe(true);
    expect(evaluate('self / 2', 7)).toBe(3);
    expect(evaluate('self / 2', 7, 'double')).toBe(3.5);
    expect(evaluate('self * 0.5 + 1u', 7)).toBe(4.5);
    expect(evaluate('self % 2', 7)).toBe(1);
  });

  it.each(['self.map(a, self.map(b, a + b))', 'self.filter(a, (a + 5000) in self)', 'self.all(a, self.exists(b, b < 0) || true)', 'self.map(a, self + self)'])('%s of a long list fails instead of taking long', (source) => {
    expect(() => evaluate(source, Array.from({ length: 5000 }, (_, index) => index))).toThrow(expect.objectContaining({ code: 'EvaluationFailed', message: 'too many steps' }));
    expect(codeOf(() => evaluate(source, [1, 2, 3]))).toBeUndefined();
  });

  it('__proto__ is a key', () => {
    const value = compileJsonExpression('{"__proto__": self["__proto__"]}', { self: 'int' }).evaluate({ self: parse('{"__proto__":{"a":1}}') });
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
  });

  it('rules of CRDs stay as strict as they are', async () => {
    const { checkRules } = await import('../index.js');
    const { errors } = checkRules({ type: 'object', 'x-kubernetes-validations': [{ rule: '[1, "a"].size() == 2' }, { rule: '1 + 1.0 == 2.0' }] }, 'schema');
    expect(errors).toHaveLength(2);
  });

  it.each(['1 +', 'nope', '"a" + 1', 'self.f()', 'google.protobuf.Timestamp{seconds: 1}'])('refuses %s', (source) => {
    expect(codeOf(() => compileJsonExpression(source, { self: 'int' }))).toBe('InvalidExpression');
  });

  it.each(['self.nope', 'self.a + "x"', 'type(self)', 'quantity("1Gi")', 'double("NaN")', '{1.5: 2}'])('%s yields nothing', (source) => {
    expect(codeOf(() => evaluate(source, { a: 1 }))).toMatch(/EvaluationFailed|InvalidExpression/u);
  });
});
