import { describe, expect, it } from '@jest/globals';
import {
  type APIExport,
  type PermissionClaim,
  apiExportToV1alpha1,
  apiExportToV1alpha2,
  exportedResource,
} from '@hawser/kcp-api';
import type { PublishedResource, PublishedResourceSpec, RelatedResource } from '@hawser/syncagent-api';
import { contributionsOf } from './contribution.js';
import { type Decision, decide } from './decide.js';

const AGENT = 'textor';
const CLAIMS = 'apis.v1alpha2.kcp.io/v1alpha1-permission-claims';

const published = (
  name: string,
  schema: string | undefined,
  spec: Partial<PublishedResourceSpec> = {},
  createdAt = '2026-01-01T00:00:00Z',
): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name, uid: `uid-${name}`, creationTimestamp: createdAt },
  spec: { resource: { apiGroup: 'example.com', kind: 'Thing' }, ...spec },
  ...(schema === undefined ? {} : { status: { resourceSchemaName: schema } }),
});
const secrets = (more: Partial<RelatedResource> = {}): RelatedResource => ({
  identifier: 's',
  origin: 'service',
  kind: 'Secret',
  object: { template: { template: 'x' } },
  ...more,
});
const backups = (identityHash?: string): RelatedResource => ({
  identifier: 'b',
  origin: 'kcp',
  group: 'eksempel.no',
  version: 'v1',
  resource: 'backups',
  object: { template: { template: 'x' } },
  ...(identityHash === undefined ? {} : { identityHash }),
});
const apiExport = (
  spec: NonNullable<APIExport['spec']> = {},
  annotations: Readonly<Record<string, string>> = {},
): APIExport => ({
  apiVersion: 'apis.kcp.io/v1alpha2',
  kind: 'APIExport',
  metadata: { name: 'example.com', uid: 'e', resourceVersion: '1', annotations },
  spec,
});

/** The export as it then stands. */
function after(current: APIExport, { change }: Decision): APIExport {
  if (change === undefined) return current;
  const { annotations } = current.metadata;
  return {
    ...current,
    metadata: { ...current.metadata, annotations: { ...annotations, ...change.annotations } },
    spec: {
      ...current.spec,
      ...(change.resources === undefined ? {} : { resources: change.resources }),
      ...(change.claims === undefined ? {} : { permissionClaims: change.claims }),
    },
  };
}
const run = (
  current: APIExport,
  ...objects: readonly PublishedResource[]
): { decision: Decision; result: APIExport; schemas: string[]; claims: string[] } => {
  const decision = decide(current, AGENT, contributionsOf(objects));
  const result = after(current, decision);
  return {
    decision,
    result,
    schemas: (result.spec?.resources ?? []).map(({ schema }) => schema),
    claims: (result.spec?.permissionClaims ?? []).map(
      ({ group = '', resource, identityHash = '' }) =>
        `${group}/${resource}${identityHash === '' ? '' : `@${identityHash}`}`,
    ),
  };
};
const reasons = ({ outcomes }: Decision): string[] =>
  [...outcomes].map(
    ([uid, outcome]) => `${uid.slice(4)} ${outcome.kind === 'problem' ? outcome.reason : outcome.kind}`,
  );

describe('the export of an agent', () => {
  it('gets the schemas, the claim on events, and the name of the agent', () => {
    const { decision, result, schemas, claims } = run(
      apiExport(),
      published('b', 'v1.things.example.com'),
      published('a', 'v2.backups.eksempel.no'),
      published('c', 'v3.configs.core'),
    );
    expect(schemas).toEqual(['v2.backups.eksempel.no', 'v3.configs.core', 'v1.things.example.com']);
    expect(result.spec?.resources?.[1]).toEqual({
      name: 'configs',
      group: '',
      schema: 'v3.configs.core',
      storage: { crd: {} },
    });
    expect(claims).toEqual(['/events']);
    expect(result.metadata.annotations?.['syncagent.kcp.io/agent-name']).toBe(AGENT);
    expect(decision.change).toMatchObject({ addedClaims: ['events'], removedSchemas: [] });
    expect(reasons(decision).sort()).toEqual(['a exported', 'b exported', 'c exported']);
  });

  it('is not written when it is in step, whatever the order in it', () => {
    const objects = [
      published('a', 'v1.things.example.com', { related: [secrets()] }),
      published('b', 'v1.backups.eksempel.no'),
    ];
    const { result } = run(apiExport(), ...objects);
    expect(run(result, ...objects).decision.change).toBeUndefined();
    const shuffled = {
      ...result,
      spec: {
        resources: result.spec?.resources?.toReversed(),
        permissionClaims: result.spec?.permissionClaims?.toReversed(),
      },
    };
    expect(run(shuffled, ...objects).decision.change).toBeUndefined();
  });

  it('keeps what is not ours, and replaces the old schema of a resource', () => {
    const foreign = exportedResource('v1.others.foreign.example');
    const virtual = {
      name: 'endpoints',
      group: 'foreign.example',
      schema: 'v1.endpoints.foreign.example',
      storage: { virtual: { reference: {} } },
    };
    const current = apiExport({
      resources: [virtual, foreign, exportedResource('v1.things.example.com')],
      identity: { secretRef: { name: 'x' } },
    });
    const { schemas, result, decision } = run(current, published('a', 'v2.things.example.com'));
    expect(schemas).toEqual(['v1.endpoints.foreign.example', 'v1.others.foreign.example', 'v2.things.example.com']);
    expect(result.spec?.resources?.[0]).toBe(virtual);
    expect(decision.change).toMatchObject({
      addedSchemas: ['v2.things.example.com'],
      removedSchemas: ['v1.things.example.com'],
    });
    expect(run(result, published('b', 'v1.backups.eksempel.no')).schemas).toContain('v2.things.example.com');
  });

  it('claims what related objects, filters and paths need, but nothing that it exports', () => {
    const spec = {
      related: [
        secrets(),
        secrets({ kind: 'ConfigMap' }),
        backups('abc'),
        { ...secrets(), kind: undefined, group: 'example.com', version: 'v1', resource: 'things' },
      ],
    };
    expect(run(apiExport(), published('a', 'v1.things.example.com', spec)).claims).toEqual([
      '/configmaps',
      '/events',
      '/namespaces',
      '/secrets',
      'eksempel.no/backups@abc',
    ]);
    expect(
      run(apiExport(), published('a', undefined, { filter: { namespace: {} }, enableWorkspacePaths: true })).claims,
    ).toEqual(['/events', '/namespaces', 'core.kcp.io/logicalclusters']);
    expect(run(apiExport(), published('a', undefined, { filter: { resource: {} } })).claims).toEqual(['/events']);
    expect(run(apiExport()).claims).toEqual(['/events']);
  });

  it('claims in kcp what a projection makes of it', () => {
    const projected = secrets({
      kind: undefined,
      version: 'v1',
      resource: 'configmaps',
      projection: { resource: 'secrets' },
    });
    expect(run(apiExport(), published('a', undefined, { related: [projected] })).claims).toEqual([
      '/events',
      '/namespaces',
      '/secrets',
    ]);
  });

  it('keeps claims made by hand, narrowed ones too, and lets v1alpha1 be written afterwards', () => {
    const byHand: PermissionClaim[] = [
      { group: '', resource: 'secrets', verbs: ['get', 'list'], identityHash: '' },
      { group: '', resource: 'configmaps', verbs: ['*'], defaultSelector: { matchAll: true } },
    ];
    const { result, claims } = run(
      apiExport({ permissionClaims: byHand }),
      published('a', 'v1.things.example.com', { related: [secrets()] }),
    );
    expect(claims).toEqual(['/configmaps', '/events', '/namespaces', '/secrets']);
    expect(result.spec?.permissionClaims).toEqual(expect.arrayContaining(byHand));
    const asV1alpha1 = apiExportToV1alpha1(result);
    for (const claim of asV1alpha1.spec?.permissionClaims ?? []) expect(claim.all).toBe(true);
    expect(
      apiExportToV1alpha2(asV1alpha1).spec?.permissionClaims?.find(({ resource }) => resource === 'secrets')?.verbs,
    ).toEqual(['get', 'list']);
  });

  it('completes the annotation for v1alpha1 once, where only claims of v1alpha2 are', () => {
    const current = apiExport(
      { permissionClaims: [{ resource: 'events', verbs: ['*'] }] },
      { 'syncagent.kcp.io/agent-name': AGENT },
    );
    const { decision, result } = run(current);
    expect(decision.change).toMatchObject({
      annotations: { [CLAIMS]: '[{"resource":"events","all":true}]' },
      claims: undefined,
      resources: undefined,
    });
    expect(run(result).decision.change).toBeUndefined();
  });

  it('goes on without the one that cannot be exported', () => {
    const objects = [
      published('old', 'v1.things.example.com'),
      published('new', 'v9.things.example.com', {}, '2026-02-01T00:00:00Z'),
      published('bad', 'nonsense'),
      published('unready', undefined),
      published('nohash', 'v1.apples.example.com', { related: [backups()] }),
      published('good', 'v1.pears.example.com'),
      published('virtual', 'v1.endpoints.example.com'),
    ];
    const { decision, schemas, claims } = run(
      apiExport({
        resources: [
          { name: 'endpoints', group: 'example.com', schema: 'v0.endpoints.example.com', storage: { virtual: {} } },
        ],
      }),
      ...objects,
    );
    expect(reasons(decision).sort()).toEqual([
      'bad SchemaNameInvalid',
      'good exported',
      'new ResourcePublishedTwice',
      'nohash ClaimNeedsIdentityHash',
      'old exported',
      'unready pending',
      'virtual ResourceStoredElsewhere',
    ]);
    expect(schemas).toEqual([
      'v1.apples.example.com',
      'v0.endpoints.example.com',
      'v1.pears.example.com',
      'v1.things.example.com',
    ]);
    expect(claims).toEqual(['/events', '/namespaces']);
  });

  it('has one identity for each claimed resource: who comes second is told', () => {
    const { decision, claims } = run(
      apiExport(),
      published('a', 'v1.a.example.com', { related: [backups('one')] }),
      published('b', 'v1.b.example.com', { related: [backups('two')] }),
    );
    expect(claims.filter((claim) => claim.includes('backups'))).toEqual(['eksempel.no/backups@one']);
    expect(reasons(decision)).toEqual(['a exported', 'b ClaimOfAnotherIdentity']);
  });

  it('is left alone where it is another agent’s', () => {
    const { decision } = run(
      apiExport({}, { 'syncagent.kcp.io/agent-name': 'other' }),
      published('a', 'v1.things.example.com'),
    );
    expect(decision.change).toBeUndefined();
    expect(reasons(decision)).toEqual(['a APIExportOfAnotherAgent']);
  });

  it.each(['{', 'null x', '{"a":1}'])('says that an annotation of kcp is broken: %j', (text) => {
    expect(() => run(apiExport({}, { [CLAIMS]: text }), published('a', 'v1.things.example.com'))).toThrow(
      expect.objectContaining({ code: 'Annotation' }),
    );
  });

  it('takes an empty annotation for what it is', () => {
    expect(run(apiExport({}, { [CLAIMS]: 'null' })).claims).toEqual(['/events']);
  });
});
