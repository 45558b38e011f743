import type { JsonSchemaProps } from '@hawser/schema';
import type { RuleCase } from './rule-case.js';

const text: JsonSchemaProps = { type: 'string', maxLength: 40 };
const integer: JsonSchemaProps = { type: 'integer' };
const number: JsonSchemaProps = { type: 'number' };
const boolean: JsonSchemaProps = { type: 'boolean' };
const object = (properties: Readonly<Record<string, JsonSchemaProps>>, rest: JsonSchemaProps = {}): JsonSchemaProps => ({ type: 'object', properties, ...rest });
const list = (items: JsonSchemaProps, rest: JsonSchemaProps = {}): JsonSchemaProps => ({ type: 'array', maxItems: 5, items, ...rest });
const map = (values: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', maxProperties: 5, additionalProperties: values });

const keyed = list(object({ name: text, zone: text, size: integer }, { required: ['name'] }), {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
});
const twoKeys = list(object({ name: text, port: integer, size: integer }, { required: ['name', 'port'] }), {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
});
const set = list(text, { 'x-kubernetes-list-type': 'set' });

const scalars: readonly RuleCase[] = [
  {
    title: 'integers',
    schema: integer,
    rules: [
      'self > 3', 'self % 2 == 0', 'self * 2 < 100', '-self < 0', 'self / 0 == 1', 'self % 0 == 1', 'self + 9223372036854775807 > 0', 'self - 5 >= 0', 'self in [1, 4, 9]',
      'self < 4.5', 'self > 3u', 'double(self) / 2.0 == 2.0', 'string(self) == "4"', 'uint(self) == 4u', 'type(self) == int', '[10, 20, 30][self] == 20',
      'self > 3 ? self < 10 : self == -1', '!(self == 4)', 'self == 4 || 1 / 0 == 1', '1 / 0 == 1 || self == 4', 'self == 4 && 1 / 0 == 1', 
      'timestamp(self) > timestamp("1970-01-01T00:00:02Z")', 'self * 9223372036854775807 == 0', '{1: "a", 4: "b"}[self] == "b"',
      '{4: "b"}[?self].orValue("none") == "b"', 'dyn(self) == "4"', 'dyn(self) + "4" == "44"', 'dyn(self) < "4"', 'dyn(self).size() == 1', 'bool(string(self))',
    ],
    values: [4, 1, 0, -7, 9223372036854775000n],
  },
  {
    title: 'numbers with a fraction',
    schema: number,
    rules: [
      'self > 1', 'self >= 1.5', 'self + 0.5 == 2.0', 'self / 0.0 > 1.0', 'int(self) == 1', 'string(self) == "1.5"', 'uint(self) == 1u', 'type(self) == double', 
      'self * 2.0 in [3.0, 4.0]', '[1.0, self].max() == self', '"%.1f".format([self]) == "1.5"', '"%e".format([self]).startsWith("1.5")', '"%s".format([self]) == "1.5"', 'double("NaN") != self', 'self < 2u',
      'int(self * 1e30) == 0', '"%f".format([self * 1000000.0])  == "1,500,000.000000"',
    ],
    values: [1.5, 2, 0, -0.25, 1e21, 123456789.125],
  },
  {
    title: 'text',
    schema: text,
    rules: [
      'self.startsWith("a")', 'self.endsWith("c")', 'self.contains("b")', 'self.matches("^[a-z]+$")', 'self.size() < 4', 'size(self) == 3', 'self.indexOf("c") == 2', 'self.lastIndexOf("b") > 0',
      'self.charAt(1) == "b"', 'self.substring(1) == "bc"', 'self.substring(1, 2) == "b"', 'self.lowerAscii() == self', 'self.upperAscii() == "ABC"', 'self.replace("b", "x") == "axc"',
      'self.replace("", "-") == "-a-b-c-"', 'self.split("") == ["a", "b", "c"]', 'self.trim() == "abc"', 'self < "abd"', 'self + self == "abcabc"',
      'self.find("[b-z]+") == "bc"', 'self.findAll("[a-z]").size() == 3', 'self.findAll("[a-z]", 1) == ["a"]', 'strings.quote(self) == "\\"abc\\""', 'int(self) > 0', 'bool(self)', 'duration(self) > duration("0s")',
      'timestamp(self).getFullYear() == 2024', 'bytes(self) == b"abc"', 'self in ["abc", "x"]', '"%s=%d".format([self, self.size()]) == "abc=3"', '"%x".format([self]) == "616263"',
      'self.matches(self)', 'self.charAt(7) == ""', '{"k": dyn(self)}.?k.invalid.hasValue()', '{"k": dyn(self)}[?"k"].absent.orValue("x") == "x"', '{"k": dyn(null)}.?k.invalid.hasValue()', 'dyn(self).absent == "x"', 'has(dyn(self).absent)', '"%.0f %.0f %.14e %f".format([2.5, 3.5, 1.125, -0.0]) == "2 4  1.125000×10⁰⁰ 0.000000"', 'dyn(9223372036854775807) == 9223372036854775808.0', '{true: 1, false: 2, true: 3}[true] == 3', 'self.substring(5, 2) == ""', 'self.split(",", 2).size() == 1', 'type(self) == string', 'self == "\\u0061bc"',
    ],
    values: ['abc', '', 'A b', '\u00e4\u{1f600}\u00e9', '12', '(', 'true', '5s', '2024-02-29T10:00:00Z', 'a,b,c', ' \t'],
  },
  {
    title: 'booleans',
    schema: boolean,
    rules: ['self', '!self', 'self == true', 'string(self) == "true"', 'self ? 1 > 0 : 1 > 2', 'self || false', 'self && true', '[true, self].isSorted()', '"%b".format([self]) == "1"'],
    values: [true, false],
  },
  {
    title: 'integers or text',
    schema: { 'x-kubernetes-int-or-string': true },
    rules: ['type(self) == int ? self < 5 : self.endsWith("%")', 'self == 3', 'self.startsWith("3")', 'self + 1 > 3', 'string(self) == "3"', 'int(self) == 3', 'self < 4', 'self in [3]', 'size(self) > 0'],
    values: [3, '3', '50%', 7],
  },
];

const formatted: readonly RuleCase[] = [
  {
    title: 'moments',
    schema: { type: 'string', format: 'date-time' },
    rules: [
      'self > timestamp("2020-01-01T00:00:00Z")', 'self.getFullYear() == 2024', 'self.getMonth() == 1', 'self.getDate() == 29', 'self.getDayOfMonth() == 28', 'self.getDayOfWeek() == 4', 'self.getDayOfYear() == 59',
      'self.getHours() == 10', 'self.getHours("+02:00") == 12', 'self.getHours("America/New_York") == 5', 'self.getMinutes("Asia/Kolkata") == 30', 'self.getMilliseconds() == 250', 'self.getSeconds() == 1',
      'string(self) == "2024-02-29T10:00:01.25Z"', 'self + duration("1h") > timestamp("2024-02-29T11:00:00Z")', 'self - timestamp("2024-02-29T10:00:00Z") < duration("2s")', 'int(self) == 1709200801',
      'self.getHours("Nowhere/Land") == 1', 'type(self) == google.protobuf.Timestamp', 'self == timestamp("2024-02-29T11:00:01.25+01:00")',
    ],
    values: ['2024-02-29T10:00:01.25Z', '2024-02-29T11:00:01+01:00', '1999-12-31T23:59:59Z'],
  },
  {
    title: 'days',
    schema: { type: 'string', format: 'date' },
    rules: ['self.getFullYear() == 2024', 'self == timestamp("2024-02-29T00:00:00Z")', 'string(self) == "2024-02-29T00:00:00Z"'],
    values: ['2024-02-29', '2023-01-01'],
  },
  {
    title: 'lengths of time',
    schema: { type: 'string', format: 'duration' },
    rules: ['self > duration("1m")', 'self.getHours() == 1', 'self.getMinutes() == 90', 'self.getSeconds() == 5400', 'self.getMilliseconds() == 5400000', 'string(self) == "5400s"', 'self + self == duration("3h")'],
    values: ['90m', '1h30m', '10s', '1500ms', '2 days', '-5m'],
  },
  {
    title: 'bytes',
    schema: { type: 'string', format: 'byte', maxLength: 40 },
    rules: ['self == b"hello"', 'self.size() == 5', 'string(self) == "hello"', 'size(self) > 2', 'self + b"!" == b"hello!"', 'string(self).startsWith("h")'],
    values: ['aGVsbG8=', 'AAEC'],
  },
  {
    title: 'libraries of Kubernetes',
    schema: text,
    rules: [
      'isURL(self)', 'url(self).getHost() == "example.com:8080"', 'url(self).getHostname() == "example.com"', 'url(self).getPort() == "8080"', 'url(self).getEscapedPath() == "/a%20b"', 'url(self).getScheme() == "https"',
      'url(self).getQuery()["x"] == ["1", "2"]', 'url(self) == url("https://example.com")', 'isQuantity(self)', 'quantity(self).isGreaterThan(quantity("1Gi"))', 'quantity(self).isLessThan(quantity("1"))', 'quantity(self).compareTo(quantity("1024Mi")) == 0',
      'quantity(self).asInteger() == 1073741824', 'quantity(self).isInteger()', 'quantity(self).asApproximateFloat() < 1.0', 'quantity(self).add(quantity("1")).isGreaterThan(quantity("1"))', 'quantity(self).sub(1).compareTo(quantity("0")) >= 0',
      'sign(quantity(self)) == 1', 'quantity("1Gi") == quantity(self)', 'quantity("1") == quantity(self).add(quantity("1"))', 'isIP(self)', 'ip(self).family() == 4', 'ip(self).isLoopback()', 'ip(self).isGlobalUnicast()', 'ip.isCanonical(self)', 'string(ip(self)) == self',
      'isCIDR(self)', 'cidr(self).containsIP("10.1.2.3")', 'cidr(self).containsCIDR("10.1.0.0/16")', 'cidr(self).prefixLength() == 8', 'cidr(self).masked() == cidr(self)', 'string(cidr(self).ip()) == "10.0.0.0"',
      'format.dns1123Label().validate(self).hasValue() == false', '!format.dns1123Subdomain().validate(self).hasValue()', '!format.qualifiedName().validate(self).hasValue()', '!format.uuid().validate(self).hasValue()', '!format.named("date").value().validate(self).hasValue()',
      '!format.labelValue().validate(self).hasValue()', '!format.uri().validate(self).hasValue()', 'format.named("nothing").hasValue()', 'isSemver(self)', 'semver(self).major() == 1', 'semver(self).isLessThan(semver("1.0.1"))', 'semver(self, true).minor() == 2', 'isSemver(self, true)',
      { rule: 'format.dns1123Label().validate(self).hasValue() == false', messageExpression: 'format.dns1123Label().validate(self).value()[0]' },
      { rule: 'format.uri().validate(self).hasValue() == false', messageExpression: 'format.uri().validate(self).value()[0]' },
      { rule: 'format.qualifiedName().validate(self).hasValue() == false', messageExpression: 'format.qualifiedName().validate(self).value()[0]' },
    ],
    values: [
      'https://example.com:8080/a%20b?x=1&x=2&y', 'https://example.com', '/path', 'x', 'http://[::1]:80/', 'a:b', 'http://a b/', 'http://x/%zz', '1Gi', '500m', '1.5', '1e3', '.5', '10.5.3', '2k', '1K', '127.0.0.1', '::1', '2001:DB8::1', '300.1.1.1', '10.0.0.0/8', '10.1.2.3/8', 'fe80::/10',
      'my-label', 'a.example.com', 'example.com/Name', '123e4567-e89b-12d3-a456-426614174000', '2024-02-30', '2024-02-28', '1.2.3', '1.0.0-alpha.1+b', 'v1.2', '01.2.3', '',
    ],
  },
];

const structured: readonly RuleCase[] = [
  {
    title: 'objects',
    schema: object({ min: integer, max: integer, name: text, when: { type: 'string', format: 'date-time' }, nested: object({ on: boolean, level: integer }), 'a-b': integer, 'c.d': integer, 'e/f': integer, g__h: integer, in: integer, namespace: text }),
    rules: [
      'self.min <= self.max', 'has(self.min)', '!has(self.nested) || self.nested.on', 'has(self.nested.on)', 'self.nested.level > 2', 'self.?nested.?level.orValue(3) > 2', 'self.?nested.level.hasValue()', 'self.?min.optMap(m, m * 2).orValue(0) == 2',
      'self.?nested.optFlatMap(n, n.?level).orValue(9) == 9', 'self.?min.or(self.?max).value() > 0', 'self.a__dash__b == 1', 'self.c__dot__d == 2', 'self.e__slash__f == 3', 'self.g__underscores__h == 4', 'self.__in__ == 5', 'self.__namespace__ == "x"',
      'has(self.a__dash__b) == has(self.__in__)', 'has(self.when) && self.when < timestamp("2024-01-01T00:00:00Z")', 'self == self', 'type(self) == map', '[self.?min, self.?max].unwrapOpt().size() == 2', '[?self.?min, 7].size() == 2', '{?"min": self.?min}.size() == 1',
      'optional.ofNonZeroValue(self.min).hasValue()', 'self.nested == self.nested', 'optional.of(self.min).value() == 1',
      { rule: 'self.min <= self.max', message: 'min must not exceed max', reason: 'FieldValueForbidden', fieldPath: '.min' },
      { rule: 'self.min <= self.max', message: 'not twice', reason: 'FieldValueDuplicate' },
      { rule: 'has(self.name)', message: 'name is needed', reason: 'FieldValueRequired', fieldPath: '.name' },
      { rule: 'self.min <= self.max', reason: 'FieldValueInvalid', fieldPath: '.nested.level' },
      { rule: 'self.min <= self.max', messageExpression: '"%d is above %d".format([self.min, self.max])', fieldPath: "['a-b']" },
      { rule: 'self.min <= self.max', messageExpression: '"\\n"', message: 'not this' },
      { rule: 'self.min <= self.max', messageExpression: '" "' },
      { rule: 'self.min <= self.max', messageExpression: 'self.name + "\\n!"' },
      { rule: 'self.min\n<= self.max', message: ' on two lines ' },
    ],
    values: [
      {}, { min: 1, max: 2 }, { min: 3, max: 2, name: 'n' }, { min: 0, max: 0, nested: {} }, { min: 1, max: 1, nested: { on: true, level: 3 } }, { nested: { on: false } },
      { 'a-b': 1, 'c.d': 2, 'e/f': 3, g__h: 4, in: 5, namespace: 'x' }, { 'a-b': 9, in: 6, when: '2023-05-05T00:00:00Z' },
    ],
  },
  {
    title: 'lists',
    schema: list(integer),
    rules: [
      'self.all(x, x > 0)', 'self.exists(x, x == 3)', 'self.exists_one(x, x == 3)', 'self.map(x, x * 2) == [2, 4, 6]', 'self.filter(x, x > 1).size() == 2', 'self.map(x, x > 1, x * 10).sum() == 50', 'self.isSorted()', 'self.sum() == 6', 'self.min() == 1', 'self.max() == 3',
      'self.indexOf(3) == 2', 'self.lastIndexOf(1) == 0', '3 in self', 'self[0] == 1', 'self[5] == 1', 'self[?5].hasValue()', 'self[-1] == 1', 'self.size() == 3', 'self + [4] == [1, 2, 3, 4]', 'self == [1, 2, 3]', 'self.sort() == self', 'self.reverse()[0] == 3', 'self.distinct().size() == self.size()',
      'self.slice(0, 2) == [1, 2]', 'self.first().value() == 1', 'self.last().orValue(0) == 3', 'sets.contains(self, [1, 2])', 'sets.equivalent(self, [3, 2, 1])', 'sets.intersects(self, [3, 9])', 'self.all(i, x, i < x)', 'self.exists(i, x, i == x)', 'self.existsOne(i, x, i == 1)',
      'self.transformList(i, x, x + i).sum() == 9', 'self.transformList(i, x, i > 0, x).size() == 2', 'self.transformMap(i, x, x)[0] == 1', 'self.transformMapEntry(i, x, {x: i}).size() == 3', 'self.sortBy(x, -x)[0] == 3', 'self.all(x, 6 / x > 0)', 'self.exists(x, 6 / x == 2)', 'self.map(x, [x]).flatten() == self',
      '"%s".format([self]) == "[1, 2, 3]"', 'optional.ofNonZeroValue(self).hasValue()',
    ],
    values: [[1, 2, 3], [], [3, 1, 2], [0], [3, 3], [1]],
  },
  {
    title: 'sets',
    schema: set,
    rules: ['self == ["a", "b"]', '["a", "b"] == self', 'self + ["b", "c"] == ["a", "b", "c"]', '(self + ["b"]).size() == 2', '"a" in self', 'self.isSorted()', 'self != ["b", "a"]', '["b", "c"] + self == ["b", "c", "a", "b"]'],
    values: [['a', 'b'], ['b', 'a'], ['a'], []],
  },
  {
    title: 'lists that go by keys',
    schema: keyed,
    rules: ['self == self', 'self.exists(e, e.name == "a" && e.size > 1)', 'self.all(e, has(e.zone))', 'self.filter(e, e.name == "a").map(e, e.size).sum() == 2', 'self + self == self', 'self[0].name == "a"', 'self.exists_one(e, e.size == 2)'],
    values: [[{ name: 'a', size: 2 }, { name: 'b', zone: 'z' }], [{ name: 'b', size: 2 }, { name: 'a', size: 1 }], []],
  },
  {
    title: 'maps',
    schema: map(integer),
    rules: [
      'self.all(k, k.startsWith("a"))', 'self.all(k, self[k] > 0)', 'self.all(k, v, v > 0)', 'self.exists(k, v, k == "a-b" && v == 2)', '"a" in self', 'has(self.a)', 'self.a == 1', 'self["a-b"] == 2', 'self[?"x"].hasValue()', 'self.?a.orValue(0) == 1', 'self.size() == 2', 'self == {"a": 1, "a-b": 2}', 'self.map(k, k).size() == 2', 'self.transformMap(k, v, v * 2)["a"] == 2', 'self.transformList(k, v, v).sum() == 3', 'self.filter(k, self[k] == 1) == ["a"]',
    ],
    values: [{ a: 1, 'a-b': 2 }, {}, { b: 1 }, { a: 0 }],
  },
  {
    title: 'values that may be null',
    schema: object({ maybe: { ...integer, nullable: true }, items: list({ ...integer, nullable: true }), values: map({ ...integer, nullable: true }) }, { nullable: true }),
    rules: ['has(self.maybe)', 'self.?maybe.orValue(5) == 5'],
    values: [null, {}, { maybe: null }, { maybe: 5 }, { items: [null, 1] }, { values: { a: null } }],
  },
  {
    title: 'embedded resources',
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true, properties: { spec: object({ n: integer }) } },
    rules: ['self.kind == "Pod"', 'self.apiVersion.startsWith("v")', 'self.metadata.name == "x"', 'has(self.metadata.generateName)', 'self.spec.n > 1', 'self == self', 'self.metadata == self.metadata'],
    values: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: { n: 2 }, other: 1 }, { apiVersion: 'apps/v1', kind: 'X', metadata: { name: 'y', generateName: 'g' } }],
  },
  {
    title: 'unknown fields',
    schema: object({ known: integer }, { 'x-kubernetes-preserve-unknown-fields': true }),
    rules: ['self.known == 1', 'self == self', 'size([self]) == 1', 'has(self.known)'],
    values: [{ known: 1, other: 'x' }, { other: [1] }],
  },
];

const transitions: readonly RuleCase[] = [
  {
    title: 'a value that may not change',
    schema: integer,
    rules: [
      'self == oldSelf', 'self >= oldSelf', { rule: 'self > 3', message: 'too small' }, { rule: '!oldSelf.hasValue() || oldSelf.value() < self', optionalOldSelf: true }, { rule: 'oldSelf.orValue(0) < self', optionalOldSelf: true },
      { rule: 'self == oldSelf', messageExpression: '"was %d".format([oldSelf])' }, { rule: 'oldSelf.hasValue()', optionalOldSelf: true, messageExpression: '"was %d".format([oldSelf.value()])', message: 'fallback' },
    ],
    values: [1, 5],
    updates: [[1, 1], [1, 2], [2, 1], [5, 1]],
  },
  {
    title: 'a list that goes by keys, and may change otherwise',
    schema: object({ list: { ...keyed, items: { ...keyed.items, 'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size' }, { rule: 'self.size < 10' }] } } }),
    rules: ['self.list == oldSelf.list', 'oldSelf.list.all(o, self.list.exists(n, n.name == o.name))', 'self.list.map(e, e.size).sum() < 8'],
    values: [{ list: [{ name: 'a', size: 1 }, { name: 'b', size: 20 }] }],
    updates: [
      [{ list: [{ name: 'a', size: 1 }] }, { list: [{ name: 'b', size: 2 }, { name: 'a', size: 0 }] }],
      [{ list: [{ name: 'a', size: 1 }, { name: 'b', size: 30 }] }, { list: [{ name: 'b', size: 30 }, { name: 'a', size: 1 }] }],
      [{ list: [{ name: 'a', size: 1 }, { name: 'b', size: 30 }] }, { list: [{ name: 'b', size: 30 }, { name: 'a', size: 2 }] }],
      [{ list: [{ name: 'a', size: 1 }, { name: 'b', size: 30 }] }, { list: [{ name: 'b', size: 31 }] }],
    ],
  },
  {
    title: 'a list with two keys',
    schema: object({ list: { ...twoKeys, items: { ...twoKeys.items, 'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size' }] } } }),
    rules: ['self.list == oldSelf.list'],
    values: [{ list: [{ name: 'a', port: 1, size: 1 }] }],
    updates: [
      [{ list: [{ name: 'a', port: 1, size: 1 }, { name: 'a', port: 2, size: 5 }] }, { list: [{ name: 'a', port: 2, size: 4 }, { name: 'a', port: 1, size: 1 }] }],
      [{ list: [{ name: 'a', port: 1, size: 1 }] }, { list: [{ name: 'a', port: 3, size: 0 }] }],
    ],
  },
  {
    title: 'a map whose values may only grow',
    schema: object({ map: map({ ...integer, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }, { rule: 'self < 100' }] }) }),
    rules: ['self.map.all(k, !(k in oldSelf.map) || self.map[k] >= oldSelf.map[k])', 'oldSelf.map.all(k, k in self.map)'],
    values: [{ map: { a: 1, b: 200 } }],
    updates: [
      [{ map: { a: 1 } }, { map: { a: 0, b: 5 } }],
      [{ map: { a: 1, b: 200 } }, { map: { a: 2, b: 200 } }],
      [{ map: { a: 1, b: 200 } }, { map: { b: 201 } }],
    ],
  },
  {
    title: 'lists and sets that are one value',
    schema: object({ atomic: list({ ...integer, 'x-kubernetes-validations': [{ rule: 'self < 10' }] }), set: { ...set, items: { ...text, 'x-kubernetes-validations': [{ rule: 'self != "no"' }] } }, nested: object({ inner: { ...integer, 'x-kubernetes-validations': [{ rule: 'self < 10' }] } }) }),
    rules: ['!has(self.set) || self.set == oldSelf.set', '!has(self.atomic) || self.atomic == oldSelf.atomic', '!has(self.nested) || !has(oldSelf.nested) || self.nested == oldSelf.nested'],
    values: [{ atomic: [50], set: ['no'], nested: { inner: 50 } }],
    updates: [
      [{ atomic: [1, 50], set: ['a', 'no'] }, { atomic: [1, 50], set: ['no', 'a'] }],
      [{ atomic: [1, 50] }, { atomic: [2, 50] }],
      [{ set: ['a', 'no'] }, { set: ['a', 'no'] }],
      [{ nested: { inner: 50 } }, { nested: { inner: 50 }, atomic: [1] }],
      [{ nested: { inner: 50 } }, { nested: { inner: 51 } }],
    ],
  },
];

const nested: readonly RuleCase[] = [
  {
    title: 'rules at every level',
    schema: object({
      items: list(object({ tags: map({ ...text, 'x-kubernetes-validations': [{ rule: 'self.startsWith("t")' }] }), n: { ...integer, 'x-kubernetes-validations': [{ rule: 'self > 0' }, { rule: 'self < 9', message: 'below nine' }] } }, { 'x-kubernetes-validations': [{ rule: 'has(self.n)' }] })),
      'strange name!': { ...integer, 'x-kubernetes-validations': [{ rule: 'self == 1' }] },
      'dotted.name': { ...integer, 'x-kubernetes-validations': [{ rule: 'self == 1' }] },
    }),
    rules: ['!has(self.items) || self.items.all(i, i.n < 5)'],
    values: [{ items: [{ n: 0 }, { n: 20, tags: { a: 't', 'b/c': 'u' } }, {}] }, { 'strange name!': 2, 'dotted.name': 2 }, { items: [{ n: 1 }] }],
  },
];

/** Rules and values that a real API server and this package have to agree on. What stands together is one CRD: its cost is limited. */
export const ruleCases: readonly (readonly RuleCase[])[] = [scalars, formatted, structured, [...transitions, ...nested]];
