import type { KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { ownerKeyOf } from './marks.js';
import type { Deployment, Observed, Settings } from './observed.js';
import {
  apiBinding,
  apiExport,
  appClusterBinding,
  claim,
  kubeconfigData,
  mine,
  name,
  object,
  observed,
  request,
  root,
  secret,
  template,
} from './testing/observed.js';

const settings: Settings = { konnectorImage: 'konnector:1', prettyName: 'Lab' };
const entries = [{ group: 'example.com', resource: 'databases' }];
const text = (action: Action): string => ('child' in action ? `${action.type} ${action.child}` : action.type);
const actions = (changes: Partial<Observed> = {}): readonly string[] =>
  decide(settings, observed(changes)).actions.map(text);
const conditionsOf = ({ conditions }: Decision): readonly string[] =>
  conditions.map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`.trim());
const conditions = (changes: Partial<Observed> = {}): readonly string[] =>
  conditionsOf(decide(settings, observed(changes)));

describe('ownerKeyOf', () => {
  it.each([
    [mine, 'apps/shop'],
    [{ ...mine, 'klutch.anynines.com/appclusterbinding-name': '' }, undefined],
    [{ 'klutch.anynines.com/appclusterbinding-name': 'shop' }, undefined],
    [{ 'klutch.anynines.com/appclusterbinding-namespace': 'apps' }, undefined],
    [{}, undefined],
  ])('takes %j for %s', (labels, key) => {
    expect(ownerKeyOf(object('Deployment', 'konnector', { labels }))).toBe(key);
  });
});

describe('decide', () => {
  it('does nothing where everything is in its place', () => {
    expect(actions()).toEqual([]);
    expect(conditions()).toEqual(['SecretValid True', 'RootNamespaceReady True', 'APIsBound True']);
  });

  it('sets its finalizer before anything else', () => {
    expect(
      decide(settings, observed({ binding: appClusterBinding({}, { finalizers: ['a'] }), root: undefined })),
    ).toEqual({
      actions: [{ type: 'setFinalizers', finalizers: ['a', 'klutch.anynines.com/appclusterbinding-cleanup'] }],
      conditions: [],
      without: [],
    });
  });

  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['the root namespace, alone', { root: undefined, account: undefined }, ['create rootNamespace']],
    ['the ServiceAccount', { account: undefined }, ['create account']],
    ['the kubeconfig', { mirror: undefined }, ['create mirror']],
    [
      'a kubeconfig that is another',
      {
        source: {
          kind: 'found',
          secret: secret(Buffer.from(`${Buffer.from(kubeconfigData, 'base64').toString()}\n`).toString('base64')),
        },
      },
      ['patch mirror'],
    ],
    ['the ClusterBinding', { clusterBinding: undefined }, ['create clusterBinding']],
    ['the RoleBinding', { roleBinding: undefined }, ['create roleBinding']],
    ['the ClusterRoleBinding', { clusterRoleBinding: undefined }, ['create clusterRoleBinding']],
  ])('makes or mends %s', (_, changes, expected) => {
    expect(actions(changes)).toEqual(expected);
  });

  it('gives rights to the konnector alone, and by no role but its own', () => {
    const found = observed().roleBinding;
    if (found === undefined) throw new Error('there is one');
    expect(
      actions({ roleBinding: { ...found, subjects: [...(found.subjects ?? []), { kind: 'Group', name: 'all' }] } }),
    ).toEqual(['patch roleBinding']);
    expect(actions({ roleBinding: { ...found, roleRef: { kind: 'Role', name: 'control-plane-connector' } } })).toEqual([
      'delete roleBinding',
    ]);
    expect(
      actions({
        roleBinding: {
          ...found,
          roleRef: { kind: 'Role', name: 'control-plane-connector' },
          metadata: { ...found.metadata, deletionTimestamp: 't' },
        },
      }),
    ).toEqual([]);
    const foreign = { ...found, metadata: { name: 'klutch-konnector-apps-shop' } };
    expect(actions({ clusterRoleBinding: foreign })).toEqual([]);
    expect(conditions({ clusterRoleBinding: foreign })).toContain('RootNamespaceReady False RightsConflict');
  });

  it.each<[string, Partial<Observed>, string]>([
    ['no Secret', { source: { kind: 'absent' } }, 'KubeconfigSecretNotFound'],
    ['a Secret that cannot be read', { source: { kind: 'forbidden' } }, 'SecretUnreadable'],
    [
      'no key',
      { binding: appClusterBinding({ kubeconfigSecretRef: { namespace: 'apps', name: 'app', key: 'other' } }) },
      'KubeconfigSecretInvalid',
    ],
    [
      'a key of a prototype',
      { binding: appClusterBinding({ kubeconfigSecretRef: { namespace: 'apps', name: 'app', key: 'constructor' } }) },
      'KubeconfigSecretInvalid',
    ],
    ['no kubeconfig', { source: { kind: 'found', secret: secret('AAAA') } }, 'KubeconfigSecretInvalid'],
    [
      'one without current context',
      {
        source: {
          kind: 'found',
          secret: secret(
            Buffer.from(Buffer.from(kubeconfigData, 'base64').toString().replace('current-context: app', '')).toString(
              'base64',
            ),
          ),
        },
      },
      'KubeconfigSecretInvalid',
    ],
    [
      'one that runs a program',
      {
        source: {
          kind: 'found',
          secret: secret(
            Buffer.from(
              Buffer.from(kubeconfigData, 'base64').toString().replace('token: t0ken', 'exec: {command: sh}'),
            ).toString('base64'),
          ),
        },
      },
      'KubeconfigSecretInvalid',
    ],
    [
      'a Secret of another namespace',
      { binding: appClusterBinding({ kubeconfigSecretRef: { namespace: 'vault', name: 'app', key: 'value' } }) },
      'SecretNamespaceNotAllowed',
    ],
    [
      'one that is not there, of another namespace',
      {
        source: { kind: 'absent' },
        binding: appClusterBinding({ kubeconfigSecretRef: { namespace: 'vault', name: 'app', key: 'value' } }),
      },
      'SecretNamespaceNotAllowed',
    ],
    [
      'one that allows others',
      {
        source: {
          kind: 'found',
          secret: secret(undefined, { 'hawser.dev/app-cluster-binding-namespaces': 'apps-2,*' }),
        },
        binding: appClusterBinding({ kubeconfigSecretRef: { namespace: 'vault', name: 'app', key: 'value' } }),
      },
      'SecretNamespaceNotAllowed',
    ],
  ])('leaves all as it is with %s', (_, changes, reason) => {
    expect(actions({ ...changes, account: undefined })).toEqual([]);
    expect(conditions(changes)).toEqual([`SecretValid False ${reason}`]);
  });

  it('takes a Secret of another namespace that allows it, and tells nothing of a Secret that does not', () => {
    const binding = appClusterBinding({ kubeconfigSecretRef: { namespace: 'vault', name: 'app', key: 'value' } });
    expect(
      conditions({
        binding,
        source: {
          kind: 'found',
          secret: secret(undefined, { 'hawser.dev/app-cluster-binding-namespaces': 'x, apps' }),
        },
      }),
    ).toContain('SecretValid True');
    const conditionsOf = (source: Observed['source']): unknown =>
      decide(settings, observed({ binding, source })).conditions;
    expect(conditionsOf({ kind: 'absent' })).toEqual(conditionsOf({ kind: 'found', secret: secret() }));
  });

  it.each<[string, KubeObject | undefined, object, string]>([
    ['a namespace of nobody', object('Namespace', root), {}, 'RootNamespaceConflict'],
    [
      'one of another AppClusterBinding',
      object('Namespace', root, { labels: { ...mine, 'klutch.anynines.com/appclusterbinding-name': 'x' } }),
      {},
      'RootNamespaceConflict',
    ],
    [
      'one with half of the labels',
      object('Namespace', root, { labels: { 'klutch.anynines.com/appclusterbinding-name': 'shop' } }),
      {},
      'RootNamespaceConflict',
    ],
    [
      'one that is going',
      object('Namespace', root, { labels: mine, deletionTimestamp: 't' }),
      {},
      'RootNamespaceTerminating',
    ],
    ['a name that is too long', undefined, { name: 'n'.repeat(47) }, 'RootNamespaceNameTooLong'],
    ['a name that no namespace can have', undefined, { name: 'a.b' }, 'RootNamespaceNameInvalid'],
  ])('does not use %s', (_, found, metadata, reason) => {
    const changes = { root: found, binding: appClusterBinding({}, metadata), account: undefined };
    expect(actions(changes)).toEqual([]);
    expect(conditions(changes)).toEqual(['SecretValid True', `RootNamespaceReady False ${reason}`]);
  });
});

describe('decide: APIs', () => {
  const binding = appClusterBinding({ apiExports: entries });
  const bound = { binding, bindings: [apiBinding()], exports: [apiExport()] };

  it('makes a binding in the root namespace with the claims of the template, and a request for what it asks for', () => {
    const [first, second] = decide(settings, observed({ binding, templates: new Map([[name, template()]]) })).actions;
    expect(first).toMatchObject({
      type: 'create',
      child: 'binding',
      object: {
        metadata: { name, namespace: root, labels: mine },
        spec: { permissionClaims: [{ ...claim, state: 'Accepted' }] },
      },
    });
    expect(second).toMatchObject({
      type: 'create',
      child: 'request',
      object: { metadata: { namespace: root, labels: mine }, spec: { resources: entries } },
    });
  });

  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['has nothing to do', bound, []],
    ['asks for no export that there is', { ...bound, bindings: [] }, ['create binding']],
    ['waits for an answer', { binding, bindings: [apiBinding()], requests: [request({ phase: 'Pending' })] }, []],
    [
      'asks once, whatever the request is called',
      { binding, bindings: [apiBinding()], requests: [request(undefined, { name: 'of-klutch' })] },
      [],
    ],
    [
      'does not count on the request of somebody else',
      { binding, bindings: [apiBinding()], requests: [request(undefined, { labels: {} })] },
      ['create request'],
    ],
    [
      'asks anew for an export that is gone',
      { binding, bindings: [apiBinding()], requests: [request({ phase: 'Succeeded' })] },
      ['deleteAnswered'],
    ],
    [
      'waits while an export is going',
      {
        binding,
        bindings: [apiBinding()],
        requests: [request({ phase: 'Succeeded' })],
        exports: [apiExport({ deletionTimestamp: 't' })],
      },
      [],
    ],
    ['gives claims to a binding that has none', { ...bound, bindings: [apiBinding([])] }, ['patch binding']],
    ['lets a claim stay rejected', { ...bound, bindings: [apiBinding([{ ...claim, state: 'Rejected' }])] }, []],
    ['takes no claims away where nothing is known', { binding, bindings: [apiBinding()], requests: [request()] }, []],
    [
      'labels the export that answers its request',
      {
        ...bound,
        requests: [request()],
        exports: [apiExport({ annotations: { 'hawser.dev/request': 'of-request' } })],
      },
      ['patch export'],
    ],
    [
      'labels no other export',
      { ...bound, requests: [request()], exports: [apiExport({ annotations: { 'hawser.dev/request': 'another' } })] },
      [],
    ],
  ])('%s', (_, changes, expected) => {
    expect(actions(changes)).toEqual(expected);
  });

  it('tells what is missing, in the words of the request', () => {
    const condition = {
      type: 'ExportsReady',
      status: 'False',
      reason: 'NotOffered',
      message: 'Nobody offers it.',
      lastTransitionTime: 't',
    } as const;
    const decision = decide(
      settings,
      observed({
        binding,
        bindings: [apiBinding()],
        requests: [request({ phase: 'Pending', conditions: [condition] })],
      }),
    );
    expect(decision.conditions.at(-1)).toMatchObject({
      type: 'APIsBound',
      status: 'False',
      reason: 'ExportsPending',
      severity: 'Info',
      message: `No export yet: ${name}. Nobody offers it.`,
    });
  });

  it('is not ready while rights are missing, in the words of the request', () => {
    const condition = {
      type: 'RightsGranted',
      status: 'False',
      severity: 'Warning',
      reason: 'ConsumerRoleMissing',
      message: 'Provider: make it.',
      lastTransitionTime: 't',
    } as const;
    const bound = { binding, bindings: [apiBinding()], exports: [apiExport({ labels: mine })] };
    const decision = decide(
      settings,
      observed({ ...bound, requests: [request({ phase: 'Succeeded', conditions: [condition] })] }),
    );
    expect(decision.conditions.at(-1)).toMatchObject({
      type: 'APIsBound',
      status: 'False',
      reason: 'RightsMissing',
      message: 'ConsumerRoleMissing: Provider: make it.',
    });
    expect(
      conditions({
        ...bound,
        requests: [request({ phase: 'Succeeded', conditions: [{ ...condition, status: 'True' }] })],
      }),
    ).toContain('APIsBound True');
  });

  it("removes bindings and requests of its own that are asked for no longer, and nobody else's", () => {
    const others = {
      bindings: [apiBinding([], 'x.example.com', {}), apiBinding([], 'y.example.com')],
      requests: [request(undefined, {}, 'z'), request(undefined, { labels: {} }, 'x')],
    };
    expect(
      decide(settings, observed(others)).actions.map((action) => [
        'object' in action ? action.object.metadata.name : '',
        text(action),
      ]),
    ).toEqual([
      ['y.example.com', 'delete binding'],
      ['any', 'delete request'],
    ]);
  });

  it('leaves the konnector what it unbinds with: request and export go after the binding', () => {
    const going = apiBinding([], 'y.example.com');
    const rest = {
      binding: appClusterBinding({}, { annotations: { 'hawser.dev/deletion-policy': 'Delete' } }),
      requests: [request(undefined, {}, 'y')],
      exports: [apiExport({ labels: mine }, 'y.example.com')],
    };
    expect(actions({ ...rest, bindings: [going] })).toEqual(['delete binding']);
    expect(
      actions({
        ...rest,
        bindings: [
          { ...going, metadata: { ...going.metadata, deletionTimestamp: 't', finalizers: ['hawser.dev/unbind'] } },
        ],
      }),
    ).toEqual([]);
    expect(actions({ ...rest, bindings: [] })).toEqual(['delete request', 'delete export']);
  });

  it('removes an export only if it is its own, and instances may go with it', () => {
    const exports = [apiExport({}, 'a'), apiExport({ labels: mine }, 'b')];
    expect(actions({ exports })).toEqual([]);
    const withPolicy = (policy: string): readonly string[] =>
      actions({ exports, binding: appClusterBinding({}, { annotations: { 'hawser.dev/deletion-policy': policy } }) });
    expect([withPolicy('Orphan'), withPolicy('Block'), withPolicy('delete')]).toEqual([[], [], []]);
    expect(withPolicy('Delete')).toEqual(['delete export']);
  });
});

describe('decide: the konnector', () => {
  const binding = appClusterBinding({ konnector: { deploy: true } });
  const deploy = (changes: Partial<Observed> = {}): Deployment => {
    const action = decide(settings, observed({ binding, ...changes })).actions.find(({ type }) => type === 'deploy');
    if (action?.type !== 'deploy') throw new Error('it is to be deployed');
    return action.object;
  };
  /** As the server stores it. */
  const stored = (changes: Partial<Deployment['metadata']> = {}, available = 1): Deployment => {
    const made = deploy();
    const [container] = made.spec.template.spec.containers;
    return {
      ...made,
      metadata: { ...made.metadata, uid: 'd', generation: 1, ...changes },
      status: {
        observedGeneration: 1,
        availableReplicas: available,
        conditions: [{ type: 'Available', status: 'False', message: 'no image' }],
      },
      spec: {
        ...made.spec,
        template: {
          ...made.spec.template,
          spec: { ...made.spec.template.spec, containers: [{ name: '', ...container, imagePullPolicy: 'Always' }] },
        },
      },
    };
  };
  const edited = (): Deployment => {
    const one = stored();
    return {
      ...one,
      spec: {
        ...one.spec,
        template: {
          ...one.spec.template,
          spec: { ...one.spec.template.spec, containers: [{ name: 'konnector', image: 'other' }] },
        },
      },
    };
  };

  it('is deployed once', () => {
    expect(actions({ binding })).toEqual(['deploy']);
    expect(actions({ binding, deployments: [stored()] })).toEqual([]);
    expect(conditions({ binding, deployments: [stored()] })).toContain('KonnectorDeployed True');
    expect(conditions({ binding, deployments: [stored({}, 0)] })).toContain(
      'KonnectorDeployed False KonnectorNotAvailable',
    );
    expect(decide(settings, observed({ binding, deployments: [stored({}, 0)] })).conditions.at(-1)?.message).toContain(
      'no image',
    );
    // The status is of an older Deployment.
    expect(conditions({ binding, deployments: [stored({ generation: 2 })] })).toContain(
      'KonnectorDeployed False KonnectorNotAvailable',
    );
  });

  it('is mended, but not against somebody who changes it each time', () => {
    const found = edited();
    expect(actions({ binding, deployments: [found] })).toEqual(['deploy']);
    const unreachable = `${found.metadata.annotations?.['hawser.dev/wanted-hash'] ?? ''}/1`;
    expect(actions({ binding, deployments: [found], unreachable })).toEqual([]);
    expect(
      actions({ binding, deployments: [{ ...found, metadata: { ...found.metadata, generation: 2 } }], unreachable }),
    ).toEqual(['deploy']);
    expect(
      actions({
        binding: appClusterBinding({ konnector: { deploy: true, overrides: { image: 'x' } } }),
        deployments: [found],
        unreachable,
      }),
    ).toEqual(['deploy']);
  });

  it('gets a new pod with another kubeconfig', () => {
    const mirror = observed().mirror;
    if (mirror === undefined) throw new Error('there is one');
    const next = deploy({
      mirror: { ...mirror, metadata: { ...mirror.metadata, annotations: { 'hawser.dev/kubeconfig-revision': '8' } } },
      deployments: [stored()],
    });
    expect(next.spec.template.metadata?.annotations).toEqual({ 'hawser.dev/kubeconfig-revision': '8' });
  });

  it('keeps the selector that a Deployment has', () => {
    const found = {
      ...stored({ annotations: {} }),
      spec: { ...stored().spec, selector: { matchLabels: { app: 'klutch' } } },
    };
    const { selector, template: pods } = deploy({ deployments: [found] }).spec;
    expect([selector.matchLabels, pods.metadata?.labels]).toEqual([{ app: 'klutch' }, { ...mine, app: 'klutch' }]);
  });

  it.each<[string, Settings, Partial<Observed>, string]>([
    ['without an image', { ...settings, konnectorImage: undefined }, {}, 'KonnectorImageMissing'],
    [
      'with overrides that cannot be',
      settings,
      { binding: appClusterBinding({ konnector: { deploy: true, overrides: { nodeName: 'x' } } }) },
      'OverridesInvalid',
    ],
    [
      'beside another one',
      settings,
      { deployments: [{ ...edited(), metadata: { name: 'of-klutch', labels: mine } }] },
      'OtherKonnector',
    ],
    ['while one is going', settings, { deployments: [stored({ deletionTimestamp: 't' })] }, 'KonnectorNotAvailable'],
  ])('is not deployed %s', (_, own, changes, reason) => {
    const decision = decide(own, observed({ binding, ...changes }));
    expect(decision.actions).toEqual([]);
    expect(conditionsOf(decision)).toContain(`KonnectorDeployed False ${reason}`);
  });

  it('goes when it is asked for no longer, if it is ours', () => {
    const off = decide(settings, observed({ deployments: [stored()] }));
    expect([off.actions.map(text), off.without]).toEqual([['delete deployment'], ['KonnectorDeployed']]);
    expect(actions({ deployments: [stored({ labels: {} })] })).toEqual([]);
  });
});
