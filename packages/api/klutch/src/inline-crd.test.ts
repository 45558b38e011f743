import type { CRDVersion, CustomResourceDefinition } from '@hawser/crd';
import { boundSchemaSpecFromCRD, v1alpha1Hash } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import {
  boundSchemaSpecOf,
  crdFromExport,
  exportHash,
  inlineSpecFromBoundSchema,
  inlineSpecFromCRD,
  inlineSpecOf,
} from './inline-crd.js';
import type { APIServiceExport } from './kinds/api-service-export.js';

const version = (name: string, overrides: Partial<CRDVersion> = {}): CRDVersion => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', description: name } },
  subresources: { status: {} },
  ...overrides,
});

function crd(
  versions: readonly CRDVersion[],
  spec: Partial<CustomResourceDefinition['spec']> = {},
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'databases.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'databases', kind: 'Database', singular: 'database', listKind: 'DatabaseList' },
      versions,
      ...spec,
    },
  };
}

const webhook = {
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://example.com' } },
};
const stored = version('v1', { storage: true });
const exportOf = (spec: APIServiceExport['spec']): APIServiceExport => ({
  apiVersion: 'klutch.anynines.com/v1alpha1',
  kind: 'APIServiceExport',
  metadata: { name: 'databases.example.com', namespace: 'cluster-a' },
  spec,
});

describe('inlineSpecFromCRD', () => {
  it('keeps what is served, and no conversion', () => {
    const spec = inlineSpecFromCRD(
      crd([stored, version('v2', { deprecated: true, deprecationWarning: 'old' }), version('v0', { served: false })], {
        conversion: { strategy: 'None' },
      }),
    );
    expect(spec).toEqual({
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'databases', kind: 'Database', singular: 'database', listKind: 'DatabaseList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', description: 'v1' } },
          subresources: { status: {} },
        },
        {
          name: 'v2',
          served: true,
          storage: false,
          deprecated: true,
          deprecationWarning: 'old',
          schema: { openAPIV3Schema: { type: 'object', description: 'v2' } },
          subresources: { status: {} },
        },
      ],
    });
  });

  it('of a CRD that converts by webhook keeps the stored version alone, wherever it stands', () => {
    expect(
      inlineSpecFromCRD(crd([version('v2'), stored], { conversion: webhook })).versions.map(({ name, storage }) => [
        name,
        storage,
      ]),
    ).toEqual([['v1', true]]);
  });

  it.each([
    ['whose stored version is not served', crd([version('v2'), { ...stored, served: false }]), 'served and stored'],
    [
      'that converts and does not serve its stored version',
      crd([version('v2'), { ...stored, served: false }], { conversion: webhook }),
      'served and stored',
    ],
    ['without a schema', crd([{ name: 'v1', served: true, storage: true }]), 'schema'],
    ['of an unknown scope', crd([stored], { scope: 'Galaxy' }), 'spec.scope'],
  ])('refuses a CRD %s, of which no cluster could make anything', (_what, one, words) => {
    expect(() => inlineSpecFromCRD(one)).toThrow(words);
  });
});

describe('an export', () => {
  const spec = inlineSpecFromCRD(crd([stored, version('v2')]));
  const found = exportOf({ ...spec, informerScope: 'Cluster', permissionClaims: [{ resource: 'secrets' }] });

  it('carries its CRD, and nothing else of it', () => {
    expect(inlineSpecOf(found)).toEqual(spec);
    expect(crdFromExport(found)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'databases.example.com' },
      spec,
    });
  });

  it('has a hash of that part alone, as v1alpha1 of kube-bind computed it', () => {
    expect(exportHash(inlineSpecOf(found))).toBe(v1alpha1Hash(spec));
    expect(exportHash(spec)).toMatch(/^[0-9A-Za-z]{30,38}$/u);
    expect(exportHash({ ...spec, scope: 'Cluster' })).not.toBe(exportHash(spec));
  });

  it('says the same as a BoundSchema of kube-bind, and back', () => {
    expect(boundSchemaSpecOf(found)).toEqual(
      boundSchemaSpecFromCRD(crd([stored, version('v2')]), { informerScope: 'Cluster', isolation: 'Prefixed' }),
    );
    expect(inlineSpecFromBoundSchema('databases.example.com', boundSchemaSpecOf(found))).toEqual(spec);
    const bare = {
      ...boundSchemaSpecOf(found),
      versions: boundSchemaSpecOf(found).versions.map((one) => ({
        ...one,
        schema: { type: 'object', description: one.name },
      })),
    };
    expect(inlineSpecFromBoundSchema('databases.example.com', bare)).toEqual(spec);
  });
});
