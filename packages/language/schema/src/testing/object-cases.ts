import { type JsonObject, type JsonValue, parse } from '@hawser/json';
import type { JsonSchemaProps } from '../json-schema-props.js';

/** One field, and values for it, good and bad. */
export interface FieldCase {
  readonly schema: JsonSchemaProps;
  readonly values: readonly JsonValue[];
}

const json = (...values: readonly string[]): readonly JsonValue[] => values.map((value) => parse(value));
const format = (name: string, ...values: readonly string[]): FieldCase => ({ schema: { type: 'string', format: name }, values: [...values, 5, ['list'], ''] });

const item = (properties: Readonly<Record<string, JsonSchemaProps>>, required: readonly string[] = []): JsonSchemaProps => ({ type: 'object', properties, required });

/** Values that no JSON of a kind in particular: every type is tried with them. */
export const ANY: readonly JsonValue[] = ['text', '', 0, 1, -1, 1.5, true, false, [], {}, [1], { a: 1 }, null, 2n ** 63n - 1n, 2n ** 64n, 1e300, 65];

export const FIELD_CASES: Readonly<Record<string, FieldCase>> = {
  string: { schema: { type: 'string' }, values: ANY },
  integer: { schema: { type: 'integer' }, values: [...ANY, ...json('5.0', '1e3', '-0', '9223372036854775808', '1.0000000000001')] },
  number: { schema: { type: 'number' }, values: ANY },
  boolean: { schema: { type: 'boolean' }, values: ANY },
  array: { schema: { type: 'array', items: { type: 'string' } }, values: ANY },
  object: { schema: { type: 'object' }, values: ANY },
  preserving: { schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, values: ANY },
  anything: { schema: { 'x-kubernetes-preserve-unknown-fields': true }, values: ANY },
  intOrString: { schema: { 'x-kubernetes-int-or-string': true }, values: ANY },
  intOrStringPattern: { schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^[0-9]+%$' }, values: [...ANY, '5%', '%'] },
  intOrStringMaximum: { schema: { 'x-kubernetes-int-or-string': true, maximum: 5, minimum: 1 }, values: [...ANY, 6, 5] },
  nullableString: { schema: { type: 'string', nullable: true }, values: ANY },
  nullableEnum: { schema: { type: 'string', nullable: true, enum: ['a'] }, values: ['a', 'b', null] },
  enumStrings: { schema: { type: 'string', enum: ['a', 'b"', 'ü'] }, values: ['a', 'b', 'b"', 'ü', 65, ['a'], {}, true] },
  enumInts: { schema: { type: 'integer', enum: [1, 2] }, values: [1, 3, 1.5, 2.0, '1'] },
  enumNumbers: { schema: { type: 'number', enum: [1, 2.5, 1e21] }, values: [1, 1.5, 2.5, 2, 1e21, 1e20] },
  enumObjects: { schema: { type: 'object', properties: { a: { type: 'integer' } }, enum: [{ a: 1 }, {}] }, values: [{ a: 1 }, { a: 2 }, {}] },
  enumLists: { schema: { type: 'array', items: { type: 'string' }, enum: [['a', 'b'], []] }, values: [['a', 'b'], ['b', 'a'], []] },
  enumMixed: { schema: { 'x-kubernetes-preserve-unknown-fields': true, enum: ['A', 1, true, null, [1], { a: null }] }, values: ['A', 65, 1, true, false, null, [1], { a: null }, 1.9] },
  maxLength: { schema: { type: 'string', maxLength: 3 }, values: ['abc', 'abcd', '😀😀😀', '😀😀😀😀', 'ääää', 'e\u0301e\u0301'] },
  maxLengthOne: { schema: { type: 'string', maxLength: 1 }, values: ['ab', 'a', ''] },
  minLength: { schema: { type: 'string', minLength: 2 }, values: ['a', '😀', 'ab', '', 'line\nbreak\t"\\\u0001\u007f\u00a0\u200b'] },
  lengthsAndPattern: { schema: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' }, values: ['a', 'abcde', 'A', 'ABC', 'abc'] },
  pattern: { schema: { type: 'string', pattern: '^[a-z]+$' }, values: ['abc', 'aBc', 'abc\n', '', 'ß\u2028'] },
  patternAnywhere: { schema: { type: 'string', pattern: 'b+' }, values: ['abc', 'ac', ''] },
  patternUnicode: { schema: { type: 'string', pattern: '^\\p{L}{2}$' }, values: ['äö', 'a1', '𝒳𝒴'] },
  patternFlags: { schema: { type: 'string', pattern: '(?i)^yes|no$' }, values: ['YES', 'maybe NO', 'maybe'] },
  patternAnyChar: { schema: { type: 'string', pattern: '^.$' }, values: ['😀', 'ab', '\n', ''] },
  maximum: { schema: { type: 'integer', maximum: 5 }, values: [5, 6, 5.5, -1, 2n ** 60n] },
  exclusiveMaximum: { schema: { type: 'integer', maximum: 5, exclusiveMaximum: true }, values: [5, 4, 6] },
  minimum: { schema: { type: 'integer', minimum: -5 }, values: [-5, -6, 0] },
  exclusiveMinimum: { schema: { type: 'number', minimum: 1.5, exclusiveMinimum: true }, values: [1.5, 1.6, 1, 2] },
  bigBounds: { schema: { type: 'number', minimum: -1_000_000, maximum: 123_456_789.5 }, values: [-1_000_001, 123_456_790, 1e21, -1e-7, 123_456_789.25] },
  fractionBoundOfInteger: { schema: { type: 'integer', maximum: 5.5 }, values: [5, 6, 7] },
  hugeBoundOfInteger: { schema: { type: 'integer', maximum: 1e20 }, values: [5, 2n ** 62n] },
  tinyBound: { schema: { type: 'number', minimum: 0.000_01 }, values: [0.000_001, 0.1, 0, -5] },
  multipleOf: { schema: { type: 'integer', multipleOf: 3 }, values: [3, 4, 0, -6, -7, 2n ** 62n] },
  multipleOfFraction: { schema: { type: 'number', multipleOf: 0.1 }, values: [0.3, 0.25, 1, 0.35, 1.1] },
  multipleOfLargerFraction: { schema: { type: 'number', multipleOf: 2.5 }, values: [5, 7.5, 7.6, 4] },
  multipleOfZero: { schema: { type: 'number', multipleOf: 0 }, values: [5, 1.5] },
  multipleOfNegative: { schema: { type: 'integer', multipleOf: -2 }, values: [4, 5] },
  int32: { schema: { type: 'integer', format: 'int32' }, values: [2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 'text', 1.5] },
  int32Maximum: { schema: { type: 'integer', format: 'int32', maximum: 2 ** 40, minimum: -(2 ** 40) }, values: [5, 2 ** 41, 2 ** 39] },
  int64: { schema: { type: 'integer', format: 'int64' }, values: [2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), true] },
  float: { schema: { type: 'number', format: 'float' }, values: [1.5, 1e39, -1e39, 3.4e38, 5, 'text'] },
  double: { schema: { type: 'number', format: 'double' }, values: [1.5, 1e308, 5, 'text', false] },
  formatUnknown: { schema: { type: 'string', format: 'poem' }, values: ['a', 5] },
  formatOfObject: { schema: { type: 'object', format: 'date' }, values: [{}, 'a'] },
  formatOfIntOrString: { schema: { 'x-kubernetes-int-or-string': true, format: 'date' }, values: ['2020-01-01', 'a', 5, [], true] },
  minItems: { schema: { type: 'array', items: { type: 'string' }, minItems: 2 }, values: [['a'], [], ['a', 'b']] },
  maxItems: { schema: { type: 'array', items: { type: 'string' }, maxItems: 1 }, values: [['a'], ['a', 'b'], [1, 2]] },
  minProperties: { schema: { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 }, values: [{}, { a: 'b' }] },
  maxProperties: { schema: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 1 }, values: [{ a: 'b' }, { a: 'b', c: 'd' }, { a: 1, c: 2 }] },
  required: { schema: item({ a: { type: 'string' }, b: { type: 'string' } }, ['a', 'b']), values: [{}, { a: 'x' }, { a: null, b: '' }, { a: 'x', b: 'y', c: 'z' }] },
  requiredOdd: { schema: { type: 'object', required: ['constructor', 'a.b', '__proto__'], properties: { constructor: { type: 'string' }, 'a.b': { type: 'string' } } }, values: json('{}', '{"constructor":"x","a.b":"y","__proto__":1}', '{"constructor":5}') },
  map: { schema: { type: 'object', additionalProperties: { type: 'integer' } }, values: [{ a: 1 }, { a: 'x', 'b.c/d': 'y' }, { '': 'z' }, { a: null }] },
  mapOfObjects: { schema: { type: 'object', additionalProperties: item({ a: { type: 'integer' } }, ['a']) }, values: [{ k: {} }, { k: { a: 1, b: 2 } }, { k: 'x' }] },
  mapOfAnything: { schema: { type: 'object', additionalProperties: true }, values: [{ a: { b: 1 } }, { a: [{ b: 1 }], c: 'x' }, {}] },
  mapOfNothing: { schema: { type: 'object', additionalProperties: false }, values: [{ a: 1 }, {}, { a: { b: 1 } }] },
  nested: { schema: { type: 'array', items: { type: 'array', items: item({ a: { type: 'string' } }, ['a']) } }, values: [[[{}]], [[{ a: 1 }], 'x'], [[]], [null], [[null]]] },
  anyOf: { schema: { type: 'string', anyOf: [{ minLength: 5 }, { pattern: '^x' }] }, values: ['abcdef', 'x', 'a', 5] },
  anyOfRequired: { schema: { ...item({ a: { type: 'string' }, b: { type: 'string' } }), anyOf: [{ required: ['a'] }, { required: ['b'] }] }, values: [{}, { a: '' }, { a: '', b: '' }] },
  anyOfProperties: {
    schema: { ...item({ a: { type: 'string' }, b: { type: 'integer' } }), anyOf: [{ properties: { a: { enum: ['x'] }, b: { minimum: 5 } } }, { properties: { a: { enum: ['y'] } }, required: ['b'] }] },
    values: [{ a: 'z' }, { a: 'y' }, { a: 'z', b: 4 }, { a: 'x', b: 4 }, {}],
  },
  oneOf: { schema: { type: 'integer', oneOf: [{ minimum: 5 }, { maximum: 10 }] }, values: [3, 7, 20] },
  oneOfRequired: {
    schema: { ...item({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } }), oneOf: [{ required: ['a', 'c'] }, { required: ['b'] }] },
    values: [{}, { a: '' }, { a: '', b: '' }, { a: '', b: '', c: '' }, { b: '' }],
  },
  allOf: { schema: { type: 'string', allOf: [{ minLength: 3 }, { maxLength: 5 }, { pattern: 'a' }] }, values: ['abc', 'a', 'bbbbbbb', 'b'] },
  not: { schema: { type: 'string', not: { enum: ['a', 'b'] } }, values: ['a', 'c', 5] },
  notRequired: { schema: { ...item({ a: { type: 'string' }, b: { type: 'string' } }), not: { required: ['a', 'b'] } }, values: [{ a: '' }, { a: '', b: '' }] },
  nestedBranches: {
    schema: { type: 'array', items: { type: 'integer' }, allOf: [{ anyOf: [{ items: { minimum: 5 } }, { oneOf: [{ maxItems: 1 }, { minItems: 3 }] }] }, { not: { minItems: 2, items: { maximum: 3 } } }] },
    values: [[1], [1, 2], [6, 7], [1, 2, 3], [1, 9], []],
  },
  set: { schema: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }, values: [['a', 'b'], ['a', 'b', 'a', 'a', 'b'], [null, null], [1, '1', 1]] },
  setOfNumbers: { schema: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } }, values: [[1, 2, 1], [0.5, 0.5, 1_000_000.5, 1_000_000.5], [1, 1.5]] },
  setOfMaps: { schema: { type: 'array', 'x-kubernetes-list-type': 'set', items: { ...item({ a: { type: 'string' }, b: { type: 'string' } }), 'x-kubernetes-map-type': 'atomic' } }, values: [[{ a: '1', b: '2' }, { b: '2', a: '1' }], [{}, {}]] },
  listMap: {
    schema: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: item({ k: { type: 'string' }, v: { type: 'integer' } }, ['k']) },
    values: [[{ k: 'a' }, { k: 'b' }], [{ k: 'a' }, { k: 'a', v: 1 }, { k: 'a' }], [{}, {}], ['x', {}], [null, null], [{ k: 'a' }, null]],
  },
  listMapTwoKeys: {
    schema: {
      type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: item({ port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } }, ['port']),
    },
    values: [[{ port: 1 }, { port: 1, protocol: 'UDP' }], [{ port: 1 }, { port: 1, protocol: 'TCP' }], [{}, {}]],
  },
  setInMap: { schema: { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } } }, values: [{ a: [1, 1] }, { a: [1], b: [2, 2] }] },
  defaults: {
    schema: {
      type: 'object', default: { a: 'from above' },
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'array', items: item({ c: { type: 'integer', default: 5 } }) }, d: { type: 'object', additionalProperties: item({ e: { type: 'string', default: 'y' } }) }, n: { type: 'string', nullable: true, default: 'z' } },
    },
    values: [{}, { a: null }, { b: [{}, { c: 1 }, { c: null }] }, { d: { k: {} } }, { n: null }, { a: 5 }],
  },
  defaultOfItems: { schema: { type: 'array', items: { type: 'string', default: 'x' } }, values: [['a', null], [null], []] },
  nullsInside: { schema: item({ a: { type: 'string' }, b: item({ c: { type: 'string' } }), d: { type: 'array', items: { type: 'string' } } }), values: [{ a: null, b: null, d: null }, { b: { c: null } }, { d: [null, 'x'] }, { unknown: null }] },
  nullsPreserved: { schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } }, values: [{ a: null, b: null }, { b: { c: null } }] },
  pruned: { schema: item({ a: item({ b: { type: 'string' } }), list: { type: 'array', items: item({ b: { type: 'string' } }) } }), values: [{ x: 1 }, { a: { x: { y: 1 } } }, { list: [{ x: 1 }, { b: 'y', x: [1] }] }, { kind: 'x', apiVersion: 'y', metadata: { z: 1 } }] },
  prunedBelowPreserved: {
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: item({ b: { type: 'string' } }), list: { type: 'array', items: item({ b: { type: 'string' } }) } } },
    values: [{ x: { y: 1 }, a: { b: '', c: 1 } }, { list: [{ b: '', c: 1 }] }],
  },
  preservedList: { schema: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: item({ b: item({ d: { type: 'string' } }) }) }, values: [[{ b: { x: 1 }, c: 1 }], [[{ c: 1 }]], [{ c: { d: 1 } }]] },
  preservedMap: { schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, additionalProperties: item({ b: { type: 'string' } }) }, values: [{ k: { b: '', c: 1 } }] },
  embedded: {
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    values: [
      {}, { apiVersion: 'v1', kind: 'Pod' }, { apiVersion: '', kind: '' }, { apiVersion: 'a/b/c', kind: 'Bad_Kind' }, { apiVersion: 5, kind: {} }, { apiVersion: 'v1', kind: 'x'.repeat(64) },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'y', labels: { a: 'b' }, unknown: 1 }, spec: { a: null } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b', namespace: 'Not Valid', generateName: 'c%d', labels: { 'bad key': 'bad value!', 'a/b/c': '', '/x': '' }, annotations: { '-x': '' } } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { finalizers: ['bad finalizer', 'orphan', 'foregroundDeletion'], generation: -1 } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { ownerReferences: [{}, { apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'y' }, { apiVersion: 'a/b', kind: 'K', name: 'n', uid: 'u', controller: true, foo: 1 }, { apiVersion: 'a/b', kind: 'K', name: 'm', uid: 'u', controller: true }] } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { managedFields: [{ operation: 'Wrong', fieldsType: 'FieldsV2', manager: 'x\u0007', time: '2020-01-01T00:00:00.5+02:00', fieldsV1: { 'f:a': {} } }] } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: null, deletionTimestamp: '2020-01-01T00:00:00Z', labels: {}, annotations: null, deletionGracePeriodSeconds: 0 } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: '..' } }, { apiVersion: 'v1', kind: 'Pod', metadata: null },
      ...[5, [], 'x', { name: 5 }, { labels: { a: 1 } }, { labels: [] }, { generation: 1.5 }, { ownerReferences: {} }, { ownerReferences: [{ uid: 4 }] }, { creationTimestamp: 'abc' }, { creationTimestamp: '2020-13-01T00:00:00Z' }, { creationTimestamp: '2020-02-30T00:00:00Z' }, { creationTimestamp: 5, name: 5 }, { finalizers: [1] }]
        .map((metadata): JsonValue => ({ apiVersion: 'v1', kind: 'Pod', metadata })),
    ],
  },
  embeddedWithSchema: {
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: item({ a: { type: 'string', default: 'x' } }), metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } } },
    values: [{ apiVersion: 'v1', kind: 'A', metadata: { name: 'abcd', x: 1 }, spec: { b: 1 }, status: {} }, { kind: 'A' }],
  },
  embeddedInList: { schema: { type: 'array', items: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } }, values: [[{}, { apiVersion: 'v1', kind: 'x y', metadata: { foo: 1 } }]] },
  embeddedInMap: { schema: { type: 'object', additionalProperties: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } }, values: [{ k: {}, 'l.m': { apiVersion: 'v1', kind: 'A', metadata: { foo: { bar: 1 } } } }] },

  bsonobjectid: format('bsonobjectid', '507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011', '507f1f77bcf86cd79943901', 'zz7f1f77bcf86cd799439011'),
  uri: format('uri', ...[
    'http://a.b/c?d#e', '/path', 'path', 'mailto:x@y', 'http://', '*', ':x', 'http://[::1]:80/', 'http://[::1', 'http://a b/', 'http://a/%zz', 'http://a/%20', 'http://a:port/', 'http://a:80:90/', 'ldap://a:80:90/',
    'http://u:p@h/', 'http://u^p@h/', 'http://a#b/', 'a b', '//host/path', '1http://x', 'http://%41/', 'http://%e4/', 'http://[fe80::1%25en0]/', 'http://[fe80::1%en0]/', 'http://[1.2.3.4]/', 'x:', 'http://h?x y', 'http://h/\u0001', 'http://ä/', '/%', 'x:%',
  ]),
  email: format('email', ...[
    'a@b', 'a@b.c', 'Bob <a@b.c>', '"B o b" <a@b>', 'a', '@b', 'a@', 'a..b@c', '.a@b', 'a.@b', '"a b"@c', '""@c', 'a@[1.2.3.4]', 'a@[x]', 'a@b (comment)', '(c) a@b', 'a@b c', 'g: a@b;', 'g: a@b, c@d;', 'g:;', '<a@b>', '<a@b', 'Bob a@b', 'ä@ö', 'a@b,c@d', ' a@b ', 'a@b (x', 'A. B <a@b>', '=?utf-8?q?x?= <a@b>', '=?foo?q?x?= <a@b>', '=?foo?q?x y?= <a@b>', 'a@b\n', 'a\\b@c', '"a\\"b"@c', 'a@b>', 'a @b', 'a@ b', 'x <> <a@b>', 'a@b (=?foo?q?x?=)',
  ]),
  hostname: format('hostname', 'a', 'a.b', 'a.bc', '-a', 'a-', 'a-b.cd', 'a_b', 'ä.öü', '1.2', '1.com', 'a..b', 'a.', 'A.COM', '😀.com', `${'a'.repeat(64)}.com`, 'a'.repeat(63), 'a--b', 'a b', `${'a.'.repeat(127)}com`, 'x'.repeat(65), '1.2.3.4'),
  ipv4: format('ipv4', '1.2.3.4', '01.2.3.4', '256.1.1.1', '1.2.3', '1.2.3.4.5', '::ffff:1.2.3.4', '::1', 'x', '1.2.3.', '1.2.3.0004', '1..2.3'),
  ipv6: format('ipv6', '::', '::1', '1::', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '::1%eth0', '1::2::3', ':1', '1:', '12345::', '::ffff:1.2.3.4', '::ffff:01.2.3.4', '1.2.3.4', 'g::', '1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', ':::'),
  cidr: format('cidr', '1.2.3.4/24', '1.2.3.4/33', '01.2.3.4/8', '::/0', '::/129', '1.2.3.4', '1.2.3.4/', '/24', '1.2.3.4/024', '1.2.3.4/-1', '00001::/64', 'x/1'),
  mac: format('mac', '01:23:45:67:89:ab', '01-23-45-67-89-ab', '0123.4567.89ab', '0123456789ab', '01:23:45:67:89', '01:23-45:67:89:ab', '01:23:45:67:89:ab:cd:ef', '0123.4567.89ab.cdef', '01:23:45:67:89:ag', '0123456789abcdef', '00:11:22:33:44:55:66:77:88:99:00:11:22:33:44:55:66:77:88:99', '0123.4567.89abc'),
  uuid: format('uuid', '123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', '123e4567-e89b-12d3-a456', '{123e4567-e89b-12d3-a456-426614174000}'),
  uuid3: format('uuid3', '123e4567-e89b-32d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'),
  uuid4: format('uuid4', '123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-42d3-c456-426614174000'),
  uuid5: format('uuid5', '123e4567-e89b-52d3-a456-426614174000', '123e4567-e89b-42d3-a456-426614174000'),
  isbn: format('isbn', '0321751043', '978-0321751041', '0321751044', '3 401 01319 X', '3 401 01319 x', '9780321751042', '978\u00a00321751041'),
  isbn10: format('isbn10', '0321751043', '978-0321751041', '0-321-75104-3', '032175104X'),
  isbn13: format('isbn13', '978-0321751041', '0321751043', '9780321751041', '9780321751040'),
  creditcard: format('creditcard', '4220855426222389', '4220 8554 2622 2389', '4220855426213389', 'x4220855426222389y', '374953669708156'),
  ssn: format('ssn', '123-45-6789', '123 45 6789', '123456789', '123-45 6789', '12-345-6789'),
  hexcolor: format('hexcolor', '#FFF', 'ffffff', '#ffff', 'ggg'),
  rgbcolor: format('rgbcolor', 'rgb(255,0,1)', 'rgb( 255 , 0 , 1 )', 'rgb(256,0,1)', 'rgb(01,0,1)', 'RGB(1,1,1)', 'rgb(1,1)'),
  byte: format('byte', 'aGVsbG8=', 'aGVsbG8', 'aGVs', 'a', '-_==', 'aGV sbG8='),
  password: format('password', 'anything', 'x'),
  date: format('date', '2020-02-29', '2021-02-29', '2020-13-01', '2020-1-1', '0000-01-01', '2020-01-01T00:00:00Z', '20200101', '1900-02-29', '2020-01-00', '2020-04-31'),
  duration: format('duration', '1h', '1h30m', '1.5h', '22 ns', '3 days', 'foo 3 days', '5 weeks', 'x', '-1h', '+5s', '0', '-0', '1', '5.s', '.5s', '.s', '5 lightyears', '5 nanoseconds', '5HOURS', '99999999999999999999h', '9999999999h', '5μs', '5µs', '5 µs', '1h 5x', '5 m', '5 min', '5 mi'),
  'date-time': format('date-time', '2020-01-01T00:00:00Z', '2020-01-01t00:00:00z', '2020-01-01T00:00:00', '2020-01-01 00:00:00Z', '2020-01-01T24:00:00Z', '2020-01-01T23:60:00Z', '2020-01-01T23:59:60Z', '2020-01-01T00:00:00.123456789+02:00', '2020-01-01T00:00:00+99:99', '2020-02-30T00:00:00Z', '2020-01-01T00:00:00,5Z', '2020-01-01T00:00:00.Z', '2020-01-01T00:00:00Ztail', 'x', '2020-01-01T00:00:00+0200'),
  datetime: format('datetime', '2020-01-01T00:00:00Z', 'x'),
  'k8s-short-name': format('k8s-short-name', 'abc', 'a-b', 'A', '-a', 'a'.repeat(63), 'a'.repeat(64), 'a.b'),
  'k8s-long-name': format('k8s-long-name', 'abc', 'a.b', 'A.b', 'a..b', `${'a'.repeat(100)}.b`, 'a'.repeat(254)),
};

/** All fields, as a schema of `spec`. */
export function specSchema(cases: Readonly<Record<string, FieldCase>>): JsonSchemaProps {
  return { type: 'object', properties: Object.fromEntries(Object.entries(cases).map(([name, { schema }]) => [name, schema])) };
}

export interface ObjectCase {
  readonly name: string;
  readonly spec: JsonObject;
}

export const OBJECT_CASES: readonly ObjectCase[] = Object.entries(FIELD_CASES).flatMap(([field, { values }]) =>
  values.map((value, index) => ({ name: `${field} ${index}`, spec: { [field]: value } })));

