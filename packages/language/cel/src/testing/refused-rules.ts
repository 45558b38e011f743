import type { JsonSchemaProps, ValidationRule } from '@hawser/schema';

const text: JsonSchemaProps = { type: 'string', maxLength: 10 };
const integer: JsonSchemaProps = { type: 'integer' };

const schema: JsonSchemaProps = {
  type: 'object',
  properties: {
    n: integer,
    s: text,
    d: { type: 'number' },
    when: { type: 'string', format: 'date-time' },
    list: { type: 'array', maxItems: 3, items: integer },
    map: { type: 'object', maxProperties: 3, additionalProperties: text },
    nested: { type: 'object', properties: { deep: integer } },
    any: { 'x-kubernetes-int-or-string': true },
    free: { 'x-kubernetes-preserve-unknown-fields': true },
    namespace: text,
    'a-b': integer,
  },
};

/** Rules that an API server refuses when the CRD is written, or at least compiles with a second look. */
const rules: readonly (string | ValidationRule)[] = [
  'self.missing > 1', 'has(self.missing)', 'self.nested.missing == 1', 'self.?missing.hasValue()', 'self.free == 1', 'self.a-b == 1', 'self.namespace == "x"', 'self.n.x == 1', 'self.list.size == 1', 'self.list.x', 'self.map.x.y == ""',
  'self.n == "1"', 'self.n + "x" == "1x"', 'self.n == 1.0', 'self.n + 1.5 > 2.0', 'self.d > 1 && self.n', 'self.n || true', '!self.n', '-self.s == ""', 'self.s * 2 == ""', 'self.n ? 1 : 2', 'self.n > 1 ? 1 : "a"', 'self.n in self.map', 'self.n in self.s', 'self.list[self.s] == 1', 'self.map[1] == "x"',
  'self.n', 'self.s', '1', '"x"', 'null', 'self', 'self.list.map(x, x)', 'self.when', 'dyn(true)', 'self.any', 'double("x")', '1 && {[1]: []}', 'unknown == 1', 'unknown.field == 1', 'oldself == 1', 'foo(self.n)', 'self.foo()', 'self.s.foo()', 'string.foo(1)', 'size(1) == 1', 'self.n.size() == 1', 'self.s.startsWith(1)', 'self.s.startsWith()', 'self.s.substring("a") == ""', 'self.s.split(1) == []', 'self.s.matches("(")', 'self.s.matches(self.s) > 1',
  'self.list.all(x, x)', 'self.list.all(x, y > 1)', 'self.list.filter(x, x)  == []', 'self.list.map(x, x.y) == []', 'self.list.exists_one(x, 1)', 'self.nested.all(x, true)', 'self.n.all(x, true)', 'self.list.all(1, true)', 'self.list.all(x.y, true)', 'self.list.map(1, 2) == []', 'self.list.all(x)', 'self.list.all(x, x, true)', 'self.list.transformMap(x, y) == {}', 'self.list.transformMapEntry(i, x, x) == {}',
  'has(self)', 'has(self.n == 1)', 'has(1)', 'has(self.list[0])', 'has(self.n, self.s)', 'self.?n.optMap(1, 2).hasValue()', 'self.n.optMap(x, x).hasValue()', 'optional.of(1).value() == "a"', 'self.?n.orValue("x") == 1', 'self.?n == 1', '[?self.n].size() == 1', '{?"a": 1}.size() == 1',
  'duration("x") == duration("1s")', 'timestamp("yesterday") == self.when', 'duration("1d") > duration("1s")', 'self.when + self.when == self.when', 'self.when > 1', '[1, "a"].size() == 2', '{1: "a", "b": "c"}.size() == 2', '{"a": 1, "b": "x"}.size() == 2', '[[1], ["a"]].size() == 2', '"%s".format("a") == ""', 'int("x") == 1', 'uint(-1) == 1u', 'double("x") == 1.0', 'bool("x")', 'timestamp("x") == self.when', 'self.s.find("[") == ""', 'self.s.findAll("(?<x)") == []',
  'self.n ==', 'self.n == 1)', '(self.n == 1', 'self.n === 1', 'self..n == 1', 'self.n = 1', 'self.n & 1', 'self.n == 1 and true', 'if', 'self.if == 1', 'for(self)', 'self.true', 'true.x', '', ' ', '"unclosed', "'\\q' == ''", '"\\u12" == ""', '99999999999999999999 == self.n', '1.5e999 == 1.0', '1 == 1 == 1', '[1,,2] == []', '{"a"} == {}', 'self.n == 1;', '#', 'self.`a-b` == 1', '18446744073709551616u == 1u', '-9223372036854775808 == self.n', 'Foo{a: 1} == Foo{}', 'int{} == 1', '@x == 1', 'self.s == b"a"', 'type(self.n) == integer', 'type(self.n) == string && self.n == "a"', 'math.abs(self.n) == 1', 'cel.bind(x, 1, x == 1)', 'base64.encode(b"a") == ""', 'self.s.reverse() == ""', 'regex.replace("a", "b", "c") == ""', 'authorizer.path("x").check("get").allowed()', 'quantity(1) == quantity("1")', 'quantity("1") > quantity("2")', 'ip(self.s) == "1.1.1.1"', 'semver("1.0.0") == "1.0.0"', 'url(self.s).getPath() == ""', 'format.nothing().validate("x").hasValue()', 'sets.contains(self.list, ["a"])', 'self.list.sum() == 1.0', '["a"].sum() == 1', 'self.list.isSorted() == 1', 'self.list.join() == ""', 'self.list.flatten() == [1]',
  { rule: 'self.n == 1', message: ' ' }, { rule: 'self.n == 1', message: 'two\nlines' }, { rule: 'self.n\n== 1' }, { rule: 'self.n == 1', messageExpression: ' ' }, { rule: 'self.n == 1', messageExpression: '1' }, { rule: 'self.n == 1', messageExpression: 'self.missing' }, { rule: 'self.n == 1', messageExpression: '"' }, { rule: 'self.n == 1', messageExpression: 'string(int("x"))' },
  { rule: 'self.n == 1', reason: 'Unknown' }, { rule: 'self.n == 1', fieldPath: ' ' }, { rule: 'self.n == 1', fieldPath: '.missing' }, { rule: 'self.n == 1', fieldPath: 'n' }, { rule: 'self.n == 1', fieldPath: '.list[0]' }, { rule: 'self.n == 1', fieldPath: ".map['x']" }, { rule: 'self.n == 1', fieldPath: '.nested.deep' }, { rule: 'self.n == 1', fieldPath: ".nested['deep']" }, { rule: 'self.n == 1', fieldPath: ".['n']" }, { rule: 'self.n == 1', fieldPath: '.n.' },
  { rule: 'self.n == 1', optionalOldSelf: true }, { rule: 'self.n == 1', optionalOldSelf: false }, { rule: 'oldSelf.n == 1', optionalOldSelf: true }, { rule: 'oldSelf.hasValue()' }, { rule: 'oldSelf.missing == 1' },
];

/** Each rule in a schema of its own: one that is wrong in form keeps the rest from being compiled. */
export const refusedSchemas: readonly (readonly [title: string, schema: JsonSchemaProps])[] = [
  ...rules.map((rule): readonly [string, JsonSchemaProps] => [
    JSON.stringify(rule),
    { type: 'object', properties: { spec: { ...schema, 'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule] } } },
  ]),
  [
    'an old value within a list that does not go by keys',
    { type: 'object', properties: { spec: { type: 'array', maxItems: 2, items: { type: 'object', properties: { n: { ...integer, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } } } } } },
  ],
  [
    'an old value within a set',
    { type: 'object', properties: { spec: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 2, items: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } } } },
  ],
  ['the metadata of a resource', { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.metadata.labels.size() == 0' }] }],
  ['several rules, and rules below them', {
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { ...integer, 'x-kubernetes-validations': [{ rule: 'self.x' }] } }, 'x-kubernetes-validations': [{ rule: 'self.y' }, { rule: 'self.n > "a" || self.z == self.w' }] } },
  }],
  ['a rule below one that is wrong in form', {
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { ...integer, 'x-kubernetes-validations': [{ rule: 'self == 1', message: ' ' }] } }, 'x-kubernetes-validations': [{ rule: 'self.y' }] } },
  }],
];
