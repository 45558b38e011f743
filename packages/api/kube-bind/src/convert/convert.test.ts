import { describe, expect, it } from '@jest/globals';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { BoundSchema } from '../kinds/bound-schema.js';
import type { CustomResourceDefinition } from '@hawser/crd';
import { validate } from '../validate.js';
import { crdFromBoundSchema } from './bound-schema-to-crd.js';
import { ConversionError } from './conversion-error.js';
import { boundSchemaFromCRD, boundSchemaSpecFromCRD } from './crd-to-bound-schema.js';
import { isOwnedByBinding, providerOwnedNamespace } from './ownership.js';
import { servedResource, servedVersion, storedResource } from './served-resource.js';
import { crdFromV1alpha1Export, v1alpha1ExportFromCRD } from './v1alpha1.js';

const openAPIV3Schema = {
  type: 'object',
  properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
};

const widgets: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'widgets.example.com',
    labels: { a: 'b' },
    managedFields: [{ manager: 'x' }],
    uid: 'u',
    resourceVersion: '7',
  },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'] },
    scope: 'Namespaced',
    preserveUnknownFields: false,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.a' }],
        additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
      },
      {
        name: 'v1beta1',
        served: false,
        storage: false,
        deprecated: true,
        deprecationWarning: 'old',
        schema: { openAPIV3Schema },
      },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { url: 'https://convert.example.com/', caBundle: 'QQ==', service: { name: 's' } },
      },
    },
  },
  status: { storedVersions: ['v1'] },
};

const options = {
  name: 'widgets.example.com',
  namespace: 'cluster-x',
  informerScope: 'Namespaced',
  isolation: 'Prefixed',
} as const;

describe('boundSchemaFromCRD', () => {
  it('keeps what both have and drops the rest', () => {
    const schema = boundSchemaFromCRD(widgets, options);
    expect(schema).toEqual({
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'BoundSchema',
      metadata: { name: 'widgets.example.com', namespace: 'cluster-x' },
      spec: {
        informerScope: 'Namespaced',
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'] },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
          },
          {
            name: 'v1beta1',
            served: false,
            storage: false,
            deprecated: true,
            deprecationWarning: 'old',
            schema: { openAPIV3Schema },
          },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: 'https://convert.example.com/', caBundle: 'QQ==' },
          },
        },
      },
    });
    expect(validate('BoundSchema', schema)).toEqual([]);
  });

  it('keeps __proto__ a property name like any other', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') as Record<
      string,
      unknown
    >;
    const source = {
      ...widgets,
      spec: {
        ...widgets.spec,
        versions: [{ ...widgets.spec.versions[0]!, schema: { openAPIV3Schema: { type: 'object', properties } } }],
      },
    };
    expect(JSON.stringify(boundSchemaFromCRD(source, options).spec?.versions[0]?.schema)).toContain(
      '"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}',
    );
  });

  it.each([
    ['Namespaced', 'Namespaced', 'Cluster'],
    ['Namespaced', 'Cluster', 'Cluster'],
    ['Prefixed', 'Namespaced', 'Namespaced'],
    ['None', 'Namespaced', 'Namespaced'],
    ['None', 'Cluster', 'Cluster'],
  ] as const)('isolation %s offers scope %s as %s', (isolation, scope, expected) => {
    expect(
      boundSchemaSpecFromCRD({ ...widgets, spec: { ...widgets.spec, scope } }, { ...options, isolation }).scope,
    ).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['no spec', undefined, 'spec.group is required'],
    ['no versions', { ...widgets.spec, versions: [] }, 'spec.versions must have at least 1 entries'],
    [
      'no schema',
      { ...widgets.spec, versions: [{ name: 'v1', served: true, storage: true }] },
      'spec.versions[0].schema is required',
    ],
    [
      'an odd version',
      { ...widgets.spec, versions: [{ ...widgets.spec.versions[0], name: '1' }] },
      'spec.versions[0].name must match',
    ],
  ])('refuses a source with %s, in words', (_title, spec, message) => {
    expect(() => boundSchemaFromCRD({ ...widgets, spec }, options)).toThrow(ConversionError);
    expect(() => boundSchemaFromCRD({ ...widgets, spec }, options)).toThrow(
      `CustomResourceDefinition widgets.example.com: `,
    );
    expect(() => boundSchemaFromCRD({ ...widgets, spec }, options)).toThrow(message);
  });
});

describe('crdFromBoundSchema', () => {
  const schema = boundSchemaFromCRD(widgets, options);

  it('gives back the CRD without its metadata', () => {
    expect(crdFromBoundSchema(schema)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'] },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
          },
          {
            name: 'v1beta1',
            served: false,
            storage: false,
            deprecated: true,
            deprecationWarning: 'old',
            schema: { openAPIV3Schema },
            subresources: {},
          },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: 'https://convert.example.com/', caBundle: 'QQ==' },
          },
        },
      },
    });
  });

  it('adds the owner', () => {
    const owner = {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      name: 'b',
      uid: 'u',
      controller: true,
    };
    expect(crdFromBoundSchema(schema, owner).metadata.ownerReferences).toEqual([owner]);
  });

  const withSpec = (change: Partial<NonNullable<BoundSchema['spec']>>): BoundSchema => ({
    ...schema,
    spec: { ...schema.spec!, ...change },
  });

  it('reads a bare schema too', () => {
    const [first] = crdFromBoundSchema(
      withSpec({ versions: [{ ...schema.spec!.versions[0]!, schema: openAPIV3Schema }] }),
    ).spec.versions;
    expect(first?.schema).toEqual({ openAPIV3Schema });
  });

  it('has no conversion if there is none, and no webhook for strategy None', () => {
    expect(crdFromBoundSchema(withSpec({ conversion: undefined })).spec).not.toHaveProperty('conversion');
    expect(crdFromBoundSchema(withSpec({ conversion: { strategy: 'None' } })).spec.conversion).toEqual({
      strategy: 'None',
    });
  });

  it('refuses a BoundSchema without spec', () => {
    expect(() => crdFromBoundSchema({ ...schema, spec: undefined })).toThrow(ConversionError);
  });
});

describe('isOwnedByBinding', () => {
  const owned = (change: object): CustomResourceDefinition => ({
    ...widgets,
    metadata: {
      ...widgets.metadata,
      ownerReferences: [
        { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', name: 'b', uid: 'u', ...change },
      ],
    },
  });

  it.each<[string, object, string | undefined, boolean]>([
    ['the same', {}, 'u', true],
    ['another version', { apiVersion: 'kube-bind.io/v1alpha1' }, 'u', true],
    ['not the controller', { controller: false }, 'u', true],
    ['any uid', { uid: 'x' }, undefined, false],
    ['no uid at all', { uid: '' }, undefined, false],
    ['another uid', { uid: 'x' }, 'u', false],
    ['another name', { name: 'c' }, 'u', false],
    ['another kind', { kind: 'APIServiceBindingBundle' }, 'u', false],
    ['another group', { apiVersion: 'kube-bind.iox/v1alpha2' }, 'u', false],
  ])('%s', (_title, change, uid, expected) => {
    expect(isOwnedByBinding(owned(change), { metadata: { name: 'b', uid } })).toBe(expected);
  });

  it('without owners is false', () => {
    expect(isOwnedByBinding(widgets, { metadata: { name: 'b', uid: 'u' } })).toBe(false);
  });
});

describe('servedResource', () => {
  it('is in the first version that is served, of a CRD and of a BoundSchema', () => {
    const [v1, v1beta1] = widgets.spec.versions;
    const versions = [v1beta1!, { ...v1!, name: 'v2' }, v1!];
    expect(servedResource({ ...widgets.spec, versions })).toEqual({
      group: widgets.spec.group,
      version: 'v2',
      resource: widgets.spec.names.plural,
    });
    expect(servedVersion({ versions })).toMatchObject({ name: 'v2', subresources: { status: {} } });
    expect(servedResource({ ...widgets.spec, versions: [v1beta1!] })).toBeUndefined();
    expect(servedResource({ ...widgets.spec, versions: [] })).toBeUndefined();
  });
});

describe('storedResource', () => {
  it('is in the version in which objects are stored, and in another that is served only where that is not', () => {
    const version = (name: string, served: boolean, storage: boolean) => ({ name, served, storage });
    const inVersion = (...versions: readonly ReturnType<typeof version>[]): string | undefined =>
      storedResource({ ...widgets.spec, versions })?.version;
    expect(inVersion(version('v1', true, false), version('v2', true, true))).toBe('v2');
    expect(inVersion(version('v1', false, false), version('v2', true, false), version('v3', false, true))).toBe('v2');
    expect(inVersion(version('v1', false, true))).toBeUndefined();
  });
});

describe('providerOwnedNamespace', () => {
  it("belongs to its export and is marked as the provider's", () => {
    const owner = {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: { name: 'e', namespace: 'cluster-x', uid: 'u' },
    } as APIServiceExport;
    expect(providerOwnedNamespace(owner, 'team-a')).toEqual({
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: {
        name: 'team-a',
        namespace: 'cluster-x',
        labels: { 'kube-bind.io/owner': 'provider' },
        ownerReferences: [
          {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceExport',
            name: 'e',
            uid: 'u',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {},
    });
  });
});

describe('v1alpha1', () => {
  const twoServed: CustomResourceDefinition = {
    ...widgets,
    spec: { ...widgets.spec, versions: [{ ...widgets.spec.versions[1]!, served: true }, widgets.spec.versions[0]!] },
  };

  it('with a webhook, keeps the first served version and stores it', () => {
    const { versions } = v1alpha1ExportFromCRD(twoServed);
    expect(versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([['v1beta1', true, true]]);
  });

  it('without one, keeps all served versions', () => {
    const { versions } = v1alpha1ExportFromCRD({
      ...twoServed,
      spec: { ...twoServed.spec, conversion: { strategy: 'None' } },
    });
    expect(versions.map(({ name, storage }) => [name, storage])).toEqual([
      ['v1beta1', false],
      ['v1', true],
    ]);
    expect(
      v1alpha1ExportFromCRD({ ...widgets, spec: { ...widgets.spec, conversion: undefined } }).versions.map(
        ({ name }) => name,
      ),
    ).toEqual(['v1']);
  });

  it('goes back to a CRD', () => {
    const spec = v1alpha1ExportFromCRD({ ...widgets, spec: { ...widgets.spec, conversion: undefined } });
    const crd = crdFromV1alpha1Export({
      apiVersion: 'kube-bind.io/v1alpha1',
      kind: 'APIServiceExport',
      metadata: { name: 'widgets.example.com' },
      spec: { ...spec, informerScope: 'Cluster' },
    });
    expect(crd.metadata).toEqual({ name: 'widgets.example.com' });
    expect(crd.spec).toEqual({
      group: 'example.com',
      names: widgets.spec.names,
      scope: 'Namespaced',
      versions: spec.versions,
    });
  });

  it('refuses a version without schema', () => {
    const versions = [{ name: 'v1', served: true, storage: true }];
    expect(() => v1alpha1ExportFromCRD({ ...widgets, spec: { ...widgets.spec, versions } })).toThrow(ConversionError);
  });
});
