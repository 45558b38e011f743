import { describe, expect, it } from '@jest/globals';
import { decideDeletion } from './decide-deletion.js';
import type { Action } from './decision.js';
import { deletionPolicyOf } from './deletion-policy.js';
import type { ObservedDeletion, ServiceNamespace } from './observed.js';
import { apiBinding, appClusterBinding, mine, object, observedDeletion, root } from './testing/observed.js';

const text = (action: Action): string => ('child' in action ? `${action.type} ${action.child}` : action.type);
const team = (changes: Partial<ServiceNamespace> = {}): ServiceNamespace => ({
  namespace: object('Namespace', `${root}-team`),
  holds: undefined,
  ...changes,
});

/** Every step, as if each deletion took effect at once. */
function play(policy: string | undefined, start: Partial<ObservedDeletion>): readonly string[] {
  const steps: string[] = [];
  let now = observedDeletion(policy, start);
  for (let rounds = 0; rounds < 20; rounds++) {
    const { actions, stays } = decideDeletion(now);
    steps.push(...actions.map(text));
    if (stays !== undefined || actions.length === 0)
      return [...steps, stays === undefined ? 'waits' : `stays: ${stays.join(', ')}`];
    for (const action of actions) {
      if (action.type !== 'delete') continue;
      now = {
        ...now,
        ...(action.child === 'binding'
          ? { bindings: [] }
          : action.child === 'serviceNamespace'
            ? { serviceNamespaces: [] }
            : action.child === 'record'
              ? { records: [] }
              : action.child === 'rootNamespace'
                ? { root: undefined }
                : { [action.child]: undefined }),
      };
    }
  }
  throw new Error('it does not end');
}

const all: Partial<ObservedDeletion> = {
  bindings: [apiBinding()],
  deployment: object('Deployment', 'konnector'),
  clusterRoleBinding: object('ClusterRoleBinding', 'c'),
  clusterRole: object('ClusterRole', 'c'),
  roleBinding: object('RoleBinding', 'r'),
  mirror: object('Secret', 'kubeconfig'),
  account: object('ServiceAccount', 'klutch-binder'),
  serviceNamespaces: [team()],
  records: [object('APIServiceNamespace', 'team')],
};
const before = ['delete binding', 'delete deployment', 'delete clusterRoleBinding', 'delete clusterRole'];

describe('deletionPolicyOf', () => {
  it.each([
    [undefined, 'Orphan'],
    ['', 'Orphan'],
    ['Orphan', 'Orphan'],
    ['Block', 'Block'],
    ['Delete', 'Delete'],
    ['delete', 'Block'],
    ['Retain', 'Block'],
  ])('takes %s for %s', (value, policy) => {
    expect(
      deletionPolicyOf(
        appClusterBinding({}, value === undefined ? {} : { annotations: { 'hawser.dev/deletion-policy': value } }),
      ).policy,
    ).toBe(policy);
  });
});

describe('decideDeletion', () => {
  it('leaves namespaces alone by default, and takes credentials and rights', () => {
    const end = [
      'delete roleBinding',
      'delete mirror',
      'delete account',
      'create note',
      'setFinalizers',
      `stays: namespace ${root}, namespace ${root}-team`,
    ];
    expect(play(undefined, all)).toEqual([...before, ...end]);
    expect(play('Orphan', all)).toEqual([...before, ...end]);
  });

  it('deletes namespaces under Delete, with the records by which they would be made again', () => {
    expect(play('Delete', all)).toEqual([
      ...before,
      'delete serviceNamespace',
      'delete record',
      'delete rootNamespace',
      'setFinalizers',
      'stays: ',
    ]);
  });

  it('does the same under Block, once there are no instances', () => {
    expect(play('Block', all)).toEqual([
      ...before,
      'delete serviceNamespace',
      'delete record',
      'delete rootNamespace',
      'setFinalizers',
      'stays: ',
    ]);
  });

  it.each<[string, string, Partial<ObservedDeletion>, string]>([
    [
      'an instance',
      'Block',
      { serviceNamespaces: [team({ holds: 'databases.example.com orders' })] },
      'InstancesRemain',
    ],
    ['a cluster-scoped instance', 'Block', { clusterScoped: ['zones.example.com eu'] }, 'InstancesRemain'],
    ['what could not be looked at', 'Block', { unknown: 'forbidden' }, 'InstancesUnknown'],
    ['a policy that is none', 'Retain', { clusterScoped: ['zones.example.com eu'] }, 'InstancesRemain'],
  ])('does nothing because of %s', (_, policy, changes, reason) => {
    expect(decideDeletion(observedDeletion(policy, { ...all, ...changes }))).toMatchObject({
      actions: [],
      stays: undefined,
      condition: { type: 'CleanedUp', status: 'False', reason, severity: 'Warning' },
    });
  });

  it('names some of many instances', () => {
    const message =
      decideDeletion(
        observedDeletion('Block', { clusterScoped: Array.from({ length: 25 }, (_, index) => `zone-${index}`) }),
      ).condition?.message ?? '';
    expect(message).toContain('zone-9, and 15 more');
    expect(message).not.toContain('zone-10');
  });

  it.each<[string, Partial<ObservedDeletion>]>([
    ['a binding', { bindings: [{ ...apiBinding(), metadata: { ...apiBinding().metadata, deletionTimestamp: 't' } }] }],
    ['the konnector', { bindings: [], deployment: object('Deployment', 'konnector', { deletionTimestamp: 't' }) }],
    [
      'a right',
      {
        bindings: [],
        deployment: undefined,
        clusterRoleBinding: object('ClusterRoleBinding', 'c', { deletionTimestamp: 't' }),
      },
    ],
    [
      'a namespace',
      {
        bindings: [],
        deployment: undefined,
        clusterRoleBinding: undefined,
        clusterRole: undefined,
        serviceNamespaces: [team({ namespace: object('Namespace', 'x', { deletionTimestamp: 't' }) })],
        records: [],
      },
    ],
    [
      'the root namespace',
      {
        bindings: [],
        deployment: undefined,
        clusterRoleBinding: undefined,
        clusterRole: undefined,
        serviceNamespaces: [],
        records: [],
        root: object('Namespace', root, { labels: mine, deletionTimestamp: 't' }),
      },
    ],
  ])('waits for %s that is going, and touches nothing after it', (_, changes) => {
    expect(decideDeletion(observedDeletion('Delete', { ...all, ...changes }))).toMatchObject({
      actions: [],
      stays: undefined,
      condition: { reason: 'WaitingForDeletion', severity: 'Info' },
    });
  });

  it('keeps finalizers of others, and lets go at once where it is told to', () => {
    expect(decideDeletion(observedDeletion('Delete', { root: undefined })).actions).toEqual([
      { type: 'setFinalizers', finalizers: ['other'] },
    ]);
    const released = observedDeletion('Delete', all);
    const binding = {
      ...released.binding,
      metadata: { ...released.binding.metadata, annotations: { 'hawser.dev/release': 'lost' } },
    };
    expect(decideDeletion({ ...released, binding }).actions).toEqual([
      { type: 'setFinalizers', finalizers: ['other'] },
    ]);
  });

  it('writes down what stays over what it wrote before', () => {
    expect(
      decideDeletion(observedDeletion(undefined, { note: object('ConfigMap', 'hawser-left-behind') })).actions.map(
        text,
      ),
    ).toEqual(['patch note', 'setFinalizers']);
    expect(decideDeletion(observedDeletion(undefined, { root: undefined })).actions.map(text)).toEqual([
      'setFinalizers',
    ]);
  });

  it('says who holds a binding that its konnector unbinds by policy, and what the konnector says', () => {
    const unbound = {
      type: 'Unbound',
      status: 'False',
      lastTransitionTime: 't',
      message: '2 objects are left.',
    } as const;
    const going = {
      ...apiBinding(),
      metadata: { ...apiBinding().metadata, deletionTimestamp: 't', finalizers: ['hawser.dev/unbind'] },
      status: { conditions: [unbound] },
    };
    const { actions, condition } = decideDeletion(observedDeletion(undefined, { ...all, bindings: [going] }));
    expect(actions).toEqual([]);
    expect(condition?.message).toMatch(
      /held by hawser\.dev\/unbind\. .*has to run.*hawser\.dev\/release=<reason>\. Unbound: 2 objects are left\.$/u,
    );
  });
});
