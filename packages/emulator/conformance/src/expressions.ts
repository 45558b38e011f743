import type { JsonObject, JsonValue } from '@hawser/json';
import { integer, list } from './definition.js';

/** A rule and its test values. */
export interface Expression {
  readonly title: string;
  /** Its place in the spec of the shared kind. */
  readonly field: string;
  readonly rule: string;
  readonly properties: JsonObject;
  readonly values: readonly JsonValue[];
}

type Row = readonly [rule: string, properties: JsonObject, values: readonly JsonValue[]];

const text: JsonObject = { type: 'string', maxLength: 30 };
const texts = list(text, { maxItems: 5 });

const rows: Readonly<Record<string, Row>> = {
  'string functions': [
    "self.a.lowerAscii() == self.b && self.a.size() < 5 && self.b.matches('^[a-z]*$') && self.a.indexOf('x') == -1",
    { a: text, b: text },
    [
      { a: 'AB', b: 'ab' },
      { a: 'ABX', b: 'x' },
    ],
  ],
  'split, replace and trim': [
    "self.a.split('-').size() == 2 && self.b.trim().size() == 1 && self.b.replace('b', 'cc').size() == 4",
    { a: text, b: text },
    [
      { a: 'x-y', b: ' b ' },
      { a: 'x-y', b: 'b' },
      { a: 'xy', b: ' b ' },
    ],
  ],
  'all and exists': [
    "self.list.all(x, x.startsWith('a')) && self.list.exists(x, x.endsWith('z'))",
    { list: texts },
    [{ list: ['a', 'az'] }, { list: ['b'] }, { list: [] }],
  ],
  'exists_one, filter and map': [
    "self.list.exists_one(x, x == 'a') && self.list.filter(x, x != 'a').map(x, x + '!').size() == 1",
    { list: texts },
    [{ list: ['a', 'b'] }, { list: ['a', 'a'] }],
  ],
  'isSorted, sum, min, max': [
    'self.numbers.isSorted() && self.numbers.sum() < 10 && self.numbers.max() - self.numbers.min() < 4',
    { numbers: list(integer, { maxItems: 5 }) },
    [{ numbers: [1, 2, 3] }, { numbers: [3, 2] }, { numbers: [1, 9] }],
  ],
  'maps and in': [
    "'a' in self.map && self.map.all(k, self.map[k] > 0)",
    { map: { type: 'object', additionalProperties: integer, maxProperties: 5 } },
    [{ map: { a: 1 } }, { map: { b: 1 } }, { map: { a: 0 } }],
  ],
  'has and optional fields': [
    "has(self.a) ? self.a == 'x' : !has(self.b)",
    { a: text, b: text },
    [{}, { a: 'x' }, { b: 'y' }, { a: 'y' }],
  ],
  'integer division and modulo': [
    'self.n / 2 * 2 == self.n && self.n % 3 == 0',
    { n: integer },
    [{ n: 6 }, { n: 7 }, { n: 4 }],
  ],
  'division by zero is an error': ['10 / self.n > 1', { n: integer }, [{ n: 5 }, { n: 0 }]],
  quantities: [
    "quantity(self.q).isLessThan(quantity('1Gi')) && isQuantity(self.q)",
    { q: text },
    [{ q: '500Mi' }, { q: '2Gi' }, { q: 'much' }],
  ],
  urls: [
    "isURL(self.u) && url(self.u).getScheme() == 'https' && url(self.u).getHostname() == 'example.com'",
    { u: text },
    [{ u: 'https://example.com/a' }, { u: 'http://example.com' }, { u: 'nothing' }],
  ],
  addresses: [
    "isIP(self.a) && ip(self.a).family() == 4 && cidr('10.0.0.0/8').containsIP(self.a)",
    { a: text },
    [{ a: '10.1.2.3' }, { a: '11.1.2.3' }, { a: '::1' }],
  ],
  'find and findAll': [
    "self.a.find('[0-9]+') == '12' && self.a.findAll('[0-9]').size() == 3",
    { a: text },
    [{ a: 'x12y3' }, { a: 'x1' }],
  ],
  semver: [
    "semver(self.v).isGreaterThan(semver('1.2.0')) && isSemver(self.v)",
    { v: text },
    [{ v: '1.3.0' }, { v: '1.2.0' }, { v: 'v1' }],
  ],
  format: ["'%s-%d'.format([self.a, 5]) == 'x-5'", { a: text }, [{ a: 'x' }, { a: 'y' }]],
  'field names that are escaped': [
    "self.__namespace__ == 'a' && self.with__dash__dash == 'b' && self.dot__dot__name == 'c'",
    { namespace: text, 'with-dash': text, 'dot.name': text },
    [
      { namespace: 'a', 'with-dash': 'b', 'dot.name': 'c' },
      { namespace: 'x', 'with-dash': 'b', 'dot.name': 'c' },
    ],
  ],
  'set lists compare without order': [
    "self.tags == ['a', 'b']",
    { tags: list(text, { maxItems: 5, 'x-kubernetes-list-type': 'set' }) },
    [{ tags: ['b', 'a'] }, { tags: ['a'] }],
  ],
  timestamps: [
    "self.at < timestamp('2021-01-01T00:00:00Z') && self.at.getFullYear() == 2020",
    { at: { type: 'string', format: 'date-time' } },
    [{ at: '2020-06-01T00:00:00Z' }, { at: '2022-01-01T00:00:00Z' }],
  ],
  'int or string': [
    "type(self.q) == int ? self.q < 10 : self.q == '50%'",
    { q: { 'x-kubernetes-int-or-string': true } },
    [{ q: 5 }, { q: '50%' }, { q: 50 }, { q: '5' }],
  ],
  'numbers of different types': [
    'double(self.n) <= self.d',
    { n: integer, d: { type: 'number' } },
    [
      { n: 1, d: 1 },
      { n: 2, d: 1.5 },
    ],
  ],
};

export const expressions: readonly Expression[] = Object.entries(rows).map(([title, [rule, properties, values]]) => ({
  title,
  rule,
  properties,
  values,
  field: title.replaceAll(/[^a-z]+(.)/giu, (_, letter: string) => letter.toUpperCase()),
}));
