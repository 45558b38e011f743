import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  type CustomResourceDefinition,
  exportHash,
  getCondition,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideRequest } from './decide-request.js';
import type { ObservedRequest, Refusal, RequestSettings } from './observed-request.js';
import type { RequestDecision } from './request-decision.js';
import type { Admission } from './template/admission.js';
import { withOutcome } from './request-outcome.js';
import { type SourceSchema, sourceSchema } from './source-schema.js';
import {
  apiExport,
  boundSchema,
  clusterNamespace,
  crd,
  ownedBy,
  request,
  serviceNamespace,
  template,
} from './testing/objects.js';

const settings: RequestSettings = { informerScope: 'Cluster', isolation: 'Prefixed' };
const now = Date.UTC(2026, 10, 21, 15, 24, 8);
const claim = { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } };

interface World {
  readonly request?: APIServiceExportRequest;
  readonly crds?: readonly CustomResourceDefinition[];
  readonly schemas?: readonly BoundSchema[];
  readonly export?: APIServiceExport;
  readonly namespaces?: readonly APIServiceNamespace[];
  readonly admission?: Admission;
  readonly refusal?: Refusal;
  readonly made?: ObservedRequest['made'];
}

function observe(world: World, stamp = settings): ObservedRequest {
  const byName = <T extends { readonly metadata: { readonly name: string } }>(
    objects: readonly T[] = [],
  ): Map<string, T> => new Map(objects.map((one) => [one.metadata.name, one]));
  return {
    request: world.request,
    sources: new Map((world.crds ?? []).map((one) => [one.metadata.name, sourceSchema(one, stamp)])),
    boundSchemas: byName(world.schemas),
    export: world.export,
    namespaces: byName(world.namespaces),
    admission: world.admission,
    refusal: world.refusal,
    made: world.made ?? { exports: 0, namespaces: 0 },
  };
}

const decide = (world: World, stamp = settings): RequestDecision => decideRequest(stamp, observe(world, stamp), now);

function offered(one: CustomResourceDefinition, stamp = settings): Extract<SourceSchema, { kind: 'offered' }> {
  const source = sourceSchema(one, stamp);
  if (source.kind !== 'offered') throw new Error(source.message);
  return source;
}

const databases = crd('databases');
const converting = (clientConfig: object): CustomResourceDefinition => ({
  ...databases,
  spec: {
    ...databases.spec,
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
  },
});
const described = (characters: number): CustomResourceDefinition => ({
  ...databases,
  spec: {
    ...databases.spec,
    versions: databases.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { type: 'object', description: 'd'.repeat(characters) } },
    })),
  },
});
const databasesSource = offered(databases);
const owned = boundSchema(databasesSource.spec, databasesSource.hash, [ownedBy('databases')]);
const succeeded = withOutcome({ phase: 'Pending' }, { kind: 'succeeded' }, now);

describe("a request of another shape than the contract's", () => {
  it.each<[object, string]>([
    [{ resources: 'databases' }, 'spec.resources must be of type array, is string'],
    [{ resources: null }, 'spec.resources must be of type array, is null'],
    [{ resources: [7] }, 'spec.resources[0] must be of type object, is integer'],
    [{ permissionClaims: {} }, 'spec.permissionClaims must be of type array, is object'],
    [{ namespaces: ['a'] }, 'spec.namespaces[0] must be of type object, is string'],
  ])('%j is told, and changes nothing', (spec, words) => {
    for (const phase of ['Pending', 'Succeeded'] as const) {
      const decision = decideRequest(
        { informerScope: 'Cluster', isolation: 'Prefixed' },
        {
          request: request(spec, { phase }),
          sources: new Map(),
          boundSchemas: new Map(),
          export: undefined,
          namespaces: new Map(),
          made: { exports: 0, namespaces: 0 },
        },
        0,
      );
      expect(decision.actions.map(({ type }) => type)).toEqual(['writeStatus']);
      expect(decision.verdict).toMatchObject({ kind: 'waiting', problem: { kind: 'malformed' } });
      const [action] = decision.actions;
      const status = action?.type === 'writeStatus' ? withOutcome(action.request.status, action.outcome, 0) : undefined;
      expect(status).toMatchObject({ phase });
      expect(getCondition(status?.conditions, 'ExportsReady')).toMatchObject({
        status: 'False',
        reason: 'MalformedRequest',
        message: expect.stringContaining(words),
      });
    }
  });
});

describe('decideRequest: as many as there may be', () => {
  const bounded: RequestSettings = { ...settings, exportsPerConsumer: 2, namespacesPerConsumer: 3 };
  const named = (...names: readonly string[]): APIServiceExportRequest =>
    request({ namespaces: names.map((name) => ({ name })) });
  const kindOf = ({ verdict }: RequestDecision): string =>
    verdict.kind === 'waiting' ? verdict.problem.kind : verdict.kind;

  it.each([
    {
      title: 'one more export is made below the bound',
      world: { request: request(), made: { exports: 1, namespaces: 0 } },
      kind: 'progressing',
    },
    {
      title: 'none is made at the bound',
      world: { request: request(), made: { exports: 2, namespaces: 0 } },
      kind: 'tooManyExports',
    },
    {
      title: 'one that exists is answered',
      world: { request: request(), export: apiExport(), made: { exports: 9, namespaces: 0 } },
      kind: 'progressing',
    },
    {
      title: 'the namespaces of a request are made if all of them fit',
      world: { request: named('a', 'b'), made: { exports: 0, namespaces: 1 } },
      kind: 'progressing',
    },
    {
      title: 'none is made if not all of them fit',
      world: { request: named('a', 'b', 'b', 'c'), made: { exports: 0, namespaces: 1 } },
      kind: 'tooManyNamespaces',
    },
    {
      title: 'those that are there do not count twice',
      world: {
        request: named('a', 'b'),
        namespaces: [serviceNamespace('a'), serviceNamespace('b')],
        made: { exports: 0, namespaces: 3 },
      },
      kind: 'progressing',
    },
  ])('$title', ({ world, kind }) => {
    expect(kindOf(decide({ crds: [databases], ...world }, bounded))).toBe(kind);
  });
});

describe('decideRequest: a place for the copies', () => {
  const clusterScoped = crd('databases', 'Cluster');
  const namespaced: RequestSettings = { informerScope: 'Cluster', isolation: 'Namespaced' };

  it('is missing for a cluster-scoped CRD under isolation Namespaced: the request waits and says why', () => {
    expect(decide({ request: request(), crds: [clusterScoped] }, namespaced)).toMatchObject({
      actions: [{ type: 'writeStatus' }],
      verdict: { kind: 'waiting', problem: { kind: 'noPlace', name: 'databases.example.com' } },
    });
  });

  it.each([
    ['a namespaced CRD', databases, namespaced],
    ['isolation Prefixed', clusterScoped, settings],
  ] as const)('is there with %s', (_what, one, stamp) => {
    expect(decide({ request: request(), crds: [one] }, stamp).actions).toMatchObject([{ type: 'createBoundSchema' }]);
  });
});

describe('decideRequest: a request on its way', () => {
  it('first gets its BoundSchemas, without an owner', () => {
    expect(decide({ request: request(), crds: [databases] })).toEqual({
      actions: [
        {
          type: 'createBoundSchema',
          object: {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'BoundSchema',
            metadata: {
              name: 'databases.example.com',
              namespace: clusterNamespace,
              annotations: { 'kube-bind.io/source-spec-hash': databasesSource.hash },
            },
            spec: databasesSource.spec,
          },
        },
      ],
      verdict: { kind: 'progressing' },
    });
  });

  it('then its export, with the combined hash and what the provider decides', () => {
    const bare = boundSchema(databasesSource.spec, databasesSource.hash);
    expect(
      decide({ request: request({ permissionClaims: [claim] }), crds: [databases], schemas: [bare] }).actions,
    ).toEqual([
      {
        type: 'createExport',
        object: {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceExport',
          metadata: {
            name: 'databases',
            namespace: clusterNamespace,
            annotations: {
              'kube-bind.io/source-spec-hash': exportHash([databasesSource.spec]),
              'hawser.dev/request': 'request-uid',
            },
          },
          spec: {
            resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
            permissionClaims: [claim],
            informerScope: 'Cluster',
            isolation: 'Prefixed',
          },
        },
      },
    ]);
  });

  it('then owners and the namespaces that it asks for', () => {
    const bare = boundSchema(databasesSource.spec, databasesSource.hash);
    const { actions } = decide({
      request: request({ namespaces: [{ name: 'team-a' }, { name: 'team-a' }] }),
      crds: [databases],
      schemas: [bare],
      export: apiExport(),
    });
    expect(actions).toEqual([
      { type: 'setOwners', kind: 'BoundSchema', object: bare, owners: [ownedBy('databases')] },
      {
        type: 'createNamespace',
        object: {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceNamespace',
          spec: {},
          metadata: {
            name: 'team-a',
            namespace: clusterNamespace,
            labels: { 'kube-bind.io/owner': 'provider' },
            ownerReferences: [ownedBy('databases', false)],
          },
        },
      },
    ]);
  });

  it('and at last its answer', () => {
    const pending = request();
    expect(decide({ request: pending, crds: [databases], schemas: [owned], export: apiExport() })).toEqual({
      actions: [{ type: 'writeStatus', request: pending, outcome: { kind: 'succeeded' } }],
      verdict: { kind: 'succeeded', followsSchema: false },
    });
    expect(succeeded).toEqual({
      phase: 'Succeeded',
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T15:24:08Z' },
        { type: 'ExportsReady', status: 'True', lastTransitionTime: '2026-11-21T15:24:08Z' },
      ],
    });
  });

  it('under a template keeps in its export which one that was, and what it says about schema changes', () => {
    const offer = template(
      'small',
      { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }] },
      {
        'hawser.dev/schema-update': 'Safe',
        'hawser.dev/schema-rollout': '10%,100%',
        'hawser.dev/withdrawn-objects': 'Delete',
        'hawser.dev/other': 'x',
      },
    );
    const two = crd('databases', 'Namespaced', ['v1', 'v1beta1']);
    const { spec, hash } = offered(two);
    const made = decide({
      request: request({ resources: [{ group: 'example.com', resource: 'databases' }] }),
      crds: [two],
      schemas: [boundSchema(spec, hash)],
      admission: { kind: 'admitted', template: offer },
    });
    expect(made.actions).toMatchObject([
      { type: 'createExport', object: { spec: { resources: [{ versions: ['v1'] }] } } },
    ]);
    const [action] = made.actions;
    expect(action?.type === 'createExport' ? action.object.metadata.annotations : undefined).toEqual({
      'kube-bind.io/source-spec-hash': exportHash([spec]),
      'hawser.dev/request': 'request-uid',
      'hawser.dev/template': 'small',
      'hawser.dev/schema-update': 'Safe',
      'hawser.dev/schema-rollout': '10%,100%',
      'hawser.dev/withdrawn-objects': 'Delete',
    });
  });

  it.each([
    [undefined, 'Never', 'Never'],
    [undefined, 'Always', undefined],
    [undefined, 'Safe', undefined],
    ['Safe', 'Always', 'Safe'],
    ['Safe', 'Never', 'Never'],
    ['Always', 'Safe', 'Safe'],
    ['Always', undefined, 'Always'],
    ['Never', 'Safe', 'Never'],
  ])(
    'can only tighten the schema policy: of the template %p, of the request %p, of the export %p',
    (ofTemplate, ofRequest, expected) => {
      const bare = request();
      const wanting =
        ofRequest === undefined
          ? bare
          : { ...bare, metadata: { ...bare.metadata, annotations: { 'hawser.dev/schema-update': ofRequest } } };
      const offer = template('small', {}, ofTemplate === undefined ? {} : { 'hawser.dev/schema-update': ofTemplate });
      const [action] = decide({
        request: wanting,
        crds: [databases],
        schemas: [boundSchema(databasesSource.spec, databasesSource.hash)],
        admission: { kind: 'admitted', template: offer },
      }).actions;
      expect(
        action?.type === 'createExport' ? action.object.metadata.annotations?.['hawser.dev/schema-update'] : 'nothing',
      ).toBe(expected);
    },
  );

  it('with an export of the same content there before, succeeds too', () => {
    const again = apiExport({ permissionClaims: [claim], isolation: 'None', informerScope: 'Namespaced' });
    expect(
      decide({ request: request({ permissionClaims: [claim] }), crds: [databases], schemas: [owned], export: again })
        .verdict,
    ).toEqual({ kind: 'succeeded', followsSchema: false });
  });

  it('for a CRD whose conversion webhook has a url, or that is large, is answered', () => {
    expect(
      decide({ request: request(), crds: [converting({ url: 'https://convert.example.com' })] }).actions,
    ).toMatchObject([{ type: 'createBoundSchema' }]);
    expect(decide({ request: request(), crds: [described(1_000_000)] }).actions).toMatchObject([
      { type: 'createBoundSchema' },
    ]);
  });

  it('that names no version gets those that are served, and makes a BoundSchema', () => {
    const two = crd('databases', 'Namespaced', ['v1', 'v1beta1']);
    const open = request({ resources: [{ group: 'example.com', resource: 'databases' }] });
    expect(decide({ request: open, crds: [two] }).actions).toMatchObject([{ type: 'createBoundSchema' }]);
    const { spec, hash } = offered(two);
    expect(decide({ request: open, crds: [two], schemas: [boundSchema(spec, hash)] }).actions).toMatchObject([
      { type: 'createExport', object: { spec: { resources: [{ versions: ['v1', 'v1beta1'] }] } } },
    ]);
    expect(
      decide({
        request: open,
        crds: [two],
        schemas: [boundSchema(spec, hash, [ownedBy('databases')])],
        export: apiExport(),
      }).verdict.kind,
    ).toBe('succeeded');
  });

  it('for a resource that it names twice makes one BoundSchema', () => {
    const twice = { group: 'example.com', resource: 'databases', versions: ['v1'] };
    expect(decide({ request: request({ resources: [twice, twice] }), crds: [databases] }).actions).toHaveLength(1);
  });

  it('under isolation Namespaced offers a namespaced resource as a cluster-scoped one', () => {
    expect(
      decide({ request: request(), crds: [databases] }, { informerScope: 'Cluster', isolation: 'Namespaced' }).actions,
    ).toMatchObject([{ object: { spec: { scope: 'Cluster' } } }]);
  });
});

describe('decideRequest: a request that has succeeded', () => {
  const done = request({}, succeeded);

  it('costs no write', () => {
    expect(decide({ request: done, crds: [databases], schemas: [owned], export: apiExport() })).toEqual({
      actions: [],
      verdict: { kind: 'succeeded', followsSchema: false },
    });
  });

  it('needs its CRD no more', () => {
    expect(decide({ request: done, schemas: [owned], export: apiExport() }).actions).toEqual([]);
  });

  const changed = crd('databases', 'Namespaced', ['v1', 'v2']);
  it('keeps its schema under policy Never', () => {
    expect(decide({ request: done, crds: [changed], schemas: [owned], export: apiExport() }).actions).toEqual([]);
  });

  it('follows the CRD under policy Always', () => {
    const { spec, hash } = offered(changed);
    expect(
      decide({
        request: request({ schemaUpdatePolicy: 'Always' }, succeeded),
        crds: [changed],
        schemas: [owned],
        export: apiExport(),
      }).actions,
    ).toEqual([{ type: 'replaceSchema', boundSchema: owned, spec, hash }]);
  });

  it('says under policy Always that its schema cannot follow, and keeps it', () => {
    const done = request({ schemaUpdatePolicy: 'Always' }, succeeded);
    expect(
      decide({ request: done, crds: [described(1_500_000)], schemas: [owned], export: apiExport() }),
    ).toMatchObject({
      actions: [{ type: 'writeStatus' }],
      verdict: { kind: 'waiting', problem: { kind: 'schemaUnusable' } },
    });
    expect(
      decide({ request: request({}, succeeded), crds: [described(1_500_000)], schemas: [owned], export: apiExport() })
        .actions,
    ).toEqual([]);
  });

  it('costs no write under policy Always either, while the CRD stays as it is', () => {
    expect(
      decide({
        request: request({ schemaUpdatePolicy: 'Always' }, succeeded),
        crds: [databases],
        schemas: [owned],
        export: apiExport(),
      }),
    ).toEqual({ actions: [], verdict: { kind: 'succeeded', followsSchema: true } });
  });

  it('does not fail any more, should another program have answered it meanwhile', () => {
    expect(withOutcome(succeeded, { kind: 'problem', problem: { kind: 'invalidClaim', claim } }, now)).toMatchObject({
      phase: 'Succeeded',
      conditions: [{ type: 'Ready', status: 'False' }, { type: 'ExportsReady' }, { type: 'PermissionClaim' }],
    });
  });

  it('gets a BoundSchema back that somebody deleted, with its owner', () => {
    expect(decide({ request: done, crds: [databases], export: apiExport() }).actions).toMatchObject([
      { type: 'createBoundSchema', object: { metadata: { ownerReferences: [ownedBy('databases')] } } },
    ]);
  });

  it('gets a namespace back that it asks for', () => {
    expect(
      decide({
        request: request({ namespaces: [{ name: 'team-a' }] }, succeeded),
        schemas: [owned],
        export: apiExport(),
      }).actions,
    ).toMatchObject([{ type: 'createNamespace' }]);
  });

  it('gets no namespaces beyond the bound, however late it asks for them, and says so', () => {
    const named = { ...request({ namespaces: [{ name: 'team-a' }, { name: 'team-b' }] }, succeeded) };
    const world = { request: named, schemas: [owned], export: apiExport(), namespaces: [serviceNamespace('team-a')] };
    expect(
      decide({ ...world, made: { exports: 1, namespaces: 1 } }, { ...settings, namespacesPerConsumer: 2 }).actions,
    ).toMatchObject([{ type: 'createNamespace', object: { metadata: { name: 'team-b' } } }]);
    const { actions, verdict } = decide(
      { ...world, made: { exports: 1, namespaces: 2 } },
      { ...settings, namespacesPerConsumer: 2 },
    );
    expect(verdict).toEqual({ kind: 'waiting', problem: { kind: 'tooManyNamespaces', most: 2 } });
    expect(actions).toMatchObject([{ type: 'writeStatus' }]);
    // What it has counts for nothing.
    expect(
      decide(
        {
          ...world,
          namespaces: [...world.namespaces, serviceNamespace('team-b')],
          made: { exports: 1, namespaces: 9 },
        },
        { ...settings, namespacesPerConsumer: 2 },
      ).actions,
    ).toEqual([]);
  });

  it('gets no namespace of an impossible name that it asks for later', () => {
    expect(
      decide({
        request: request({ namespaces: [{ name: 'Team_A' }] }, succeeded),
        schemas: [owned],
        export: apiExport(),
      }),
    ).toMatchObject({
      actions: [{ type: 'writeStatus' }],
      verdict: { kind: 'waiting', problem: { kind: 'invalidNamespaceName' } },
    });
  });

  it('gets many namespaces a few at a time, so that others are served between', () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ name: `n${index}` }));
    const { actions, verdict } = decide({
      request: request({ namespaces: many }, succeeded),
      schemas: [owned],
      export: apiExport(),
    });
    expect([actions.length, verdict]).toEqual([50, { kind: 'progressing', unhurried: true }]);
  });

  it('does not get its export back, and says so', () => {
    const { actions, verdict } = decide({ request: done, crds: [databases] });
    expect(verdict).toEqual({ kind: 'waiting', problem: { kind: 'exportGone', name: 'databases' } });
    expect(actions).toEqual([
      {
        type: 'writeStatus',
        request: done,
        outcome: { kind: 'problem', problem: { kind: 'exportGone', name: 'databases' } },
      },
    ]);
    expect(
      withOutcome(done.status, { kind: 'problem', problem: { kind: 'exportGone', name: 'databases' } }, now),
    ).toMatchObject({
      phase: 'Succeeded',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'ExportNotFound', severity: 'Error' },
        { type: 'ExportsReady', status: 'False', reason: 'ExportNotFound' },
      ],
    });
  });

  it('says when a BoundSchema cannot be made again', () => {
    expect(decide({ request: done, export: apiExport() }).verdict).toEqual({
      kind: 'waiting',
      problem: { kind: 'boundSchemaNotFound', name: 'databases.example.com' },
    });
  });
});

describe('decideRequest: a CRD that is made again as another kind of thing', () => {
  const done = request({ schemaUpdatePolicy: 'Always' }, succeeded);
  const clusterScoped = crd('databases', 'Cluster');
  const renamed: CustomResourceDefinition = {
    ...databases,
    spec: { ...databases.spec, names: { ...databases.spec.names, kind: 'Store' } },
  };

  it.each([
    ['scope Namespaced became Cluster', clusterScoped],
    ['kind databases became Store', renamed],
  ])('reaches no consumer, whatever the policy: %s', (change, one) => {
    const { actions, verdict } = decide({ request: done, crds: [one], schemas: [owned], export: apiExport() });
    expect(verdict).toEqual({
      kind: 'waiting',
      problem: { kind: 'schemaIncompatible', name: 'databases.example.com', changes: [change] },
    });
    expect(actions).toMatchObject([{ type: 'writeStatus' }]);
    expect(
      withOutcome(
        done.status,
        { kind: 'problem', problem: { kind: 'schemaIncompatible', name: 'databases.example.com', changes: [change] } },
        now,
      ),
    ).toMatchObject({
      phase: 'Succeeded',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'SchemaIncompatible' },
        { type: 'ExportsReady', message: expect.stringContaining(change) as unknown },
      ],
    });
  });

  it('nor does it reach a second request that would share its BoundSchema', () => {
    expect(decide({ request: request(), crds: [clusterScoped], schemas: [owned] }).verdict).toMatchObject({
      kind: 'waiting',
      problem: { kind: 'schemaIncompatible' },
    });
  });

  it('is forgotten when the old one is back', () => {
    expect(decide({ request: done, crds: [databases], schemas: [owned], export: apiExport() }).verdict.kind).toBe(
      'succeeded',
    );
  });
});

describe('decideRequest: where something else carries schemas on', () => {
  const withoutSchemas: RequestSettings = { ...settings, carriesSchemas: false };

  it('a BoundSchema that is there is left alone under policy Always', () => {
    const changed = crd('databases', 'Namespaced', ['v1', 'v2']);
    expect(
      decide(
        {
          request: request({ schemaUpdatePolicy: 'Always' }, succeeded),
          crds: [changed],
          schemas: [owned],
          export: apiExport(),
        },
        withoutSchemas,
      ),
    ).toEqual({ actions: [], verdict: { kind: 'succeeded', followsSchema: false } });
  });

  it('and one that is missing is made', () => {
    expect(decide({ request: request(), crds: [databases] }, withoutSchemas).actions).toMatchObject([
      { type: 'createBoundSchema' },
    ]);
  });
});

describe('decideRequest: owners', () => {
  const done = request({ namespaces: [{ name: 'team-a' }] }, succeeded);
  const ready = (schema: BoundSchema, namespace = serviceNamespace('team-a')): RequestDecision =>
    decide({ request: done, schemas: [schema], export: apiExport(), namespaces: [namespace] });

  it('are left as the Go backend set them', () => {
    expect(ready(owned, serviceNamespace('team-a', [ownedBy('databases')])).actions).toEqual([]);
  });

  it('are joined, without control, where another export has the BoundSchema', () => {
    const other = boundSchema(databasesSource.spec, databasesSource.hash, [ownedBy('other')]);
    expect(ready(other).actions).toEqual([
      {
        type: 'setOwners',
        kind: 'BoundSchema',
        object: other,
        owners: [ownedBy('other'), ownedBy('databases', false)],
      },
    ]);
    expect(
      ready(boundSchema(databasesSource.spec, databasesSource.hash, [ownedBy('other'), ownedBy('databases', false)]))
        .actions,
    ).toEqual([]);
  });

  it('take control when the controller has gone', () => {
    const left = boundSchema(databasesSource.spec, databasesSource.hash, [ownedBy('databases', false)]);
    expect(ready(left).actions).toEqual([
      { type: 'setOwners', kind: 'BoundSchema', object: left, owners: [ownedBy('databases')] },
    ]);
  });

  it('are added to an APIServiceNamespace of another export, but not to one that nobody owns', () => {
    const namespace = serviceNamespace('team-a', [ownedBy('other')]);
    expect(ready(owned, namespace).actions).toEqual([
      {
        type: 'setOwners',
        kind: 'APIServiceNamespace',
        object: namespace,
        owners: [ownedBy('other'), ownedBy('databases', false)],
      },
    ]);
    expect(ready(owned, serviceNamespace('team-a')).actions).toEqual([]);
  });
});

describe('decideRequest: a request that waits', () => {
  const zones = crd('zones', 'Cluster');
  const both = {
    resources: [
      { group: 'example.com', resource: 'databases', versions: ['v1'] },
      { group: 'example.com', resource: 'zones', versions: ['v1'] },
    ],
  };
  const cases: readonly {
    readonly title: string;
    readonly world: World;
    readonly reason: string;
    readonly message: string;
  }[] = [
    {
      title: 'for an export of the CRD',
      world: { request: request() },
      reason: 'SchemaNotFound',
      message: 'databases.example.com',
    },
    {
      title: 'for one of two CRDs',
      world: { request: request(both), crds: [databases] },
      reason: 'SchemaNotFound',
      message: 'zones.example.com',
    },
    {
      title: 'for a version',
      world: {
        request: request({ resources: [{ group: 'example.com', resource: 'databases', versions: ['v1', 'v9'] }] }),
        crds: [databases],
      },
      reason: 'SchemaNotFound',
      message: 'v9',
    },
    {
      title: 'for a resource of the core group, which no CRD can be',
      world: {
        request: request({ resources: [{ group: '', resource: 'pods', versions: ['v1'] }] }),
        crds: [databases],
      },
      reason: 'SchemaNotFound',
      message: 'pods.core',
    },
    {
      title: 'for a CRD that can be said in a BoundSchema',
      world: {
        request: request({ resources: [{ group: 'example.com', resource: 'databases', versions: ['alpha'] }] }),
        crds: [crd('databases', 'Namespaced', ['alpha'])],
      },
      reason: 'BoundSchemaNotFound',
      message: 'databases.example.com',
    },
    {
      title: 'for a CRD that the API server serves',
      world: {
        request: request(),
        crds: [
          {
            ...databases,
            status: {
              conditions: [
                { type: 'NamesAccepted', status: 'False', message: 'the kind is taken' },
                { type: 'Established', status: 'False' },
              ],
            },
          },
        ],
      },
      reason: 'SchemaNotServed',
      message: 'the kind is taken',
    },
    {
      title: 'for a structural schema',
      world: {
        request: request(),
        crds: [
          {
            ...databases,
            status: {
              conditions: [{ type: 'NonStructuralSchema', status: 'True', message: 'spec.type: Required value' }],
            },
          },
        ],
      },
      reason: 'BoundSchemaNotFound',
      message: 'spec.type: Required value',
    },
    {
      title: 'for a conversion webhook that consumers can call',
      world: { request: request(), crds: [converting({ service: { name: 'converter', namespace: 'default' } })] },
      reason: 'BoundSchemaNotFound',
      message: 'conversion webhook',
    },
    {
      title: 'for a schema that fits into an etcd',
      world: { request: request(), crds: [described(1_400_000)] },
      reason: 'BoundSchemaNotFound',
      message: '1400000 can be exported',
    },
    {
      title: 'for an export of other resources to go',
      world: { request: request(), crds: [databases], export: apiExport({ resources: both.resources }) },
      reason: 'ExportConflict',
      message: 'resources',
    },
    {
      title: 'for an export of other versions to go',
      world: {
        request: request(),
        crds: [databases],
        export: apiExport({ resources: [{ group: 'example.com', resource: 'databases', versions: ['v1', 'v2'] }] }),
      },
      reason: 'ExportConflict',
      message: 'resources',
    },
    {
      title: 'for an export with other claims to go',
      world: { request: request({ permissionClaims: [claim] }), crds: [databases], export: apiExport() },
      reason: 'ExportConflict',
      message: 'permission claims',
    },
    {
      title: 'for a template of what it asks for',
      world: { request: request(), crds: [databases], admission: { kind: 'notOffered' } },
      reason: 'NotOffered',
      message: 'databases.example.com',
    },
    {
      title: 'for a template of all that it asks for',
      world: {
        request: request(),
        crds: [databases],
        admission: {
          kind: 'exceeds',
          coverages: [{ template: template('small'), excess: [{ kind: 'claim', name: 'secrets.' }] }],
        },
      },
      reason: 'ExceedsTemplate',
      message: 'small does not offer a claim on secrets.',
    },
    {
      title: 'for the right to bind',
      world: {
        request: request(),
        crds: [databases],
        admission: { kind: 'forbidden', templates: ['small'], user: 'system:serviceaccount:a:kube-binder' },
      },
      reason: 'BindForbidden',
      message: 'system:serviceaccount:a:kube-binder may not bind small',
    },
    {
      title: 'for an approval',
      world: {
        request: request(),
        crds: [databases],
        admission: { kind: 'unapproved', template: template('small'), approved: new Set(['tiny', 'large']) },
      },
      reason: 'ApprovalRequired',
      message: 'hawser.dev/approved-templates=large,small,tiny',
    },
    {
      title: 'for a consumer in its namespace',
      world: { request: request(), crds: [databases], admission: { kind: 'noConsumer' } },
      reason: 'NoConsumer',
      message: clusterNamespace,
    },
    {
      title: 'for a version that its template offers',
      world: {
        request: request({ resources: [{ group: 'example.com', resource: 'databases' }] }),
        crds: [databases],
        admission: {
          kind: 'admitted',
          template: template('old', {
            resources: [{ group: 'example.com', resource: 'databases', versions: ['v1alpha1'] }],
          }),
        },
      },
      reason: 'SchemaNotFound',
      message: 'v1alpha1',
    },
    {
      title: 'for what the API server refused',
      world: {
        request: request(),
        crds: [databases],
        refusal: { message: 'create boundschemas databases.example.com: quota exceeded' },
      },
      reason: 'WriteRefused',
      message: 'quota exceeded',
    },
  ];
  it.each(cases)('$title: stays Pending and says why', ({ world, reason, message }) => {
    const { actions, verdict } = decide(world);
    expect(verdict.kind).toBe('waiting');
    expect(actions).toHaveLength(1);
    const [action] = actions;
    if (action?.type !== 'writeStatus') throw new Error('no status');
    const status = withOutcome(world.request?.status, action.outcome, now);
    expect(status.phase).toBe('Pending');
    expect(status.terminalMessage).toBeUndefined();
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', severity: 'Error', reason },
      {
        type: 'ExportsReady',
        status: 'False',
        severity: 'Error',
        reason,
        message: expect.stringContaining(message) as unknown,
      },
    ]);
    // Said once, it is not said again.
    const reported = { ...action.request, status };
    expect(decide({ ...world, request: reported }).actions).toEqual([]);
  });

  it('succeeds when the CRD is exported at last', () => {
    const reported = request(
      {},
      withOutcome(
        { phase: 'Pending' },
        { kind: 'problem', problem: { kind: 'schemaNotFound', names: ['databases.example.com'] } },
        now,
      ),
    );
    expect(decide({ request: reported, crds: [databases] }).actions).toMatchObject([{ type: 'createBoundSchema' }]);
    expect(withOutcome(reported.status, { kind: 'succeeded' }, now)).toMatchObject({
      phase: 'Succeeded',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'ExportsReady', status: 'True' },
      ],
    });
  });

  it.each([
    [undefined],
    [
      {
        conditions: [
          { type: 'NamesAccepted', status: 'True' },
          { type: 'Established', status: 'False' },
        ],
      },
    ],
  ])('for a CRD that the API server is setting up says nothing: %p', (status) => {
    expect(decide({ request: request(), crds: [{ ...databases, status }] })).toMatchObject({
      actions: [],
      verdict: { kind: 'waiting', problem: { kind: 'schemaUnserved' } },
    });
  });

  it('for an export that is going does not touch it', () => {
    const going = apiExport();
    const world = {
      request: request(),
      crds: [databases],
      schemas: [owned],
      export: { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-11-21T15:24:08Z' } },
    };
    expect(decide(world).verdict).toEqual({
      kind: 'waiting',
      problem: { kind: 'exportTerminating', name: 'databases' },
    });
  });

  it('with scopes that differ can never succeed', () => {
    expect(decide({ request: request(both), crds: [databases, zones] }).verdict).toEqual({ kind: 'failed' });
  });
});

describe('decideRequest: a request that cannot succeed', () => {
  const cases: readonly {
    readonly title: string;
    readonly spec: Parameters<typeof request>[0];
    readonly type: string;
    readonly reason: string;
    readonly message: string;
  }[] = [
    {
      title: 'claims what nobody can claim',
      spec: { permissionClaims: [{ group: 'apps', resource: 'deployments', selector: {} }] },
      type: 'PermissionClaim',
      reason: 'InvalidPermissionClaim',
      message: 'deployments.apps',
    },
    {
      title: 'claims a resource of another group by the name of one that can be claimed',
      spec: { permissionClaims: [{ group: 'apps', resource: 'secrets', selector: {} }] },
      type: 'PermissionClaim',
      reason: 'InvalidPermissionClaim',
      message: 'secrets.apps',
    },
    {
      title: 'claims something twice',
      spec: { permissionClaims: [claim, { ...claim, selector: {} }] },
      type: 'PermissionClaim',
      reason: 'DuplicatePermissionClaim',
      message: 'secrets',
    },
    {
      title: 'wants a namespace whose name is too long once it is prefixed',
      spec: { namespaces: [{ name: 'n'.repeat(50) }] },
      type: 'ExportsReady',
      reason: 'InvalidNamespaceName',
      message: `${clusterNamespace}-nnn`,
    },
    {
      title: 'wants a namespace of an impossible name',
      spec: { namespaces: [{ name: 'Team_A' }] },
      type: 'ExportsReady',
      reason: 'InvalidNamespaceName',
      message: 'Team_A',
    },
  ];
  it.each(cases)('$title: fails at once, without a CRD too, and for good', ({ spec, type, reason, message }) => {
    const wrong = request(spec);
    const { actions, verdict } = decide({ request: wrong });
    expect(verdict).toEqual({ kind: 'failed' });
    const [action] = actions;
    if (actions.length !== 1 || action?.type !== 'writeStatus') throw new Error('no status');
    const status = withOutcome(wrong.status, action.outcome, now);
    expect(status).toMatchObject({ phase: 'Failed', terminalMessage: expect.stringContaining(message) as unknown });
    expect(status.conditions?.find((condition) => condition.type === type)).toMatchObject({
      status: 'False',
      reason,
      severity: 'Error',
      message: status.terminalMessage,
    });
    expect(status.conditions?.find((condition) => condition.type === 'Stalled')).toMatchObject({
      status: 'True',
      reason,
      message: status.terminalMessage,
    });
    expect(status.conditions?.find((condition) => condition.type === 'Ready')).toMatchObject({
      status: 'False',
      reason,
    });
    expect(decide({ request: { ...wrong, status }, crds: [databases] })).toEqual({
      actions: [],
      verdict: { kind: 'failed' },
    });
  });

  it('and one that has failed before is left as it is', () => {
    expect(decide({ request: request({}, { phase: 'Failed' }), crds: [databases] })).toEqual({
      actions: [],
      verdict: { kind: 'failed' },
    });
  });
});

describe('decideRequest: no request', () => {
  it('leaves everything as it is', () => {
    expect(decide({ crds: [databases], schemas: [owned], export: apiExport() })).toEqual({
      actions: [],
      verdict: { kind: 'absent' },
    });
  });

  it('nor does one that is going ask for anything', () => {
    const going = request();
    expect(
      decide({
        request: { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-11-21T15:24:08Z' } },
        crds: [databases],
      }),
    ).toEqual({ actions: [], verdict: { kind: 'absent' } });
  });
});
