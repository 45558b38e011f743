import { ApiError } from '@hawser/client';
import type { APIServiceBinding, APIServiceExport, CustomResourceDefinition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { type Decision, decide } from './decide.js';
import { refusalRetryMs } from './decide-crd.js';
import { type ResourceAction } from './resource-action.js';
import type { Attempt, CRDReading, Observed, ResourceObserved } from './observed.js';
import type { WantedCRD } from './wanted-crd.js';

const forbidden = new ApiError('Forbidden', 'provider: get boundschemas is forbidden', {
  cluster: 'provider',
  verb: 'get',
  resource: 'boundschemas',
});

const nowMs = Date.UTC(2026, 0, 1);

const binding: APIServiceBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'test-binding', uid: 'b-1', creationTimestamp: '2026-01-01T00:00:00Z' },
};

const exported: APIServiceExport = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  metadata: { name: 'test-binding', namespace: 'cluster-x' },
  spec: {
    resources: [{ group: 'example.com', resource: 'tests', versions: ['v1'] }],
    informerScope: 'Cluster',
    isolation: 'Prefixed',
  },
};

const owner = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  name: 'test-binding',
  uid: 'b-1',
  controller: true,
};

const wanted = (plural = 'tests', group = 'example.com', spec: object = {}): WantedCRD => ({
  name: `${plural}.${group}`,
  hash: JSON.stringify([plural, spec]),
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind: 'Test' },
    versions: [{ name: 'v1', served: true, storage: true, subresources: {} }],
    ...spec,
  },
});

interface CRDFields {
  readonly owners?: readonly object[];
  readonly terminating?: boolean;
  readonly full?: CustomResourceDefinition;
}

const present = ({ owners = [owner], terminating = false, full }: CRDFields = {}): CRDReading => ({
  kind: 'present',
  object: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'tests.example.com',
      uid: 'c-1',
      generation: 3,
      ownerReferences: owners as (typeof owner)[],
      ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  },
  full,
});

const servedByCoreKbind = (): CRDReading => ({
  kind: 'present',
  object: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'tests.example.com',
      uid: 'c-1',
      labels: { 'core.kbind.io/managed': 'true' },
      annotations: { 'core.kbind.io/connection': 'east' },
    },
  },
  full: undefined,
});

const full = (spec: object = {}): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tests.example.com', uid: 'c-1', generation: 3, resourceVersion: '42', ownerReferences: [owner] },
  spec: {
    ...wanted().spec,
    names: { plural: 'tests', singular: 'test', kind: 'Test', listKind: 'TestList' },
    conversion: { strategy: 'None' },
    ...spec,
  },
});

const attempt = (outcome: Attempt['outcome'], fields: Partial<Attempt> = {}): Attempt => ({
  wantedHash: wanted().hash,
  live: 'c-1/3',
  atMs: nowMs - 1000,
  outcome,
  ...fields,
});

const resource = (fields: Partial<ResourceObserved> = {}): ResourceObserved => ({
  name: 'tests.example.com',
  resource: { group: 'example.com', resource: 'tests' },
  schema: { kind: 'found', wanted: wanted() },
  crd: { kind: 'absent' },
  ...fields,
});

const observed = (fields: Partial<Observed> = {}): Observed => ({
  binding,
  export: { kind: 'found', export: exported },
  resources: [resource()],
  prettyName: { kind: 'known', value: 'Databases Inc.' },
  nowMs,
  time: nowMs,
  ...fields,
});

const safe = { policy: 'Safe', approved: false } as const;
const hold = { reason: 'BreakingSchemaChange', hash: wanted().hash, message: 'v1: spec.size: may be less.' } as const;

function bind(decision: Decision): Extract<Decision, { kind: 'bind' }> {
  if (decision.kind !== 'bind') throw new Error(`decided ${decision.kind}`);
  return decision;
}

const first = (fields: Partial<ResourceObserved>): ResourceAction =>
  bind(decide(observed({ resources: [resource(fields)] }))).resources[0]!;

describe('decide, the binding', () => {
  it('does nothing for a binding that is being deleted', () => {
    expect(
      decide(
        observed({
          binding: { ...binding, metadata: { ...binding.metadata, deletionTimestamp: '2026-01-01T00:00:01Z' } },
        }),
      ),
    ).toEqual({ kind: 'leave' });
  });

  it.each<[string, Observed['export'], string, string]>([
    [
      'a missing export',
      { kind: 'missing' },
      'APIServiceExportNotFound',
      'APIServiceExport test-binding does not exist',
    ],
    [
      'a refused request',
      { kind: 'missing', failedRequest: 'no such template 100%d' },
      'APIServiceExportFailed',
      'no such template 100%d',
    ],
    [
      'a malformed export',
      { kind: 'malformed', path: 'spec.resources', message: 'must be of type array, is string' },
      'MalformedExport',
      'spec.resources must be of type array, is string. Provider: ',
    ],
    [
      'a refused look',
      { kind: 'unreadable', error: forbidden },
      'APIServiceExportFetchFailed',
      'boundschemas is forbidden',
    ],
  ])('reports %s', (_, reading, reason, words) => {
    const decision = decide(observed({ export: reading, resources: [] }));
    expect(decision).toMatchObject({
      kind: 'noExport',
      problem: { reason, message: expect.stringContaining(words) },
      status: { providerPrettyName: 'Databases Inc.' },
    });
  });

  it('keeps what the status says of schemas and claims while there is no export', () => {
    const decision = decide(observed({ export: { kind: 'missing' }, resources: [] }));
    expect(decision.kind === 'noExport' && decision.status).toEqual({ providerPrettyName: 'Databases Inc.' });
  });

  const ungranted: APIServiceExport = {
    ...exported,
    status: {
      conditions: [
        {
          type: 'RightsGranted',
          status: 'False',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'ConsumerRoleMissing',
          message: 'make ClusterRole x.',
        },
      ],
    },
  };
  const refused: APIServiceBinding = {
    ...binding,
    status: {
      conditions: [
        {
          type: 'ObjectsInSync',
          status: 'False',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'ForbiddenByProvider',
          message: 'list',
        },
      ],
    },
  };
  it.each<[string, APIServiceExport, object | undefined, APIServiceBinding?]>([
    ['serves', exported, undefined, refused],
    ['gives no rights of its own for, while those of another backend do', ungranted, undefined],
    [
      'has withdrawn',
      { ...exported, metadata: { ...exported.metadata, annotations: { 'hawser.dev/withdrawn': 'RequestDeleted' } } },
      { reason: 'ExportWithdrawn', message: expect.stringContaining('hawser bind') },
    ],
    [
      'gives no rights for',
      ungranted,
      {
        reason: 'RightsMissing',
        message:
          'The provider has not granted all rights that APIServiceExport test-binding needs (ConsumerRoleMissing): make ClusterRole x.',
      },
      refused,
    ],
  ])('tells of an export that the provider %s', (_, one, serving, of = binding) => {
    const decision = decide(observed({ binding: of, export: { kind: 'found', export: one } }));
    expect(decision.kind === 'bind' ? decision.serving : 'no bind').toEqual(serving);
  });

  it('copies the claims of the export', () => {
    const permissionClaims = [
      { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } },
    ];
    const decision = bind(
      decide(
        observed({ export: { kind: 'found', export: { ...exported, spec: { ...exported.spec, permissionClaims } } } }),
      ),
    );
    expect(decision.status.permissionClaims).toEqual(permissionClaims);
  });

  it('leaves the pretty name alone while it cannot be read', () => {
    expect(bind(decide(observed({ prettyName: { kind: 'unknown' } }))).status.providerPrettyName).toBeUndefined();
  });
});

describe('decide, the schemas in the status', () => {
  const tests = { group: 'example.com', resource: 'tests' };
  const zones = { group: 'example.com', resource: 'zones' };
  const withStatus = (boundSchemas: (typeof tests)[]): APIServiceBinding => ({ ...binding, status: { boundSchemas } });
  const schemas = (before: (typeof tests)[], resources: ResourceObserved[]): unknown =>
    bind(decide(observed({ binding: withStatus(before), resources }))).status.boundSchemas;

  it('lists a resource once its schema was seen', () => {
    expect(
      schemas([], [resource(), resource({ name: 'zones.example.com', resource: zones, schema: { kind: 'missing' } })]),
    ).toEqual([tests]);
  });
  it('keeps a resource whose schema cannot be read now', () => {
    expect(schemas([tests], [resource({ schema: { kind: 'unreadable', error: forbidden } })])).toEqual([tests]);
  });
  it('drops what the export no longer names', () => {
    expect(schemas([tests, zones], [resource()])).toEqual([tests]);
  });
  it('does not reorder a list with the same members', () => {
    expect(schemas([zones, tests], [resource(), resource({ name: 'zones.example.com', resource: zones })])).toEqual([
      zones,
      tests,
    ]);
  });
  it('lists a resource once that the export names twice', () => {
    expect(schemas([], [resource(), resource()])).toEqual([tests]);
  });
});

describe('decide, one resource', () => {
  it('creates a CRD that is missing, owned by the binding', () => {
    expect(first({})).toMatchObject({
      kind: 'createCRD',
      name: 'tests.example.com',
      crd: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'tests.example.com', ownerReferences: [owner] },
        spec: wanted().spec,
      },
    });
  });

  roughEdge(
    '§17.4 CRDs',
    'no CRD is written when the live one differs only in what the server fills in',
    () => {
      expect(first({ crd: present({ full: full() }) })).toEqual({
        kind: 'inStep',
        name: 'tests.example.com',
        wanted: wanted(),
        live: 'c-1/3',
      });
    },
    'crd-written-each-time',
  );

  it('needs no read when this state of the CRD was compared before', () => {
    expect(first({ crd: present(), lastAttempt: attempt({ kind: 'inStep' }) }).kind).toBe('inStep');
  });

  it.each<[string, Partial<Attempt>]>([
    ['the schema', { wantedHash: 'older' }],
    ['the CRD', { live: 'c-1/2' }],
  ])('compares again when %s has changed', (_, fields) => {
    expect(
      first({ crd: present({ full: full({ scope: 'Cluster' }) }), lastAttempt: attempt({ kind: 'inStep' }, fields) }),
    ).toMatchObject({ kind: 'updateCRD', resourceVersion: '42' });
  });

  it.each<[string, Partial<ResourceObserved>, string, string]>([
    [
      'without owner',
      { crd: present({ owners: [] }) },
      'ForeignCustomResourceDefinition',
      'tests.example.com exists on the consumer and was not made by a binding',
    ],
    [
      'owned by something else',
      { crd: present({ owners: [{ ...owner, kind: 'Other' }] }) },
      'ForeignCustomResourceDefinition',
      'was not made by a binding',
    ],
    [
      'owned by a kind of that name of another group',
      { crd: present({ owners: [{ ...owner, apiVersion: 'other.io/v1' }] }) },
      'ForeignCustomResourceDefinition',
      'was not made',
    ],
    [
      'that core.kbind.io serves',
      { crd: servedByCoreKbind() },
      'ForeignCustomResourceDefinition',
      'core.kbind.io serves CustomResourceDefinition tests.example.com, through Connection east. This binding leaves it as it is. Do not delete',
    ],
    [
      'of another binding',
      { crd: present({ owners: [{ ...owner, name: 'other', uid: 'b-2' }] }) },
      'ForeignCustomResourceDefinition',
      'belongs to APIServiceBinding other',
    ],
    [
      'of an earlier binding of this name',
      { crd: present({ owners: [{ ...owner, uid: 'b-0' }] }) },
      'ForeignCustomResourceDefinition',
      'an earlier APIServiceBinding test-binding',
    ],
    [
      'left to an older binding',
      { olderRival: 'elder' },
      'ForeignCustomResourceDefinition',
      'left to APIServiceBinding elder',
    ],
    [
      'that is being deleted',
      { crd: present({ terminating: true }) },
      'CustomResourceDefinitionTerminating',
      'is being deleted',
    ],
    [
      'without schema',
      { schema: { kind: 'missing' } },
      'BoundSchemaFetchFailed',
      'BoundSchema tests.example.com does not exist',
    ],
    [
      'with an unreadable schema',
      { schema: { kind: 'unreadable', error: forbidden } },
      'BoundSchemaFetchFailed',
      'boundschemas is forbidden',
    ],
    [
      'with an invalid schema',
      { schema: { kind: 'invalid', error: 'no versions' } },
      'BoundSchemaInvalid',
      'no versions',
    ],
    [
      'whose schema is for another resource',
      { schema: { kind: 'found', wanted: wanted('others') } },
      'BoundSchemaInvalid',
      'others.example.com',
    ],
    [
      'that the operator does not allow',
      {
        schema: { kind: 'refused', problem: { reason: 'ProtectedAPIGroup', message: 'API group k8s.io' } },
        crd: present({ full: full({ scope: 'Cluster' }) }),
      },
      'ProtectedAPIGroup',
      'k8s.io',
    ],
    [
      'that cannot be read',
      { crd: { kind: 'unreadable', error: forbidden } },
      'CustomResourceDefinitionReadFailed',
      'boundschemas is forbidden',
    ],
  ])('does not touch a CRD %s', (_, fields, reason, words) => {
    expect(first(fields)).toMatchObject({
      kind: 'report',
      problem: { reason, message: expect.stringContaining(words) },
    });
  });

  it('looks again when the cache knows a CRD that the server did not find', () => {
    expect(first({ crd: present() })).toEqual({ kind: 'lookAgain', name: 'tests.example.com' });
  });

  it('believes the live CRD more than the cached one', () => {
    const live = { ...full(), metadata: { ...full().metadata, ownerReferences: [] } };
    expect(first({ crd: { ...present(), full: live } as CRDReading })).toMatchObject({
      kind: 'report',
      problem: { reason: 'ForeignCustomResourceDefinition' },
    });
  });

  it('keeps a CRD that it owns, whoever is older', () => {
    expect(first({ crd: present({ full: full() }), olderRival: 'elder' }).kind).toBe('inStep');
  });

  it('says again what the API server refused, without asking again', () => {
    const lastAttempt = attempt(
      { kind: 'refused', verb: 'create', message: 'spec.versions: Invalid' },
      { live: 'absent' },
    );
    expect(first({ lastAttempt })).toMatchObject({
      kind: 'report',
      problem: {
        reason: 'CustomResourceDefinitionCreateFailed',
        message: expect.stringContaining('spec.versions: Invalid'),
      },
    });
  });

  it.each<[string, Partial<Attempt>]>([
    ['the schema changed', { wantedHash: 'older' }],
    ['the CRD went', { live: 'c-1/3' }],
    ['enough time passed', { atMs: nowMs - refusalRetryMs }],
  ])('asks again once %s', (_, fields) => {
    expect(
      first({ lastAttempt: attempt({ kind: 'refused', verb: 'create', message: 'no' }, { live: 'absent', ...fields }) })
        .kind,
    ).toBe('createCRD');
  });

  it('decides about each resource by itself', () => {
    const decision = bind(
      decide(
        observed({
          resources: [
            resource({ schema: { kind: 'missing' } }),
            resource({ name: 'zones.example.com', schema: { kind: 'found', wanted: wanted('zones') } }),
          ],
        }),
      ),
    );
    expect(decision.resources.map((action) => action.kind)).toEqual(['report', 'createCRD']);
  });
});

describe('a changed schema that has to wait', () => {
  const changed = present({ full: full({ scope: 'Cluster' }) });
  const action = (fields: Partial<ResourceObserved>): ResourceAction | undefined =>
    bind(decide(observed({ resources: [resource(fields)] }))).resources[0];

  it('leaves the CRD as it is', () => {
    expect(action({ crd: changed, gate: { terms: safe, hold } })).toMatchObject({ kind: 'hold', hold, sinceMs: nowMs });
    expect(action({ crd: changed, gate: { terms: safe } })).toMatchObject({ kind: 'updateCRD' });
  });

  it('is not looked at again as long as schema, CRD and terms are the same, and some minutes have not passed', () => {
    const lastAttempt = attempt({ kind: 'held', hold, terms: safe });
    expect(action({ crd: present(), lastAttempt, gate: { terms: safe } })).toMatchObject({
      kind: 'hold',
      hold,
      sinceMs: nowMs - 1000,
    });
    for (const terms of [
      { ...safe, approved: true },
      { ...safe, policy: 'Always' as const },
    ])
      expect(action({ crd: changed, lastAttempt, gate: { terms } })).toMatchObject({ kind: 'updateCRD' });
    for (const other of [{ wantedHash: 'another' }, { live: 'c-1/2' }, { atMs: nowMs - refusalRetryMs }]) {
      expect(action({ crd: changed, lastAttempt: { ...lastAttempt, ...other }, gate: { terms: safe } })).toMatchObject({
        kind: 'updateCRD',
      });
    }
  });
});
