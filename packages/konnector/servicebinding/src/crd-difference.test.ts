import { describe, expect, it } from '@jest/globals';
import { sameCrdSpec } from './crd-difference.js';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer', maximum: 9007199254740993n }, items: { type: 'string' } },
    },
  },
};
const wanted = {
  group: 'example.com',
  names: { plural: 'databases', kind: 'Database' },
  scope: 'Namespaced',
  versions: [{ name: 'v1', served: true, storage: true, subresources: {}, schema: { openAPIV3Schema: schema } }],
};
const live = {
  group: 'example.com',
  names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
  scope: 'Namespaced',
  conversion: { strategy: 'None' },
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
};

const withSchema = (openAPIV3Schema: unknown) => ({
  ...wanted,
  versions: [{ ...wanted.versions[0], schema: { openAPIV3Schema } }],
});
const withVersion = (fields: object) => ({ ...wanted, versions: [{ ...wanted.versions[0], ...fields }] });

describe('sameCrdSpec', () => {
  it('ignores what the server fills in', () => {
    expect(sameCrdSpec(wanted, live)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['an empty description', withSchema({ ...schema, description: '' })],
    ['nullable false', withSchema({ ...schema, nullable: false })],
    ['an empty list of required fields', withSchema({ ...schema, required: [] })],
    ['no printer columns', withVersion({ additionalPrinterColumns: [] })],
    ['deprecated false', withVersion({ deprecated: false, deprecationWarning: '' })],
    ['no short names', { ...wanted, names: { ...wanted.names, shortNames: [] } }],
    ['preserveUnknownFields false', { ...wanted, preserveUnknownFields: false }],
  ])('ignores %s', (_, spec) => {
    expect(sameCrdSpec(spec, live)).toBe(true);
  });

  it('ignores a zero priority of a column', () => {
    const column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
    expect(
      sameCrdSpec(
        withVersion({ additionalPrinterColumns: [{ ...column, priority: 0, format: '' }] }),
        withVersion({ additionalPrinterColumns: [column] }),
      ),
    ).toBe(true);
  });

  it('tells defaults beyond 2^53 apart', () => {
    expect(
      sameCrdSpec(
        withSchema({ ...schema, default: { size: 9007199254740993n } }),
        withSchema({ ...schema, default: { size: 9007199254740992n } }),
      ),
    ).toBe(false);
  });

  it('reads limits as the server does, as doubles', () => {
    expect(
      sameCrdSpec(
        withSchema({ type: 'integer', maximum: 9007199254740993n }),
        withSchema({ type: 'integer', maximum: 9007199254740992n }),
      ),
    ).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a new property', withSchema({ ...schema, properties: { ...schema.properties, status: { type: 'object' } } })],
    [
      'a property called like a keyword',
      withSchema({ ...schema, properties: { ...schema.properties, nullable: { type: 'boolean' } } }),
    ],
    ['a default', withSchema({ ...schema, default: {} })],
    ['a null default', withSchema({ ...schema, default: null })],
    ['a default beyond 2^53', withSchema({ ...schema, default: { size: 9007199254740993n } })],
    ['a rule', withSchema({ ...schema, 'x-kubernetes-validations': [{ rule: 'true' }] })],
    ['a status subresource', withVersion({ subresources: { status: {} } })],
    ['another scope', { ...wanted, scope: 'Cluster' }],
    ['a short name', { ...wanted, names: { ...wanted.names, shortNames: ['db'] } }],
    [
      'a webhook',
      {
        ...wanted,
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://example.com' } },
        },
      },
    ],
    ['a second version', { ...wanted, versions: [...wanted.versions, { name: 'v2', served: true, storage: false }] }],
  ])('sees %s', (_, spec) => {
    expect(sameCrdSpec(spec, live)).toBe(false);
  });
});
