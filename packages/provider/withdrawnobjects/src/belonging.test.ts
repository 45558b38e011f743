import type { KubeObject } from '@hawser/client';
import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { belongingOf, type CopyNamespace } from './belonging.js';

const marks = {
  'kube-bind.io/cluster-namespace': 'kube-bind-x',
  'kube-bind.io/consumer-namespace': 'team-a',
  'kube-bind.io/consumer-uid': 'u',
  'hawser.dev/consumer-identity': 'cluster-1',
};
const copyNamespace: CopyNamespace = { namespace: 'kube-bind-x-team-a', consumerNamespace: 'team-a', isShared: false };
const copy = (more: { readonly named?: string; readonly owners?: readonly object[] } = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: {
    name: 'orders',
    namespace: copyNamespace.namespace,
    uid: 'c',
    annotations: { ...marks, ...(more.named === undefined ? {} : { 'hawser.dev/consumer-object': more.named }) },
    ownerReferences: (more.owners ?? []) as never,
  },
});
const kindOf = (object: KubeObject, at: CopyNamespace | undefined = copyNamespace): string =>
  belongingOf(kubeBindDialect, 'kube-bind-x', at, '', object).kind;

describe('a copy of an ended export', () => {
  it.each<[string, KubeObject, string]>([
    ['that names its object', copy({ named: 'Database.example.com/team-a/orders' }), 'own'],
    ['that names none, as those of other konnectors', copy(), 'own'],
    [
      'with an owner that is not a controller',
      copy({ owners: [{ apiVersion: 'v1', kind: 'Namespace', name: 'n', uid: 'n' }] }),
      'own',
    ],
    ['that is a clone of another one', copy({ named: 'Database.example.com/team-a/other' }), 'foreign'],
    ['that is a clone from another namespace', copy({ named: 'Database.example.com/team-b/orders' }), 'foreign'],
    [
      'that a controller owns',
      copy({
        named: 'Database.example.com/team-a/orders',
        owners: [{ apiVersion: 'example.com/v1', kind: 'Cluster', name: 'c', uid: 'p', controller: true }],
      }),
      'foreign',
    ],
  ])('%s', (_, object, kind) => {
    expect(kindOf(object)).toBe(kind);
  });

  it('that is cluster-scoped has a name that ends with that of its object', () => {
    const zone = (name: string): KubeObject => ({
      ...copy({ named: 'Zone.example.com/eu' }),
      metadata: {
        ...copy({ named: 'Zone.example.com/eu' }).metadata,
        name,
        namespace: undefined,
        annotations: {
          ...marks,
          'kube-bind.io/consumer-namespace': '',
          'hawser.dev/consumer-object': 'Zone.example.com/eu',
        },
      },
    });
    const kind = (name: string): string =>
      belongingOf(kubeBindDialect, 'kube-bind-x', undefined, 'kube-bind-x-', zone(name)).kind;
    expect([kind('kube-bind-x-eu'), kind('kube-bind-x-us')]).toEqual(['own', 'foreign']);
  });
});
