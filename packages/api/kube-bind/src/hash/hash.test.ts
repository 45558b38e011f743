import { describe, expect, it } from '@jest/globals';
import type { BoundSchemaSpec } from '../kinds/bound-schema.js';
import type { V1alpha1APIServiceExportCRDSpec } from '../kinds/api-service-export.js';
import { identityHash } from './identity-hash.js';
import { encodeBoundSchemaSpec, exportHash, schemaHash } from './schema-hash.js';
import { v1alpha1Hash } from './v1alpha1-hash.js';

const sheriffs: BoundSchemaSpec = {
  // Written in another order than the encoding's.
  versions: [
    {
      subresources: { status: {} },
      storage: true,
      served: true,
      name: 'v1alpha1',
      schema: { openAPIV3Schema: { type: 'object' } },
    },
  ],
  scope: 'Cluster',
  names: { kind: 'Sheriff', listKind: 'SheriffList', plural: 'sheriffs', singular: 'sheriff' },
  group: 'wildwest.dev',
  informerScope: 'Cluster',
};

describe('identityHash', () => {
  it.each([
    ['test-id-123', '37p3oxx6sh4fd'],
    ['test-id-456', '2wikse9fhn0m5'],
    ['', '36ks9xj4a2n61'],
    ['acme-cluster-1', 'v6gv14ju4xw7'],
  ])('of %j is %s', (identity, expected) => {
    expect(identityHash(identity)).toBe(expected);
  });
});

describe('schemaHash', () => {
  it('reproduces the known vector whatever the order of the fields in memory', () => {
    expect(schemaHash(sheriffs)).toBe('2ed3c5cacd06cdeda6b34ce31608bf5a9f963011b5e3932fe448360477a9f70d');
  });

  it('of an export with one resource is that of its schema', () => {
    expect(exportHash([sheriffs])).toBe(schemaHash(sheriffs));
  });

  it('of an export depends on the order of its resources', () => {
    const zones: BoundSchemaSpec = { ...sheriffs, names: { plural: 'zones', kind: 'Zone' } };
    expect(exportHash([sheriffs, zones])).not.toBe(exportHash([zones, sheriffs]));
  });

  it('escapes HTML characters and line separators, in the raw schema too', () => {
    const text = encodeBoundSchemaSpec({
      ...sheriffs,
      group: 'a<b>&\u2028\u2029',
      versions: [{ ...sheriffs.versions[0]!, schema: { description: '<&>', 'x<y': 1 } }],
    });
    expect(text).toContain('"group":"a\\u003cb\\u003e\\u0026\\u2028\\u2029"');
    expect(text).toContain('"schema":{"description":"\\u003c\\u0026\\u003e","x\\u003cy":1}');
  });

  it('writes the keys of the raw schema in the order of their bytes', () => {
    const text = encodeBoundSchemaSpec({
      ...sheriffs,
      versions: [{ ...sheriffs.versions[0]!, schema: { '\u{1f600}': 1, '\uffee': 2, b: 3, '9': 4, '10': 5, B: 6 } }],
    });
    expect(text).toContain('"schema":{"10":5,"9":4,"B":6,"b":3,"\uffee":2,"\u{1f600}":1}');
  });

  it('leaves out what Go leaves out, and keeps what it keeps', () => {
    const text = encodeBoundSchemaSpec({
      ...sheriffs,
      names: { plural: 'sheriffs', kind: 'Sheriff', singular: '', shortNames: [], categories: ['all'] },
      versions: [
        {
          name: 'v1',
          served: false,
          storage: false,
          deprecated: false,
          deprecationWarning: '',
          schema: {},
          additionalPrinterColumns: [
            { name: 'Age', type: 'date', priority: 0, jsonPath: '.a' },
            { name: 'B', type: 'string', format: 'byte', description: 'd', priority: 1, jsonPath: '.b' },
          ],
        },
        {
          name: 'v2',
          served: true,
          storage: true,
          deprecated: true,
          schema: {},
          subresources: { scale: { specReplicasPath: '.s', statusReplicasPath: '.t' } },
        },
      ],
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x', caBundle: 'QQ==\n' } } },
    });
    expect(text).toBe(
      '{"informerScope":"Cluster","group":"wildwest.dev","names":{"plural":"sheriffs","kind":"Sheriff","categories":["all"]},"scope":"Cluster","versions":[' +
        '{"name":"v1","served":false,"storage":false,"deprecationWarning":"","schema":{},"subresources":{},"additionalPrinterColumns":[' +
        '{"name":"Age","type":"date","jsonPath":".a"},{"name":"B","type":"string","format":"byte","description":"d","priority":1,"jsonPath":".b"}]},' +
        '{"name":"v2","served":true,"storage":true,"deprecated":true,"schema":{},"subresources":{"scale":{"specReplicasPath":".s","statusReplicasPath":".t"}}}],' +
        '"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x","caBundle":"QQ=="},"conversionReviewVersions":null}}}\n',
    );
  });

  it('writes integers beyond 2^53 exactly', () => {
    const text = encodeBoundSchemaSpec({
      ...sheriffs,
      versions: [{ ...sheriffs.versions[0]!, schema: { maximum: 9223372036854775807n, x: 1e21, y: 1e-7 } }],
    });
    expect(text).toContain('"schema":{"maximum":9223372036854775807,"x":1e+21,"y":1e-7}');
  });
});

describe('v1alpha1Hash', () => {
  const spec: V1alpha1APIServiceExportCRDSpec = {
    group: 'wildwest.dev',
    names: { plural: 'sheriffs', kind: 'Sheriff' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  };

  it('is SHA-224 in base 62 of the JSON without a newline', () => {
    // Worked out by hand from: {"group":"wildwest.dev","names":{"plural":"sheriffs","kind":"Sheriff"},"scope":"Namespaced","versions":[{"name":"v1","served":true,
    // "storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{}}]}
    expect(v1alpha1Hash(spec)).toBe('7ShWWEGMliDAzSI8rVCzHWx2LEUS6GbbTVLqwU');
  });

  it('changes with the schema', () => {
    const other = {
      ...spec,
      versions: [{ ...spec.versions[0]!, schema: { openAPIV3Schema: { type: 'object', description: 'x' } } }],
    };
    expect(v1alpha1Hash(other)).not.toBe(v1alpha1Hash(spec));
  });
});
