import { klutchDialect } from '@hawser/klutch';
import { getCondition, kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Action } from './decision.js';
import type { ObservedConsumer, Settings } from './observed.js';
import { type RequestObject, withRequestRights } from './request-rights.js';
import {
  binding,
  consumer,
  databases,
  exportOf,
  inlineExportOf,
  klutchObserved,
  namespace,
  observed,
  requestOf,
  schemaOf,
  schemas,
  serviceNamespace,
  zones,
} from './testing/objects.js';

const strict: Settings = { dialect: kubeBindDialect, clusterReads: 'refused' };
const shared: Settings = { dialect: kubeBindDialect, clusterReads: 'shared' };
const behindGateway: Settings = { dialect: kubeBindDialect, clusterReads: 'gateway' };
const at = Date.parse('2026-05-01T00:00:00Z');

const label = (action: Action): string => {
  switch (action.type) {
    case 'grant':
      return `grant ${action.binding.metadata.namespace ?? '*'} ${action.binding.roleRef.name}`;
    case 'repair':
    case 'withdraw':
    case 'removeBackendBinding':
      return `${action.type} ${action.existing.metadata.namespace ?? '*'} ${action.existing.metadata.name}`;
    case 'narrow':
      return `narrow ${action.schema.metadata.name}`;
    case 'writeRequest':
      return `tell request ${action.request.metadata.name} ${action.rights.kind}`;
    case 'writeCondition':
      return `tell ${action.export.metadata.name} ${[...action.outcome.refusals, ...action.outcome.sharing].map(({ kind }) => kind).join('+')}`;
  }
};
const steps = (settings: Settings, state: ObservedConsumer): readonly string[] =>
  decide(settings, state, at).actions.map(label);
const team = `${consumer}-team-a`;

describe('decide: what a consumer is given', () => {
  const cases: readonly {
    readonly title: string;
    readonly settings?: Settings;
    readonly state: Partial<ObservedConsumer>;
    readonly steps: readonly string[];
  }[] = [
    {
      title: 'a namespaced resource, in each of its service namespaces and nowhere else',
      settings: shared,
      state: {
        exports: [exportOf(databases)],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
        serviceNamespaces: [serviceNamespace('team-a'), serviceNamespace('team-b')],
      },
      steps: [
        `grant ${team} kube-binder:objects:databases.example.com`,
        `grant ${consumer}-team-b kube-binder:objects:databases.example.com`,
      ],
    },
    {
      title: 'claims, in service namespaces, also where the resource itself is cluster-scoped',
      settings: shared,
      state: {
        exports: [exportOf(zones, { claims: ['secrets'] })],
        boundSchemas: schemas(schemaOf(zones, 'Cluster')),
        serviceNamespaces: [serviceNamespace('team-a')],
      },
      steps: [
        'grant * kube-binder:objects:zones.example.com',
        `grant ${team} kube-binder:claims:secrets.core`,
        'tell zones sight',
      ],
    },
    {
      title: 'a cluster-scoped resource under None, with names of its own choice',
      settings: shared,
      state: { exports: [exportOf(zones, { isolation: 'None' })], boundSchemas: schemas(schemaOf(zones, 'Cluster')) },
      steps: [
        'grant * kube-binder:objects:zones.example.com',
        'grant * kube-binder:any-name:zones.example.com',
        'tell zones names',
      ],
    },
    {
      title: 'under isolation Namespaced, watching everywhere, and writing in the cluster namespace',
      settings: shared,
      state: {
        exports: [exportOf(databases, { isolation: 'Namespaced' })],
        boundSchemas: schemas(schemaOf(databases, 'Cluster')),
      },
      steps: [
        'grant * kube-binder:watch:databases.example.com',
        `grant ${consumer} kube-binder:objects:databases.example.com`,
        'tell databases sight',
      ],
    },
    {
      title: 'behind a gateway no right to read in the whole cluster, but to change objects with its names',
      settings: behindGateway,
      state: { exports: [exportOf(zones)], boundSchemas: schemas(schemaOf(zones, 'Cluster')) },
      steps: ['grant * kube-binder:changes:zones.example.com'],
    },
    {
      title: 'behind a gateway, under None, to change objects of its choice',
      settings: behindGateway,
      state: { exports: [exportOf(zones, { isolation: 'None' })], boundSchemas: schemas(schemaOf(zones, 'Cluster')) },
      steps: [
        'grant * kube-binder:changes:zones.example.com',
        'grant * kube-binder:any-name:zones.example.com',
        'tell zones taken',
      ],
    },
    {
      title: 'behind a gateway, under isolation Namespaced, its cluster namespace alone',
      settings: behindGateway,
      state: {
        exports: [exportOf(databases, { isolation: 'Namespaced' })],
        boundSchemas: schemas(schemaOf(databases, 'Cluster')),
      },
      steps: [`grant ${consumer} kube-binder:objects:databases.example.com`],
    },
    {
      title: 'behind a gateway no reading right in a namespace that it shares',
      settings: behindGateway,
      state: {
        exports: [exportOf(databases, { isolation: 'None' })],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
        serviceNamespaces: [
          serviceNamespace('team-a'),
          serviceNamespace('open', { 'hawser.dev/shared-namespace': 'true' }, 'open'),
        ],
      },
      steps: [
        `grant ${team} kube-binder:objects:databases.example.com`,
        'grant open kube-binder:changes:databases.example.com',
        'tell databases taken',
      ],
    },
    {
      title: 'behind a gateway claimed objects where no other consumer has the namespace, or had it before',
      settings: behindGateway,
      state: {
        exports: [exportOf(databases, { isolation: 'None', claims: ['secrets'] })],
        serviceNamespaces: [
          serviceNamespace('alone', undefined, 'alone'),
          serviceNamespace('both', undefined, 'both', true),
          serviceNamespace('left', { 'kube-bind.io/api-service-namespace': 'kube-bind-b/left' }, 'left'),
          serviceNamespace('open', { 'hawser.dev/shared-namespace': 'true' }, 'open'),
        ],
      },
      steps: ['grant alone kube-binder:claims:secrets.core', 'tell databases claimsShared+claimsShared+claimsShared'],
    },
    {
      title: 'without a gateway claimed objects in every namespace',
      state: {
        exports: [exportOf(databases, { isolation: 'None', claims: ['secrets'] })],
        serviceNamespaces: [
          serviceNamespace('alone', undefined, 'alone'),
          serviceNamespace('both', undefined, 'both', true),
        ],
      },
      steps: ['grant alone kube-binder:claims:secrets.core', 'grant both kube-binder:claims:secrets.core'],
    },
    {
      title: 'behind a gateway nothing where only the missing policy would keep objects apart',
      settings: behindGateway,
      state: {
        exports: [exportOf(zones, { isolation: 'None' })],
        boundSchemas: schemas(schemaOf(zones, 'Cluster')),
        policy: { kind: 'absent', what: 'there is none' },
      },
      steps: ['tell zones policy'],
    },
    {
      title: 'nothing cluster-wide, unless the operator has agreed',
      state: {
        exports: [exportOf(zones, { claims: ['secrets'] }), exportOf(databases, { isolation: 'Namespaced' })],
        boundSchemas: schemas(schemaOf(zones, 'Cluster'), schemaOf(databases, 'Cluster')),
        serviceNamespaces: [serviceNamespace('team-a')],
      },
      steps: [`grant ${team} kube-binder:claims:secrets.core`, 'tell zones sharedScope', 'tell databases sharedScope'],
    },
    {
      title: 'no prefixed names while nothing keeps them apart',
      settings: shared,
      state: {
        exports: [exportOf(zones)],
        boundSchemas: schemas(schemaOf(zones, 'Cluster')),
        policy: { kind: 'absent', what: 'there is none' },
      },
      steps: ['tell zones policy'],
    },
    {
      title: 'no prefixed names where another prefix begins alike',
      settings: shared,
      state: {
        exports: [exportOf(zones)],
        boundSchemas: schemas(schemaOf(zones, 'Cluster')),
        prefixSharedWith: `${consumer}-b`,
      },
      steps: ['tell zones prefix'],
    },
    {
      title: 'no role that the operator has not made',
      state: {
        exports: [exportOf(databases)],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
        serviceNamespaces: [serviceNamespace('team-a')],
        roles: new Map(),
      },
      steps: ['tell databases roleMissing'],
    },
    {
      title: 'no rights in a namespace that was not made for a consumer',
      state: {
        exports: [exportOf(databases, { claims: ['secrets'] })],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
        serviceNamespaces: [serviceNamespace('kube-system', {}, 'kube-system')],
      },
      steps: ['tell databases foreignNamespace'],
    },
    {
      title: 'no rights in a cluster namespace, even if it says that it was opened',
      state: {
        exports: [exportOf(databases)],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
        serviceNamespaces: [
          serviceNamespace(
            'kube-bind-b',
            { 'backend.kube-bind.io/identity': 'b', 'hawser.dev/shared-namespace': 'true' },
            'kube-bind-b',
          ),
        ],
      },
      steps: ['tell databases foreignNamespace'],
    },
    {
      title: 'rights in a namespace that the operator has opened',
      state: {
        exports: [exportOf(databases, { isolation: 'None' })],
        boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
        serviceNamespaces: [serviceNamespace('team-a', { 'hawser.dev/shared-namespace': 'true' }, 'team-a')],
      },
      steps: ['grant team-a kube-binder:objects:databases.example.com', 'tell databases names'],
    },
    {
      title: 'BoundSchemas by which konnectors watch service namespaces',
      state: { exports: [exportOf(databases)], boundSchemas: schemas(schemaOf(databases, 'Namespaced', 'Cluster')) },
      steps: ['narrow databases.example.com'],
    },
    {
      title: 'nothing for what has no BoundSchema yet',
      state: { exports: [exportOf(databases)], serviceNamespaces: [serviceNamespace('team-a')] },
      steps: [],
    },
    {
      title: 'nothing while its cluster namespace goes',
      state: {
        exports: [exportOf(databases)],
        namespace: namespace(consumer, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
        bindings: [binding(`kube-binder:${consumer}:claims:secrets.core`, 'kube-binder:claims:secrets.core', team)],
      },
      steps: [],
    },
  ];
  it.each(cases)('$title', ({ settings = strict, state, steps: expected }) => {
    expect(steps(settings, observed(state))).toEqual(expected);
  });
});

describe('decide: what a consumer has', () => {
  const state = (fields: Partial<ObservedConsumer>): ObservedConsumer =>
    observed({
      exports: [exportOf(databases)],
      boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
      serviceNamespaces: [serviceNamespace('team-a')],
      ...fields,
    });
  const name = `kube-binder:${consumer}:objects:databases.example.com`;
  const role = 'kube-binder:objects:databases.example.com';
  const own = binding(name, role, team);

  it('costs nothing', () => {
    expect(decide(strict, state({ bindings: [own] }), at)).toEqual({ actions: [], verdict: { kind: 'granted' } });
  });

  it.each([
    ['the export is gone', { exports: [] }],
    [
      'the export is going',
      { exports: [exportOf(databases, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
    ],
    [
      'the provider has withdrawn it',
      {
        exports: [
          {
            ...exportOf(databases),
            metadata: { ...exportOf(databases).metadata, annotations: { 'hawser.dev/withdrawn': 'RequestDeleted' } },
          },
        ],
      },
    ],
    [
      'the consumer has let go of it',
      {
        exports: [
          exportOf(databases, {
            status: { conditions: [{ type: 'Unbound', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
          }),
        ],
      },
    ],
    ['the namespace is no longer assigned', { serviceNamespaces: [] }],
  ] satisfies readonly (readonly [string, Partial<ObservedConsumer>])[])('is withdrawn when %s', (_, fields) => {
    expect(steps(strict, state({ bindings: [own], ...fields }))).toEqual([`withdraw ${team} ${name}`]);
  });

  it('is withdrawn when the claims of an export shrink', () => {
    const claim = binding(`kube-binder:${consumer}:claims:secrets.core`, 'kube-binder:claims:secrets.core', team);
    expect(
      steps(strict, state({ exports: [exportOf(databases, { claims: ['secrets'] })], bindings: [own, claim] })),
    ).toEqual([]);
    expect(steps(strict, state({ bindings: [own, claim] }))).toEqual([`withdraw ${team} ${claim.metadata.name}`]);
  });

  it('stays while another export needs it', () => {
    expect(
      steps(
        strict,
        state({
          exports: [
            exportOf(databases, { name: 'one', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
            exportOf(databases, { name: 'two' }),
          ],
          bindings: [own],
        }),
      ),
    ).toEqual([]);
  });

  it('is put right: subjects, label, owner', () => {
    const others = {
      subjects: [...(own.subjects ?? []), { kind: 'ServiceAccount', name: 'kube-binder', namespace: 'kube-bind-b' }],
    };
    expect(steps(strict, state({ bindings: [binding(name, role, team, others)] }))).toEqual([`repair ${team} ${name}`]);
    expect(
      steps(strict, state({ bindings: [binding(name, role, team, { metadata: { ...own.metadata, labels: {} } })] })),
    ).toEqual([`repair ${team} ${name}`]);
    expect(
      steps(
        strict,
        state({ bindings: [binding(name, role, team, { metadata: { ...own.metadata, ownerReferences: [] } })] }),
      ),
    ).toEqual([`repair ${team} ${name}`]);
  });

  it('is made anew where it gives another role', () => {
    expect(steps(strict, state({ bindings: [binding(name, 'cluster-admin', team)] }))).toEqual([
      `withdraw ${team} ${name}`,
    ]);
  });

  it('stays where the role has come to differ, which is told, and is given to nobody new', () => {
    const roles = new Map([
      [
        role,
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: role },
          rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
        },
      ],
    ]);
    expect(steps(strict, state({ roles, bindings: [own] }))).toEqual(['tell databases roleDiffers']);
    const [action] = decide(strict, state({ roles }), at).actions;
    expect(action).toMatchObject({
      type: 'writeCondition',
      outcome: {
        refusals: [
          { kind: 'roleDiffers', missing: [], excess: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
        ],
      },
    });
  });

  it('of others is left alone', () => {
    const foreign = binding('support', 'view', team, { metadata: { name: 'support', namespace: team } });
    expect(steps(strict, state({ bindings: [own, foreign] }))).toEqual([]);
  });

  it('from the Go backend goes once the own rights are there', () => {
    const theirs = binding('kube-binder-claims-databases', 'kube-binder-claims-databases', team, {
      metadata: { name: 'kube-binder-claims-databases', namespace: team },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'kube-binder-claims-databases' },
    });
    expect(steps(strict, state({ bindings: [theirs] }))).toEqual([
      `grant ${team} ${role}`,
      `removeBackendBinding ${team} kube-binder-claims-databases`,
    ]);
    expect(steps(strict, state({ bindings: [theirs], roles: new Map() }))).toEqual(['tell databases roleMissing']);
  });

  it('is told to be granted only where it was refused before', () => {
    const conditions = [
      {
        type: 'RightsGranted',
        status: 'False',
        severity: 'Warning',
        reason: 'ConsumerRoleMissing',
        message: 'x',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ] as const;
    expect(
      steps(strict, state({ exports: [exportOf(databases, { status: { conditions } })], bindings: [own] })),
    ).toEqual(['tell databases ']);
  });
});

describe('decide: what the operator withdraws by the cluster namespace', () => {
  const own = binding(
    'kube-binder:kube-bind-a:objects:databases.example.com',
    'kube-binder:objects:databases.example.com',
    team,
  );
  const state = (annotations: Readonly<Record<string, string>>): ObservedConsumer =>
    observed({
      namespace: namespace(consumer, { 'backend.kube-bind.io/identity': 'a', ...annotations }),
      exports: [exportOf(databases)],
      boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
      serviceNamespaces: [serviceNamespace('team-a')],
      bindings: [own],
      requests: [requestOf([databases])],
    });

  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['all exports', { 'hawser.dev/withdrawn': 'unpaid' }, true],
    ['one by name', { 'hawser.dev/withdrawn-exports': 'queues, databases' }, true],
    ['another one', { 'hawser.dev/withdrawn-exports': 'queues,database' }, false],
    ['nothing', { 'hawser.dev/withdrawn': '', 'hawser.dev/withdrawn-exports': '' }, false],
  ])('%s', (_, annotations, withdrawn) => {
    expect(steps(strict, state(annotations))).toEqual(
      withdrawn
        ? ['tell databases withdrawn', 'tell request databases refused', `withdraw ${team} ${own.metadata.name}`]
        : [],
    );
  });
});

describe('decide: what its requests say', () => {
  const answeredOne = requestOf([databases]);
  const state = (fields: Partial<ObservedConsumer>): ObservedConsumer =>
    observed({
      exports: [exportOf(databases)],
      boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
      requests: [answeredOne],
      ...fields,
    });
  const reportedOn = (request: RequestObject, fields: Partial<ObservedConsumer>): RequestObject => {
    const action = decide(strict, state({ requests: [request], ...fields }), at).actions.find(
      (one) => one.type === 'writeRequest',
    );
    return action === undefined
      ? request
      : { ...request, status: withRequestRights(request.status ?? {}, action.rights, at) };
  };
  const conditionText = (request: RequestObject, type: string): string => {
    const found = getCondition(request.status?.conditions, type);
    return `${found?.status ?? 'absent'} ${found?.reason ?? ''}`.trim();
  };

  it('is nothing while all rights are there', () => {
    expect(steps(strict, state({}))).toEqual([]);
  });

  it('is that they are not ready without rights, who has to give them and how; before there is a namespace, too', () => {
    const refused = reportedOn(answeredOne, { roles: new Map() });
    expect([
      conditionText(refused, 'Ready'),
      conditionText(refused, 'RightsGranted'),
      conditionText(refused, 'ExportsReady'),
      refused.status?.phase,
    ]).toEqual(['False ConsumerRoleMissing', 'False ConsumerRoleMissing', 'True', 'Succeeded']);
    const { message } = getCondition(refused.status?.conditions, 'RightsGranted') ?? {};
    expect(message).toContain('APIServiceExport "databases"');
    expect(message).toContain('Provider: ');
    expect(message).toContain('`hawser rbac --roles provider | kubectl apply -f -`');
    // In step: no further write.
    expect(decide(strict, state({ requests: [refused], roles: new Map() }), at).actions.map(label)).toEqual([
      'tell databases roleMissing',
    ]);
    const granted = reportedOn(refused, {});
    expect([conditionText(granted, 'Ready'), conditionText(granted, 'RightsGranted')]).toEqual(['True', 'True']);
    // Of what is gone, or withdrawn, nothing is said.
    expect(conditionText(reportedOn(refused, { exports: [] }), 'RightsGranted')).toBe('absent');
    expect(
      conditionText(
        reportedOn(refused, {
          roles: new Map(),
          exports: [exportOf(databases, { metadata: { annotations: { 'hawser.dev/withdrawn': 'Unbound' } } })],
        }),
        'RightsGranted',
      ),
    ).toBe('absent');
  });

  it('is nothing as long as they are not answered', () => {
    expect(
      steps(strict, state({ requests: [requestOf([databases], { status: { phase: 'Pending' } })], roles: new Map() })),
    ).toEqual(['tell databases roleMissing']);
  });

  it('is in Klutch about the export of each resource', () => {
    const request = requestOf([databases, zones], { name: 'both' });
    const klutch = klutchObserved({
      exports: [inlineExportOf(databases), inlineExportOf(zones, { scope: 'Cluster' })],
      requests: [request],
    });
    const action = decide({ dialect: klutchDialect, clusterReads: 'refused' }, klutch, at).actions.find(
      (one) => one.type === 'writeRequest',
    );
    expect(action?.rights).toMatchObject({
      kind: 'refused',
      exports: ['zones.example.com'],
      refusals: [{ kind: 'sharedScope' }],
    });
  });
});

describe('decide: a consumer that speaks Klutch', () => {
  const klutch: Settings = { dialect: klutchDialect, clusterReads: 'refused' };
  const made = serviceNamespace('team-a', { 'klutch.anynines.com/api-service-namespace': `${consumer}/team-a` });
  const claims = [
    { group: '', resource: 'secrets' },
    { group: 'example.com', resource: 'credentials' },
  ];
  const subjects = [{ kind: 'ServiceAccount', name: 'klutch-binder', namespace: consumer }];
  const perConsumer = `klutch-binder-${consumer}`;

  it.each<[string, Settings, Partial<ObservedConsumer>, readonly string[]]>([
    [
      'what its export carries, in its service namespaces',
      klutch,
      { exports: [inlineExportOf(databases)] },
      [`grant ${team} klutch-binder:objects:databases.example.com`],
    ],
    [
      'what its template claims, as far as the operator has made roles for it',
      klutch,
      { exports: [inlineExportOf(databases, { claims })] },
      [
        `grant ${team} klutch-binder:objects:databases.example.com`,
        `grant ${team} klutch-binder:claims:secrets.core`,
        `tell ${consumer} roleMissing`,
      ],
    ],
    [
      'nothing in the whole cluster, though the export says so',
      klutch,
      { exports: [inlineExportOf(databases, { informerScope: 'Cluster' })] },
      [`grant ${team} klutch-binder:objects:databases.example.com`, `tell ${consumer} sharedScope`],
    ],
    [
      'list and watch in the whole cluster, and no more there, where the operator agrees',
      { ...klutch, clusterReads: 'shared' },
      { exports: [inlineExportOf(databases, { informerScope: 'Cluster', claims: claims.slice(0, 1) })] },
      [
        `grant ${team} klutch-binder:objects:databases.example.com`,
        'grant * klutch-binder:watch:databases.example.com',
        `grant ${team} klutch-binder:claims:secrets.core`,
        `tell ${consumer} sight`,
      ],
    ],
    [
      'cluster-scoped objects with its prefix',
      { ...klutch, clusterReads: 'shared' },
      { exports: [inlineExportOf(zones, { scope: 'Cluster' })] },
      ['grant * klutch-binder:objects:zones.example.com', `tell ${consumer} sight`],
    ],
    [
      'nothing in a namespace of a consumer of kube-bind',
      klutch,
      { exports: [inlineExportOf(databases)], serviceNamespaces: [serviceNamespace('team-a')] },
      [`tell ${consumer} foreignNamespace`],
    ],
    [
      'nothing in the cluster namespace of a consumer of kube-bind',
      klutch,
      {
        exports: [inlineExportOf(databases)],
        serviceNamespaces: [
          serviceNamespace('b', { 'backend.kube-bind.io/identity': 'b', 'hawser.dev/shared-namespace': 'true' }, 'b'),
        ],
      },
      [`tell ${consumer} foreignNamespace`],
    ],
  ])('gets %s', (_, settings, state, expected) => {
    const actions = steps(settings, klutchObserved({ serviceNamespaces: [made], ...state }));
    expect(actions.map((action) => action.replace(/^tell \S+/u, `tell ${consumer}`))).toEqual(expected);
  });

  it('loses what the Go backend gave in a service namespace once it has its own, and nothing that somebody else made', () => {
    const theirs = binding('klutch-binder', perConsumer, team, {
      metadata: { name: 'klutch-binder', namespace: team },
      subjects,
    });
    const state = (fields: Partial<ObservedConsumer>): ObservedConsumer =>
      klutchObserved({ exports: [inlineExportOf(databases)], serviceNamespaces: [made], ...fields });
    expect(steps(klutch, state({ bindings: [theirs] }))).toEqual([
      `grant ${team} klutch-binder:objects:databases.example.com`,
      `removeBackendBinding ${team} klutch-binder`,
    ]);
    expect(steps(klutch, state({ bindings: [theirs], roles: new Map() }))).toEqual([
      'tell databases.example.com roleMissing',
    ]);
    for (const other of [
      { ...theirs, roleRef: { ...theirs.roleRef, name: 'klutch-binder-b' } },
      { ...theirs, subjects: [...subjects, { kind: 'Group', name: 'operators' }] },
      { ...theirs, metadata: { ...theirs.metadata, namespace: 'elsewhere' } },
    ]) {
      expect(steps(klutch, state({ bindings: [other] }))).toEqual([
        `grant ${team} klutch-binder:objects:databases.example.com`,
      ]);
    }
  });
});
