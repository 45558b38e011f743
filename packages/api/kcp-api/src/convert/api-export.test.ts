import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { APIExport, ExportedResource, V1alpha1APIExport } from '../kinds/api-export.js';
import type { PermissionClaim, V1alpha1PermissionClaim } from '../kinds/permission-claim.js';
import { annotations } from '../metadata.js';
import { apiExportToV1alpha1, apiExportToV1alpha2 } from './api-export.js';
import { v1alpha1ClaimsAnnotation } from './claims-annotation.js';

const metadata = { name: 'example.com', annotations: { 'kcp.io/path': 'root:provider' } };
const old = (spec: NonNullable<V1alpha1APIExport['spec']>, more: Record<string, string> = {}): V1alpha1APIExport => ({
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIExport',
  metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } },
  spec,
  status: { identityHash: 'h' },
});
const current = (spec: NonNullable<APIExport['spec']>, more: Record<string, string> = {}): APIExport => ({
  apiVersion: 'apis.kcp.io/v1alpha2',
  kind: 'APIExport',
  metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } },
  spec,
  status: { identityHash: 'h' },
});

const identity = { secretRef: { name: 'example.com', namespace: 'kcp-system' } };
const databases: ExportedResource = {
  name: 'databases',
  group: 'example.com',
  schema: 'v1.databases.example.com',
  storage: { crd: {} },
};
const things: ExportedResource = {
  name: 'things',
  group: 'example.com',
  schema: 'v1.things.example.com',
  storage: { virtual: { reference: { name: 'x' }, identityHash: 'i' } },
};

describe('an APIExport of v1alpha1 as v1alpha2', () => {
  it('is what kcp makes of it', () => {
    const from = old({
      identity,
      latestResourceSchemas: ['v1.databases.example.com', 'v1.pods.core'],
      permissionClaims: [
        { resource: 'secrets', all: true },
        { group: 'a.com', resource: 'bs', identityHash: 'i', resourceSelector: [{ name: 'n' }] },
      ],
    });
    expect(apiExportToV1alpha2(from)).toEqual(
      current(
        {
          identity,
          resources: [databases, { name: 'pods', group: '', schema: 'v1.pods.core', storage: { crd: {} } }],
          permissionClaims: [
            { resource: 'secrets', verbs: ['*'] },
            { group: 'a.com', resource: 'bs', identityHash: 'i', verbs: ['*'] },
          ],
        },
        {
          [annotations.v1alpha1PermissionClaims]:
            '[{"resource":"secrets","all":true},{"group":"a.com","resource":"bs","resourceSelector":[{"name":"n"}],"identityHash":"i"}]',
        },
      ),
    );
  });

  it.each(['databases', 'v1.databases', ''])('with a schema that is none is refused: %j', (schema) => {
    expect(() => apiExportToV1alpha2(old({ latestResourceSchemas: [schema] }))).toThrow(
      expect.objectContaining({ name: 'ConversionError', code: 'SchemaName' }),
    );
  });

  it.each(['', 'x', '7', '{}', '["a"]'])('with an annotation that cannot be read is refused: %j', (text) => {
    expect(() => apiExportToV1alpha2(old({}, { [annotations.resourceSchemas]: text }))).toThrow(
      expect.objectContaining({ code: 'Annotation' }),
    );
  });
});

describe('an APIExport of v1alpha2 as v1alpha1', () => {
  it('keeps in annotations what v1alpha1 has no place for', () => {
    const claims = [
      { resource: 'secrets', verbs: ['get', 'list'] },
      { resource: 'events', verbs: ['*'] },
    ];
    const shown = apiExportToV1alpha1(current({ identity, resources: [databases, things], permissionClaims: claims }));
    expect(shown).toEqual(
      old(
        {
          identity,
          latestResourceSchemas: ['v1.databases.example.com'],
          permissionClaims: [{ resource: 'secrets' }, { resource: 'events' }],
        },
        {
          [annotations.resourceSchemas]:
            '[{"group":"example.com","name":"things","schema":"v1.things.example.com","storage":{"virtual":{"identityHash":"i","reference":{"name":"x"}}}}]',
          [annotations.permissionClaims]: '[{"resource":"secrets","verbs":["get","list"]}]',
        },
      ),
    );
  });

  it('claims that were not written through v1alpha1 have neither all nor a selector, unless the annotation was kept in step', () => {
    const claims: PermissionClaim[] = [{ group: '', resource: 'secrets', verbs: ['*'] }];
    const bare = current({ permissionClaims: claims });
    expect(apiExportToV1alpha1(bare).spec?.permissionClaims).toEqual([{ group: '', resource: 'secrets' }]);
    const annotated = current(
      { permissionClaims: claims },
      { [annotations.v1alpha1PermissionClaims]: v1alpha1ClaimsAnnotation(claims, bare) ?? '' },
    );
    expect(apiExportToV1alpha1(annotated).spec?.permissionClaims).toEqual([
      { group: '', resource: 'secrets', all: true },
    ]);
  });
});

describe('v1alpha1ClaimsAnnotation', () => {
  it('keeps what was said of a claim, drops what is not claimed any more, and claims all of what is new', () => {
    const before = current(
      {},
      {
        [annotations.v1alpha1PermissionClaims]:
          '[{"resource":"secrets","resourceSelector":[{"name":"n"}]},{"resource":"gone","all":true},{"resource":"empty"}]',
      },
    );
    const claims = [
      { resource: 'secrets', verbs: ['*'] },
      { group: '', resource: 'events', identityHash: '', verbs: ['*'] },
      { resource: 'empty', verbs: ['*'] },
    ];
    expect(v1alpha1ClaimsAnnotation(claims, before)).toBe(
      '[{"resource":"secrets","resourceSelector":[{"name":"n"}]},{"resource":"events","all":true},{"resource":"empty","all":true}]',
    );
    expect(v1alpha1ClaimsAnnotation([], before)).toBeUndefined();
  });
});

const group = fc.constantFrom('', 'example.com', 'b.org');
const plural = fc.constantFrom('secrets', 'events', 'things', '__proto__');
const key = (claim: { readonly group?: string | undefined; readonly resource: string }): string =>
  `${claim.group ?? ''}/${claim.resource}`;
const oldClaims: fc.Arbitrary<readonly V1alpha1PermissionClaim[]> = fc.uniqueArray(
  fc.oneof(
    fc.record({ group, resource: plural, all: fc.constant(true) }),
    fc.record({
      group,
      resource: plural,
      identityHash: fc.constantFrom('i', 'j'),
      resourceSelector: fc.constant([{ name: 'n', namespace: 'x' }]),
    }),
  ),
  { selector: key },
);
const claims: fc.Arbitrary<readonly PermissionClaim[]> = fc.uniqueArray(
  fc.record({
    group,
    resource: plural,
    verbs: fc.constantFrom(['*'], ['get'], ['get', 'list'], ['*', 'get']),
    identityHash: fc.constantFrom('', 'i'),
  }),
  { selector: key },
);
const resources: fc.Arbitrary<readonly ExportedResource[]> = fc.uniqueArray(
  fc.tuple(group, plural, fc.boolean()).map(([of, name, virtual]): ExportedResource => ({
    name,
    group: of,
    schema: `v1.${name}.${of === '' ? 'core' : of}`,
    storage: virtual ? { virtual: { identityHash: 'i' } } : { crd: {} },
  })),
  { selector: ({ name, group: of }) => `${of}/${name}` },
);

describe('there and back', () => {
  it('from v1alpha1 nothing is lost', () => {
    fc.assert(
      fc.property(oldClaims, resources, (permissionClaims, exported) => {
        const from = old({
          identity,
          ...(exported.length > 0 ? { latestResourceSchemas: exported.map(({ schema }) => schema) } : {}),
          permissionClaims,
        });
        expect(apiExportToV1alpha1(apiExportToV1alpha2(from))).toEqual(from);
      }),
    );
  });

  it('from v1alpha2 every claim keeps its verbs, every resource its storage', () => {
    fc.assert(
      fc.property(claims, resources, (permissionClaims, exported) => {
        const from = current({ identity, resources: exported, permissionClaims });
        const back = apiExportToV1alpha2(apiExportToV1alpha1(from));
        expect(back.spec?.permissionClaims).toEqual(permissionClaims);
        expect(new Set(back.spec?.resources ?? [])).toEqual(new Set(exported));
        expect(back.spec?.identity).toEqual(identity);
        expect(Object.keys(back.metadata.annotations ?? {}).filter((name) => name.startsWith('apis.v1alpha2'))).toEqual(
          permissionClaims.length > 0 ? [annotations.v1alpha1PermissionClaims] : [],
        );
      }),
    );
  });

  it('with the annotation kept in step, a claim is the same for both versions', () => {
    fc.assert(
      fc.property(claims, (permissionClaims) => {
        const bare = current({ permissionClaims });
        const text = v1alpha1ClaimsAnnotation(permissionClaims, bare);
        const from = current(
          { permissionClaims },
          text === undefined ? {} : { [annotations.v1alpha1PermissionClaims]: text },
        );
        const shown = apiExportToV1alpha1(from);
        for (const claim of shown.spec?.permissionClaims ?? []) expect(claim.all).toBe(true);
        expect(apiExportToV1alpha2(shown)).toEqual(from);
      }),
    );
  });
});
