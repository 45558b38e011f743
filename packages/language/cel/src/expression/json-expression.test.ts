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
      expect(compileJsonExpression('[self.n, self.max]', variables).evaluate({ self: big })).toEqual([
        9007199254740993n,
        9223372036854775807n,
      ]);
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

  it.each([
    'self.map(a, self.map(b, a + b))',
    'self.filter(a, (a + 5000) in self)',
    'self.all(a, self.exists(b, b < 0) || true)',
    'self.map(a, self + self)',
  ])('%s of a long list fails instead of taking long', (source) => {
    expect(() =>
      evaluate(
        source,
        Array.from({ length: 5000 }, (_, index) => index),
      ),
    ).toThrow(expect.objectContaining({ code: 'EvaluationFailed', message: 'too many steps' }));
    expect(codeOf(() => evaluate(source, [1, 2, 3]))).toBeUndefined();
  });

  const numbers = Array.from({ length: 3000 }, (_, index) => index);
  const names = Array.from(
    { length: 1000 },
    (_, index) => `a-name-that-is-as-long-as-most-names-are.in-a-namespace-${index}`,
  );

  it.each<[source: string, document: unknown]>([
    ['self.all(a, self.map(b, b) == self)', numbers],
    ['self.map(a, "%s %s".format([a, self])).size() > 0', numbers],
    ['self.map(a, self.sum()).size() > 0', numbers],
    ['self.map(a, self.isSorted()).size() > 0', numbers],
    ['self.map(a, self.indexOf(a)).size() > 0', numbers],
    ['self.map(a, self.distinct().size()).size() > 0', numbers],
    ['self.map(a, self.map(b, {"a": a, "b": [b, b]})).size() > 0', numbers],
    ['self.map(a, self.map(b, quantity("1Gi").add(quantity("1Mi")))).size() > 0', numbers],
    ['self.map(a, self.map(b, a.replace("a", "bbbbbbbb"))).size() > 0', names],
    ['self.all(a, self.all(b, a.matches("^(a|b|x)*[a-z]*[0-9]+$") || true))', names],
    ['self[0].matches("(x+x+)+[yz]")', ['x'.repeat(1_000_000)]],
    ['self[0].matches("(x{1,200}[a-z]?){1,4}[yz]")', ['x'.repeat(20_000)]],
    ['self[0].findAll("(x+x+)+[yz]").size() == 0', ['x'.repeat(1_000_000)]],
  ])('%s is given up within a tenth of a second', (source, document) => {
    const expression = compileJsonExpression(source, { self: 'int' });
    const self = parse(JSON.stringify(document));
    const run = (): number => {
      const { user, system } = process.cpuUsage();
      expect(() => expression.evaluate({ self })).toThrow('too many steps');
      const since = process.cpuUsage();
      return (since.user + since.system - user - system) / 1000;
    };
    // The time of the processor, the least of some tries. Within jest, and on a busy machine, it is many times what it is otherwise; without the limit each of these takes far longer.
    expect(Math.min(run(), run(), run())).toBeLessThan(1_000);
  });

  it.each<[source: string, document: unknown]>([
    ['self.all(a, a.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"))', names],
    ['self.all(a, self.exists_one(b, b == a))', names.slice(0, 200)],
    ['self.map(a, a.size()).sum() > 0 && self.all(a, a in self)', names.slice(0, 500)],
    ['self.all(a, self == self)', numbers],
    ['self.map(a, {"name": a, "long": a.size() > 10}).filter(m, m.long).size() > 0', names],
  ])('%s is what an API server finishes within its cost limit, and so is it here', (source, document) => {
    expect(evaluate(source, document)).toBe(true);
  });

  it('__proto__ is a key', () => {
    const value = compileJsonExpression('{"__proto__": self["__proto__"]}', { self: 'int' }).evaluate({
      self: parse('{"__proto__":{"a":1}}'),
    });
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
  });

  it('rules of CRDs stay as strict as they are', async () => {
    const { checkRules } = await import('../index.js');
    const { errors } = checkRules(
      { type: 'object', 'x-kubernetes-validations': [{ rule: '[1, "a"].size() == 2' }, { rule: '1 + 1.0 == 2.0' }] },
      'schema',
    );
    expect(errors).toHaveLength(2);
  });

  it.each(['1 +', 'nope', '"a" + 1', 'self.f()', 'google.protobuf.Timestamp{seconds: 1}'])('refuses %s', (source) => {
    expect(codeOf(() => compileJsonExpression(source, { self: 'int' }))).toBe('InvalidExpression');
  });

  it.each(['self.nope', 'self.a + "x"', 'type(self)', 'quantity("1Gi")', 'double("NaN")', '{1.5: 2}'])(
    '%s yields nothing',
    (source) => {
      expect(codeOf(() => evaluate(source, { a: 1 }))).toMatch(/EvaluationFailed|InvalidExpression/u);
    },
  );
});
