import { klutchDialect } from '@hawser/klutch';
import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideBackend } from './backend-rights.js';
import type { BindingObject, RoleObject } from './rbac-objects.js';
import { binding } from './testing/objects.js';

const aggregate = 'rbac.kube-bind.io/aggregate-to-parent';
const role = (
  name: string,
  metadata: Partial<RoleObject['metadata']> = {},
  fields: Partial<RoleObject> = {},
): RoleObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, ...metadata },
  ...fields,
});
const owner = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name, uid: 'u' });
const sharedBinding = (fields: Partial<BindingObject> = {}): BindingObject =>
  binding('kube-binder-exports', 'kube-binder-exports', undefined, {
    metadata: { name: 'kube-binder-exports' },
    ...fields,
  });
const aggregated = role(
  'kube-binder-exports',
  {},
  { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregate]: 'true' } }] } },
);
const names = (
  list: readonly { readonly object: { readonly metadata: { readonly name: string } } }[],
): readonly string[] => list.map(({ object }) => object.metadata.name);

describe('decideBackend', () => {
  it('removes what the Go backend makes for all consumers together, the binding first', () => {
    const ofExport = role('kube-binder-resources-kube-bind-a-databases', {
      labels: { [aggregate]: 'true' },
      ownerReferences: [owner('kube-bind-a')],
    });
    const ofClaims = role('kube-binder-claims-kube-bind-a-databases', {
      labels: { [aggregate]: 'true' },
      ownerReferences: [owner('kube-bind-a')],
    });
    const { remove, keep } = decideBackend(kubeBindDialect, {
      bindings: [sharedBinding()],
      roles: [ofExport, aggregated, ofClaims],
    });
    expect(names(remove)).toEqual([
      'kube-binder-exports',
      ofExport.metadata.name,
      'kube-binder-exports',
      ofClaims.metadata.name,
    ]);
    expect(remove[0]?.kind).toBe('ClusterRoleBinding');
    expect(keep).toEqual([]);
  });

  it.each<[string, { readonly binding?: BindingObject; readonly roles?: readonly RoleObject[] }]>([
    [
      'a binding with somebody else in it',
      { binding: sharedBinding({ subjects: [{ kind: 'Group', name: 'operators' }] }) },
    ],
    [
      'a binding to another role',
      {
        binding: sharedBinding({
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        }),
      },
    ],
    [
      'a role of the fixed name that gathers by another label',
      {
        roles: [
          role(
            'kube-binder-exports',
            {},
            { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { mine: 'true' } }] } },
          ),
        ],
      },
    ],
    [
      'a labelled role without owner',
      { roles: [role('kube-binder-resources-kube-bind-a-databases', { labels: { [aggregate]: 'true' } })] },
    ],
    [
      'a labelled role with another name',
      {
        roles: [
          role('operators-databases', { labels: { [aggregate]: 'true' }, ownerReferences: [owner('kube-bind-a')] }),
        ],
      },
    ],
    [
      'a role whose name and owner do not go together',
      {
        roles: [
          role('kube-binder-resources-kube-bind-b-databases', {
            labels: { [aggregate]: 'true' },
            ownerReferences: [owner('kube-bind-a')],
          }),
        ],
      },
    ],
  ])('keeps %s', (_, { binding: found, roles = [] }) => {
    const { remove, keep } = decideBackend(kubeBindDialect, { bindings: found === undefined ? [] : [found], roles });
    expect(remove).toEqual([]);
    expect(keep).toHaveLength(1);
  });

  const perConsumer = 'klutch-binder-cluster-a';
  const subjects = [{ kind: 'ServiceAccount', name: 'klutch-binder', namespace: 'cluster-a' }];
  const ofKlutch = (fields: Partial<BindingObject> = {}): BindingObject =>
    binding(perConsumer, perConsumer, undefined, {
      metadata: { name: perConsumer, ownerReferences: [owner('cluster-a')] },
      subjects,
      ...fields,
    });

  it('removes what the Go backend of Klutch makes for each consumer in the whole cluster', () => {
    const { remove, keep } = decideBackend(klutchDialect, {
      bindings: [ofKlutch()],
      roles: [role(perConsumer, { ownerReferences: [owner('cluster-a')] })],
    });
    expect(remove.map(({ kind, object }) => `${kind} ${object.metadata.name}`)).toEqual([
      `ClusterRoleBinding ${perConsumer}`,
      `ClusterRole ${perConsumer}`,
    ]);
    expect(keep).toEqual([]);
  });

  it.each<[string, readonly BindingObject[], readonly RoleObject[]]>([
    [
      'a binding for another consumer',
      [ofKlutch({ subjects: [{ kind: 'ServiceAccount', name: 'klutch-binder', namespace: 'cluster-b' }] })],
      [],
    ],
    [
      'a binding with somebody else in it',
      [ofKlutch({ subjects: [...subjects, { kind: 'Group', name: 'operators' }] })],
      [],
    ],
    [
      'a binding to another role',
      [ofKlutch({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } })],
      [],
    ],
    ['a binding without owner', [ofKlutch({ metadata: { name: perConsumer } })], []],
    ['a role of another owner', [], [role(perConsumer, { ownerReferences: [owner('cluster-b')] })]],
    ['a role without owner', [], [role(perConsumer)]],
  ])('keeps, of Klutch, %s', (_, bindings, roles) => {
    const { remove, keep } = decideBackend(klutchDialect, { bindings, roles });
    expect(remove).toEqual([]);
    expect(keep).toHaveLength(1);
  });
});
