import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { klutchDialect } from './dialect.js';
import { isClusterNamespace, isServiceNamespace } from './dialects.js';

describe('klutchDialect', () => {
  it('shares no group, mark, finalizer or Lease with kube-bind, so that both can be served by one cluster', () => {
    expect(klutchDialect.apiGroup).not.toBe(kubeBindDialect.apiGroup);
    expect(klutchDialect.finalizer).toBe('klutch.anynines.com/syncer');
    expect(klutchDialect.finalizer).not.toBe(kubeBindDialect.finalizer);
    expect(klutchDialect.names.konnectorLease).toBe('klutch-bind');
    expect(klutchDialect.names.konnectorLease).not.toBe(kubeBindDialect.names.konnectorLease);
    for (const key of Object.keys(klutchDialect.annotations) as (keyof typeof klutchDialect.annotations)[])
      expect(klutchDialect.annotations[key]).not.toBe(kubeBindDialect.annotations[key]);
    for (const { group } of Object.values(klutchDialect.resources))
      expect(group).toMatch(/(^|\.)klutch\.anynines\.com$/u);
  });

  it('tells a copy by its own mark, and by no other value of it', () => {
    const object = (annotations: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'x', annotations },
    });
    expect(klutchDialect.isCopy(object({ 'klutch.anynines.com/bound': 'true' }))).toBe(true);
    expect(klutchDialect.isCopy(object({ 'klutch.anynines.com/bound': 'false' }))).toBe(false);
    expect(klutchDialect.isCopy(object({ 'kube-bind.io/cluster-namespace': 'a' }))).toBe(false);
    expect(kubeBindDialect.isCopy(object({ 'kube-bind.io/cluster-namespace': 'a' }))).toBe(true);
  });

  it.each([
    ['backend.kube-bind.io/identity', true, false],
    ['example-backend.kube-bind.io/identity', true, false],
    ['example-backend.klutch.anynines.com/identity', true, false],
    ['kube-bind.io/api-service-namespace', false, true],
    ['klutch.anynines.com/api-service-namespace', false, true],
    ['hawser.dev/created-by', false, false],
  ])('knows by %s whose a namespace is', (key, ofCluster, ofService) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x', annotations: { [key]: '' } } };
    expect({ ofCluster: isClusterNamespace(namespace), ofService: isServiceNamespace(namespace) }).toEqual({
      ofCluster,
      ofService,
    });
  });

  it.each([
    ['klutch-bind-apps-shop', { name: 'shop', namespace: 'apps' }, true],
    ['klutch-bind-apps-shop-orders', { name: 'shop', namespace: 'apps' }, false],
    ['klutch-bind-apps-shop', { name: 'shop', namespace: '' }, false],
    ['klutch-bind-apps-shop', { name: 'shop', namespace: 'apps-shop' }, false],
  ])('takes %s with labels %p for a cluster namespace: %s', (name, of, expected) => {
    const labels = {
      'klutch.anynines.com/appclusterbinding-name': of.name,
      'klutch.anynines.com/appclusterbinding-namespace': of.namespace,
    };
    expect(isClusterNamespace({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })).toBe(expected);
  });

  it('names provider namespaces as Klutch does', () => {
    expect(klutchDialect.serviceNamespaceName('cluster-a', 'team')).toBe('cluster-a-team');
  });
});
