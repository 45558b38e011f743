import { describe, expect, it } from '@jest/globals';
import { formatCheckFor, knownFormat } from './format-check.js';

/** Of each format something that it accepts, and something that looks much like it. */
const EXAMPLES: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> = {
  bsonobjectid: [['507f1f77bcf86cd799439011'], ['507f1f77bcf86cd79943901']],
  uri: [
    ['http://a.b/c?d#e', '/path', 'mailto:x@y', 'http://[fe80::1%25en0]/'],
    ['path', 'http://a:port/', 'http://%41/', 'http://a/%zz'],
  ],
  email: [
    ['a@b', 'Bob <a@b.c>', '"a b"@c', 'a@[1.2.3.4]', 'g: a@b;'],
    ['a', 'a..b@c', '"B o b" a@b', 'g:;', 'a@b,c@d', '=?foo?q?x?= <a@b>'],
  ],
  hostname: [
    ['a', 'a-b.cd', '1.com'],
    ['-a', 'a_b', `${'a'.repeat(64)}.com`],
  ],
  ipv4: [
    ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'],
    ['256.1.1.1', '::1'],
  ],
  ipv6: [
    ['::', '1:2:3:4:5:6:1.2.3.4'],
    ['1::2::3', '::1%eth0', '::ffff:01.2.3.4'],
  ],
  cidr: [
    ['1.2.3.4/24', '::/0'],
    ['1.2.3.4/33', '1.2.3.4'],
  ],
  mac: [['01:23:45:67:89:ab', '0123.4567.89ab'], ['01:23-45:67:89:ab']],
  uuid: [['123E4567E89B12D3A456426614174000'], ['123e4567-e89b-12d3-a456']],
  isbn: [['0321751043', '978-0321751041'], ['0321751044']],
  creditcard: [['4220 8554 2622 2389'], ['4220855426213389']],
  ssn: [['123-45-6789'], ['123456789']],
  rgbcolor: [['rgb( 255 , 0 , 1 )'], ['rgb(256,0,1)']],
  byte: [['aGVsbG8='], ['', 'aGVsbG8']],
  date: [['2020-02-29'], ['2021-02-29', '1900-02-29']],
  'date-time': [
    ['2020-01-01t00:00:00z', '2020-01-01T23:59:59.5+02:00'],
    ['2020-01-01T24:00:00Z', '2020-01-01T00:00:00'],
  ],
  duration: [
    ['1h30m', '22 ns', 'foo 3 days', '-1.5s', '0'],
    ['1', 'x', '5 lightyears'],
  ],
  'k8s-short-name': [['a-b'], ['a.b', 'A']],
};

describe('formats', () => {
  it.each(Object.entries(EXAMPLES))('%s', (format, [good, bad]) => {
    const check = formatCheckFor(knownFormat({ type: 'string', format }));
    expect(good.filter((text) => check?.accepts(text) !== true)).toEqual([]);
    expect(bad.filter((text) => check?.accepts(text) !== false)).toEqual([]);
  });

  it('are ignored where the API server does not know them for a type', () => {
    expect([
      knownFormat({ type: 'string', format: 'int32' }),
      knownFormat({ type: 'integer', format: 'date' }),
      knownFormat({ type: 'object', format: 'date' }),
      knownFormat({ format: 'poem' }),
    ]).toEqual(['', '', '', '']);
  });
});
