import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonical, equal, parse } from './index.js';

describe('canonical', () => {
  it('writes what Go 1.26 writes for the same map', () => {
    const value = {
      z: '<a href="x">&\u2028\u2029</a>',
      '\uffee': 1,
      '\u{1F600}': 2,
      a: [1.5, 1e21, 1e-7, 0.000001, 1e20, 9223372036854775807n, 100, true, null],
      ctl: '\b\f\n\r\t\0\u001f\u007f',
      '\\': "/'é",
      '': {},
      aB: 1,
      aa: 2,
      'a b': 3,
      none: undefined,
    };
    expect(canonical(value)).toBe(
      '{"":{},"\\\\":"/\'é","a":[1.5,1e+21,1e-7,0.000001,100000000000000000000,9223372036854775807,100,true,null],"a b":3,"aB":1,"aa":2,' +
        '"ctl":"\\b\\f\\n\\r\\t\\u0000\\u001f\u007f","z":"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u2029\\u003c/a\\u003e","\uffee":1,"\u{1F600}":2}',
    );
  });

  it('sorts by bytes, not by UTF-16 units', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 3 })), (keys) => {
        const written = Object.keys(
          JSON.parse(canonical(Object.fromEntries(keys.map((key) => [`k${key}`, 1])))) as object,
        );
        expect(written).toEqual(
          keys.map((key) => `k${key}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        );
      }),
    );
  });

  it('gives the hash of the schema hash vector (spec/kube-bind-api.md §13.2)', () => {
    const spec = {
      informerScope: 'Cluster',
      group: 'wildwest.dev',
      names: { plural: 'sheriffs', singular: 'sheriff', kind: 'Sheriff', listKind: 'SheriffList' },
      scope: 'Cluster',
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { status: {} },
        },
      ],
    };
    const text = `${canonical(spec, { sortKeys: false })}\n`;
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      '2ed3c5cacd06cdeda6b34ce31608bf5a9f963011b5e3932fe448360477a9f70d',
    );
  });

  it('leaves < > & alone when told to', () => {
    expect(canonical('<&>\u2028', { escapeHtml: false })).toBe('"<&>\\u2028"');
  });

  it('replaces lone surrogates as Go does when it reads them', () => {
    expect(canonical('a\ud800b')).toBe('"a\ufffdb"');
  });

  it('does not depend on the order of keys, and says the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonical(value);
        expect(canonical(parse(text))).toBe(text);
        expect(equal(parse(text), parse(JSON.stringify(value)))).toBe(true);
      }),
    );
  });

  it.each([NaN, Infinity, undefined, () => 1])('throws on %s', (value) => {
    expect(() => canonical(value)).toThrow(TypeError);
    expect(() => canonical([value])).toThrow(TypeError);
  });
});
