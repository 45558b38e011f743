import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DiscoveryError } from '../discovery-error.js';
import { modelNameOf, modelsOfDocument, referenceOf } from './models.js';
import { toCRDSchema } from './to-crd-schema.js';

interface Vectors {
  readonly document: { readonly definitions: Readonly<Record<string, unknown>> };
  readonly schemas: Readonly<Record<string, { readonly text?: string; readonly error?: string }>>;
}

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../testing/crd-schemas.vectors.json'), 'utf8'),
) as Vectors;
const models = modelsOfDocument(vectors.document);

/** The same document as OpenAPI v3 has it: nothing stands beside a reference, and references are elsewhere. */
function asV3(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asV3);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as { $ref?: unknown };
  const converted = Object.fromEntries(Object.entries(rest).map(([name, child]) => [name, asV3(child)]));
  if (typeof $ref !== 'string') return converted;
  return { ...converted, default: {}, allOf: [{ $ref: $ref.replace('#/definitions/', '#/components/schemas/') }] };
}

/** Without what Go leaves out, and all keys in one order. */
function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, child]) => !(name === 'properties' && Object.keys(child as object).length === 0))
      .map(([name, child]) => [name, normalised(child)]),
  );
}

describe('toCRDSchema', () => {
  it('has something to compare with', () => {
    expect(Object.keys(vectors.schemas).length).toBeGreaterThan(8);
  });

  it.each(Object.entries(vectors.schemas))('%s', (name, { text, error }) => {
    for (const document of [vectors.document, { components: { schemas: asV3(vectors.document.definitions) } }]) {
      const act = (): unknown => toCRDSchema(modelsOfDocument(document), name);
      if (text === undefined) {
        expect(error).toContain('recursive');
        expect(act).toThrow(expect.objectContaining({ name: 'DiscoveryError', code: 'Unusable', retryable: false }));
      } else expect(normalised(act())).toEqual(JSON.parse(text));
    }
  });

  it('only list-maps have keys, whatever merge key a list names besides: kcp refuses it otherwise', () => {
    const list = (more: object): unknown =>
      toCRDSchema(
        new Map([
          [
            'a',
            {
              properties: {
                ips: {
                  type: 'array',
                  items: { $ref: '#/definitions/b' },
                  'x-kubernetes-patch-merge-key': 'ip',
                  ...more,
                },
              },
            },
          ],
          ['b', { properties: { ip: { type: 'string' } } }],
        ]),
        'a',
      );
    expect(list({ 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-patch-strategy': 'merge' })).toMatchObject({
      properties: { ips: { 'x-kubernetes-list-type': 'atomic', items: { properties: { ip: { type: 'string' } } } } },
    });
    for (const atomic of [
      list({ 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-patch-strategy': 'merge' }),
      list({ 'x-kubernetes-patch-strategy': 'replace' }),
    ]) {
      expect(JSON.stringify(atomic)).not.toMatch(/list-map-keys|required/u);
    }
    expect(list({})).toMatchObject({
      properties: {
        ips: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['ip'], items: { required: ['ip'] } },
      },
    });
  });

  it('a definition that is not there is refused', () => {
    expect(() => toCRDSchema(models, 'nothing')).toThrow(DiscoveryError);
    expect(() => toCRDSchema(new Map([['a', { properties: { b: { $ref: '#/definitions/c' } } }]]), 'a')).toThrow(
      'no definition c',
    );
    expect(() => toCRDSchema(new Map([['a', { properties: { b: { type: 'array' } } }]]), 'a')).toThrow('without items');
  });

  it('makes something of any document, or refuses it', () => {
    const node = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(
          {},
          null,
          7,
          { type: 'string' },
          { $ref: '#/definitions/a' },
          { $ref: 'x' },
          { type: ['string', 'null'] },
          { allOf: [] },
        ),
        fc.record(
          {
            type: fc.constantFrom('object', 'array', 'null', 7),
            properties: fc.dictionary(fc.constantFrom('a', '__proto__'), tie('node')),
            items: tie('node'),
            additionalProperties: tie('node'),
            required: tie('node'),
          },
          { requiredKeys: [] },
        ),
      ),
    })).node;
    fc.assert(
      fc.property(node, (value) => {
        try {
          expect(
            typeof toCRDSchema(
              modelsOfDocument({ definitions: { a: value, root: { properties: { x: value } } } }),
              'root',
            ),
          ).toBe('object');
        } catch (error) {
          expect(error).toBeInstanceOf(DiscoveryError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('definitions', () => {
  it('are found by group, version and kind', () => {
    expect(modelNameOf(models, 'rbac.authorization.k8s.io', 'v1', 'Role')).toBe('io.k8s.api.rbac.v1.Role');
    expect(modelNameOf(models, 'rbac.authorization.k8s.io', 'v2', 'Role')).toBeUndefined();
    expect(modelNameOf(models, '', 'v1', 'ConfigMap')).toBe('io.k8s.api.core.v1.ConfigMap');
  });

  it('are referred to in both versions of OpenAPI', () => {
    expect(referenceOf({ $ref: '#/definitions/a' })).toBe('a');
    expect(referenceOf({ description: 'd', allOf: [{ $ref: '#/components/schemas/a.b' }] })).toBe('a.b');
    expect(referenceOf({ allOf: [{ type: 'string' }] })).toBeUndefined();
    expect(referenceOf({ $ref: 'https://example.com/x' })).toBeUndefined();
  });

  it.each([undefined, null, 7, {}, { definitions: [] }, { components: null }])('of %j there are none', (document) => {
    expect(modelsOfDocument(document).size).toBe(0);
  });
});
