import type { KubeObject, OwnerReference } from '@hawser/client';
import { type APIServiceNamespace, kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Judgement } from './decision.js';
import type { Observed, Settings } from './observed.js';

const clusterNamespace = 'kube-bind-acme';
const defaults: Settings = {
  dialect: kubeBindDialect,
  isolation: 'Prefixed',
  reclaim: 'Never',
  reservedNamespaces: ['kube-system'],
  consumerNamespaces: ['team-*'],
  ownPrefixes: ['cluster-'],
  namespacesPerConsumer: 3,
};
const owner = 'kube-bind.io/api-service-namespace';
const mark = { 'hawser.dev/created-by': 'servicenamespace' };

function serviceNamespace(name: string, assigned?: string, deletionTimestamp?: string): APIServiceNamespace {
  return {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceNamespace',
    metadata: { name, namespace: clusterNamespace, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    ...(assigned === undefined ? {} : { status: { namespace: assigned } }),
  };
}

function namespace(name: string, annotations: Record<string, string> = {}, deletionTimestamp?: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  };
}

function observed(
  object: APIServiceNamespace | undefined,
  namespaces: readonly KubeObject[] = [],
  consumerNamespace = object?.metadata.name ?? 'team-a',
): Observed {
  return {
    clusterNamespace,
    consumerNamespace,
    serviceNamespace: object,
    namespaces: new Map(namespaces.map((one) => [one.metadata.name, one])),
    made: namespaces.length,
    exports: [],
  };
}

const prefixed = 'kube-bind-acme-team-a';
const oursAnnotation = { [owner]: 'kube-bind-acme/team-a' };
const going = '2026-11-21T15:24:14Z';

describe('decide: the name', () => {
  const cases: readonly {
    readonly title: string;
    readonly settings?: Partial<Settings>;
    readonly state: Observed;
    readonly creates: string;
  }[] = [
    {
      title: 'is prefixed with the cluster namespace under Prefixed',
      state: observed(serviceNamespace('team-a')),
      creates: prefixed,
    },
    {
      title: 'is prefixed under Namespaced',
      settings: { isolation: 'Namespaced' },
      state: observed(serviceNamespace('team-a')),
      creates: prefixed,
    },
    {
      title: 'is that of the consumer under None',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('team-a')),
      creates: 'team-a',
    },
    {
      title: 'is the assigned one, whatever the isolation says now',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('team-a', prefixed)),
      creates: prefixed,
    },
    { title: 'ignores an empty assignment', state: observed(serviceNamespace('team-a', '')), creates: prefixed },
  ];
  it.each(cases)('$title', ({ settings, state, creates }) => {
    expect(decide({ ...defaults, ...settings }, state)).toEqual({
      action: {
        type: 'createNamespace',
        name: creates,
        consumer: clusterNamespace,
        annotations: { ...oursAnnotation, ...mark },
      },
      verdict: { kind: 'progressing' },
    });
  });

  it('stays that of the namespace made under another isolation, if the namespace says so', () => {
    const object = serviceNamespace('team-a');
    expect(decide({ ...defaults, isolation: 'None' }, observed(object, [namespace(prefixed, oursAnnotation)]))).toEqual(
      {
        action: { type: 'assign', serviceNamespace: object, namespace: prefixed, shared: false },
        verdict: { kind: 'assigned', namespace: prefixed },
      },
    );
  });

  it('is never taken from an annotation alone', () => {
    expect(
      decide(defaults, observed(serviceNamespace('team-a'), [namespace('anything', oursAnnotation)])).action,
    ).toMatchObject({ type: 'createNamespace', name: prefixed });
  });
});

describe('decide: an existing namespace', () => {
  it('that is marked as ours is assigned', () => {
    const object = serviceNamespace('team-a');
    expect(decide(defaults, observed(object, [namespace(prefixed, oursAnnotation)])).action).toEqual({
      type: 'assign',
      serviceNamespace: object,
      namespace: prefixed,
      shared: false,
    });
  });

  it('that is assigned already needs nothing', () => {
    expect(
      decide(defaults, observed(serviceNamespace('team-a', prefixed), [namespace(prefixed, oursAnnotation)])),
    ).toEqual({ verdict: { kind: 'assigned', namespace: prefixed } });
  });

  it('is used under None if it was made for a consumer, or opened, and said to be shared', () => {
    const object = serviceNamespace('team-a');
    for (const found of [
      namespace('team-a', { 'hawser.dev/shared-namespace': 'true' }),
      namespace('team-a', { [owner]: 'kube-bind-other/team-a' }),
    ]) {
      expect(decide({ ...defaults, isolation: 'None' }, observed(object, [found])).action).toEqual({
        type: 'assign',
        serviceNamespace: object,
        namespace: 'team-a',
        shared: true,
      });
    }
  });

  it('is used under None though its name is not allowed, if it was made for this consumer, assigned, or opened by the operator', () => {
    const settings: Settings = { ...defaults, isolation: 'None', consumerNamespaces: [] };
    for (const found of [
      namespace('team-a', oursAnnotation),
      namespace('team-a', { 'hawser.dev/shared-namespace': 'true' }),
    ])
      expect(decide(settings, observed(serviceNamespace('team-a'), [found])).action).toMatchObject({ type: 'assign' });
    expect(
      decide(settings, observed(serviceNamespace('team-a', 'team-a'), [namespace('team-a', oursAnnotation)])),
    ).toEqual({ verdict: { kind: 'assigned', namespace: 'team-a' } });
  });

  it('that was assigned under None stays assigned under another isolation', () => {
    expect(decide(defaults, observed(serviceNamespace('team-a', 'team-a'), [namespace('team-a')]))).toEqual({
      verdict: { kind: 'assigned', namespace: 'team-a' },
    });
  });
});

describe('decide: what is held', () => {
  const long = 'n'.repeat(50);
  const cases: readonly {
    readonly title: string;
    readonly settings?: Partial<Settings>;
    readonly state: Observed;
    readonly problem: object;
  }[] = [
    {
      title: 'an unmarked namespace is not taken over',
      state: observed(serviceNamespace('team-a'), [namespace(prefixed)]),
      problem: { kind: 'conflict', namespace: prefixed, owner: undefined, assigned: false },
    },
    {
      title: 'nor one of another consumer',
      state: observed(serviceNamespace('team-a'), [namespace(prefixed, { [owner]: 'kube-bind/acme-team-a' })]),
      problem: { kind: 'conflict', namespace: prefixed, owner: 'kube-bind/acme-team-a', assigned: false },
    },
    {
      title: 'nor is an assignment to a foreign one taken back',
      state: observed(serviceNamespace('team-a', prefixed), [namespace(prefixed, { [owner]: 'a/b' })]),
      problem: { kind: 'conflict', namespace: prefixed, owner: 'a/b', assigned: true },
    },
    {
      title: 'a namespace that is going is waited for',
      state: observed(serviceNamespace('team-a'), [namespace(prefixed, oursAnnotation, going)]),
      problem: { kind: 'terminating', namespace: prefixed },
    },
    {
      title: 'also when it is assigned',
      state: observed(serviceNamespace('team-a', prefixed), [namespace(prefixed, oursAnnotation, going)]),
      problem: { kind: 'terminating', namespace: prefixed },
    },
    {
      title: 'a name that overflows',
      state: observed(serviceNamespace(long)),
      problem: { kind: 'nameTooLong', namespace: `${clusterNamespace}-${long}`, prefix: `${clusterNamespace}-` },
    },
    {
      title: 'a name that is not a DNS label',
      state: observed(serviceNamespace('team.a')),
      problem: { kind: 'nameInvalid', namespace: `${clusterNamespace}-team.a` },
    },
    {
      title: 'a reserved namespace under None',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('kube-system'), [namespace('kube-system')]),
      problem: { kind: 'reserved', namespace: 'kube-system' },
    },
    {
      title: 'the own cluster namespace under None',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace(clusterNamespace), [namespace(clusterNamespace)]),
      problem: { kind: 'reserved', namespace: clusterNamespace },
    },
    {
      title: 'a namespace under None that was made for nobody',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('team-a'), [namespace('team-a')]),
      problem: { kind: 'notOpen', namespace: 'team-a' },
    },
    {
      title: 'a name under None that the operator does not allow',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('monitoring')),
      problem: { kind: 'notAllowed', namespace: 'monitoring' },
    },
    {
      title: 'nor is it allowed because another consumer has it',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('monitoring'), [
        namespace('monitoring', { [owner]: 'kube-bind-other/monitoring' }),
      ]),
      problem: { kind: 'notAllowed', namespace: 'monitoring' },
    },
    ...['kube-vault', 'hawser', 'hawser-system', 'klutch-bind', 'klutch-bind-apps-shop', 'cluster-0123'].map(
      (name) => ({
        title: `${name} under None, whatever is allowed`,
        settings: { isolation: 'None', consumerNamespaces: ['*'] } as const,
        state: observed(serviceNamespace(name)),
        problem: { kind: 'reserved', namespace: name },
      }),
    ),
    {
      title: 'nor if the operator has opened it',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('kube-vault'), [
        namespace('kube-vault', { 'hawser.dev/shared-namespace': 'true' }),
      ]),
      problem: { kind: 'reserved', namespace: 'kube-vault' },
    },
    {
      title: 'a name under None that begins as those of another consumer do',
      settings: { isolation: 'None', consumerNamespaces: ['*'] },
      state: observed(serviceNamespace('eu-x-team'), [namespace('eu-x', { 'backend.kube-bind.io/identity': 'b' })]),
      problem: { kind: 'reserved', namespace: 'eu-x-team' },
    },
    {
      title: 'the cluster namespace of another consumer under None',
      settings: { isolation: 'None' },
      state: observed(serviceNamespace('kube-bind-b'), [
        namespace('kube-bind-b', { 'backend.kube-bind.io/identity': 'b' }),
      ]),
      problem: { kind: 'reserved', namespace: 'kube-bind-b' },
    },
  ];
  it.each(cases)('$title', ({ settings, state, problem }) => {
    const decision = decide({ ...defaults, ...settings }, state);
    expect(decision).toEqual({ verdict: { kind: 'held', problem } } satisfies Judgement | object);
  });
});

describe('decide: an APIServiceNamespace that is gone', () => {
  const own = namespace(prefixed, { ...oursAnnotation, ...mark });

  it('costs nothing by default', () => {
    expect(decide(defaults, observed(undefined, [own]))).toEqual({ verdict: { kind: 'absent' } });
  });

  it('makes a namespace of ours a candidate for reclaiming, if that is asked for', () => {
    expect(decide({ ...defaults, reclaim: 'WhenEmpty' }, observed(undefined, [own]))).toEqual({
      action: { type: 'reclaim', namespace: own },
      verdict: { kind: 'absent' },
    });
  });

  const kept: readonly { readonly title: string; readonly namespace: KubeObject }[] = [
    { title: 'one that we did not create', namespace: namespace(prefixed, oursAnnotation) },
    { title: 'one of another owner', namespace: namespace(prefixed, { ...mark, [owner]: 'other/team-a' }) },
    { title: 'one without an owner', namespace: namespace(prefixed, mark) },
    { title: 'one that is going already', namespace: namespace(prefixed, { ...oursAnnotation, ...mark }, going) },
    {
      title: 'one whose name is not of the contract',
      namespace: namespace('anything', { ...oursAnnotation, ...mark }),
    },
  ];
  it.each(kept)('never reclaims $title', ({ namespace: found }) => {
    expect(decide({ ...defaults, reclaim: 'WhenEmpty' }, observed(undefined, [found]))).toEqual({
      verdict: { kind: 'absent' },
    });
  });

  it('never reclaims one under None, where others may be about to use it', () => {
    const found = namespace('team-a', { ...oursAnnotation, ...mark });
    expect(decide({ ...defaults, isolation: 'None', reclaim: 'WhenEmpty' }, observed(undefined, [found]))).toEqual({
      verdict: { kind: 'absent' },
    });
  });

  it('is left alone while it is only going', () => {
    expect(
      decide({ ...defaults, reclaim: 'WhenEmpty' }, observed(serviceNamespace('team-a', prefixed, going), [own])),
    ).toEqual({ verdict: { kind: 'absent' } });
  });
});

describe('decide: as many as there may be', () => {
  const settings: Settings = { ...defaults, namespacesPerConsumer: 2 };
  const crowd = (
    made: number,
    object = serviceNamespace('team-a'),
    namespaces: readonly KubeObject[] = [],
  ): Judgement => decide(settings, { ...observed(object, namespaces), made });

  it.each([
    { title: 'one more is made below the bound', decision: crowd(1), verdict: { kind: 'progressing' } },
    {
      title: 'none is made at the bound',
      decision: crowd(2),
      verdict: { kind: 'held', problem: { kind: 'tooMany', most: 2 } },
    },
    {
      title: 'none is made beyond it',
      decision: crowd(9),
      verdict: { kind: 'held', problem: { kind: 'tooMany', most: 2 } },
    },
    {
      title: 'what is assigned and was deleted by hand is made again',
      decision: crowd(9, serviceNamespace('team-a', prefixed)),
      verdict: { kind: 'progressing' },
    },
    {
      title: 'one that is there already is assigned',
      decision: crowd(9, serviceNamespace('team-a'), [namespace(prefixed, oursAnnotation)]),
      verdict: { kind: 'assigned', namespace: prefixed },
    },
  ])('$title', ({ decision, verdict }) => {
    expect(decision.verdict).toEqual(verdict);
  });
});

describe('decide: the exports that it outlives', () => {
  const reference = (name: string): OwnerReference => ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExport',
    name,
    uid: `uid-${name}`,
  });
  const ofUs = { 'hawser.dev/request': 'uid-of-request' };
  const exported = (
    name: string,
    annotations: Readonly<Record<string, string>> = {},
    deletionTimestamp?: string,
  ): KubeObject => ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExport',
    metadata: { name, uid: `uid-${name}`, annotations, deletionTimestamp },
  });
  const added = (
    owners: readonly OwnerReference[] | undefined,
    exports: readonly KubeObject[],
    marks: Record<string, string>,
  ): readonly string[] | undefined => {
    const object = serviceNamespace('team-a', prefixed);
    const { action, verdict } = decide(defaults, {
      ...observed({ ...object, metadata: { ...object.metadata, ownerReferences: owners } }, [
        namespace(prefixed, { ...oursAnnotation, ...marks }),
      ]),
      exports,
    });
    expect(verdict).toEqual({ kind: 'assigned', namespace: prefixed });
    return action?.type === 'addOwners' ? action.owners.map((owner) => owner.name) : undefined;
  };

  it.each<
    [
      string,
      readonly OwnerReference[] | undefined,
      readonly KubeObject[],
      Record<string, string>,
      readonly string[] | undefined,
    ]
  >([
    ['are all that there are', [reference('a')], [exported('a'), exported('b'), exported('c')], mark, ['b', 'c']],
    ['are none where nobody owns it', undefined, [exported('a', ofUs)], mark, undefined],
    [
      'are none where something else owns it',
      [{ ...reference('a'), kind: 'ClusterBinding' }],
      [exported('a', ofUs)],
      mark,
      undefined,
    ],
    ['are none that is going', [reference('a')], [exported('b', ofUs, going)], mark, undefined],
    ['are told apart by their uid', [{ ...reference('a'), uid: 'of-the-one-before' }], [exported('a')], mark, ['a']],
    [
      'are known in any version of their group',
      [{ ...reference('a'), apiVersion: 'kube-bind.io/v1alpha1' }],
      [exported('a'), exported('b')],
      mark,
      ['b'],
    ],
    [
      'are not written down where another program has made both',
      [reference('a')],
      [exported('a'), exported('b')],
      {},
      undefined,
    ],
    [
      'count, once they are made here, also where another program has made the namespace',
      [reference('a')],
      [exported('a'), exported('b'), exported('c', ofUs)],
      {},
      ['c'],
    ],
  ])('%s', (_, owners, exports, marks, expected) => {
    expect(added(owners, exports, marks)).toEqual(expected);
  });
});
