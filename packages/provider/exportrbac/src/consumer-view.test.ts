import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { type Viewed, consumerView } from './consumer-view.js';
import { type Placed, isReached } from './reach.js';
import {
  consumer,
  databases,
  exportOf,
  namespace,
  observed,
  schemaOf,
  schemas,
  serviceNamespace,
  zones,
} from './testing/objects.js';

const cluster = 'kube-bind.io/cluster-namespace';
const klutch = 'klutch.anynines.com/cluster-namespace';

function sees(state: Partial<Viewed>, resource: string, object: Placed): boolean {
  const reaches = consumerView(kubeBindDialect, observed(state)).resources.get(`${resource}.example.com`) ?? [];
  return reaches.some((reach) => isReached(consumer, reach, object));
}

describe('what a consumer sees', () => {
  const prefixed = { exports: [exportOf(zones)], boundSchemas: schemas(schemaOf(zones, 'Cluster')) };
  const free = { exports: [exportOf(zones, { isolation: 'None' })], boundSchemas: schemas(schemaOf(zones, 'Cluster')) };
  const inNamespaces = {
    exports: [exportOf(databases)],
    boundSchemas: schemas(schemaOf(databases, 'Namespaced')),
    serviceNamespaces: [
      serviceNamespace('team-a'),
      serviceNamespace('open', { 'hawser.dev/shared-namespace': 'true' }, 'open'),
      serviceNamespace('team-b', { 'kube-bind.io/api-service-namespace': 'kube-bind-b/team-b' }),
    ],
  };

  it.each<[string, Partial<Viewed>, string, Placed, boolean]>([
    ['its prefix', prefixed, 'zones', { name: `${consumer}-x` }, true],
    ['another prefix', prefixed, 'zones', { name: 'kube-bind-b-x' }, false],
    ['its prefix without the dash', prefixed, 'zones', { name: `${consumer}x` }, false],
    [
      'its prefix, and the mark of another',
      prefixed,
      'zones',
      { name: `${consumer}-x`, annotations: { [cluster]: 'kube-bind-b' } },
      false,
    ],
    [
      'its prefix, and the mark of a consumer of Klutch',
      prefixed,
      'zones',
      { name: `${consumer}-x`, annotations: { [klutch]: 'b' } },
      false,
    ],
    [
      'a prefix that another shares',
      { ...prefixed, prefixSharedWith: `${consumer}-b` },
      'zones',
      { name: `${consumer}-x` },
      false,
    ],
    [
      'its prefix, without the policy',
      { ...prefixed, policy: { kind: 'absent', what: '' } },
      'zones',
      { name: `${consumer}-x` },
      false,
    ],
    ['its mark', free, 'zones', { name: 'x', annotations: { [cluster]: consumer } }, true],
    ['no mark', free, 'zones', { name: 'x' }, false],
    ['two marks', free, 'zones', { name: 'x', annotations: { [cluster]: consumer, [klutch]: 'b' } }, false],
    [
      'its mark, without the policy',
      { ...free, policy: { kind: 'absent', what: '' } },
      'zones',
      { name: 'x', annotations: { [cluster]: consumer } },
      false,
    ],
    ['its namespace', inNamespaces, 'databases', { name: 'x', namespace: `${consumer}-team-a` }, true],
    [
      'its namespace, and the mark of another',
      inNamespaces,
      'databases',
      { name: 'x', namespace: `${consumer}-team-a`, annotations: { [cluster]: 'kube-bind-b' } },
      false,
    ],
    ['a shared namespace and no mark', inNamespaces, 'databases', { name: 'x', namespace: 'open' }, false],
    [
      'a shared namespace and its mark',
      inNamespaces,
      'databases',
      { name: 'x', namespace: 'open', annotations: { [cluster]: consumer } },
      true,
    ],
    [
      'a namespace that was made for another',
      inNamespaces,
      'databases',
      { name: 'x', namespace: `${consumer}-team-b` },
      false,
    ],
    [
      'its mark in no namespace of its own',
      inNamespaces,
      'databases',
      { name: 'x', namespace: 'default', annotations: { [cluster]: consumer } },
      false,
    ],
    ['another resource', inNamespaces, 'zones', { name: `${consumer}-x` }, false],
    [
      'an export that is withdrawn',
      { ...prefixed, namespace: namespace(consumer, { 'hawser.dev/withdrawn': 'sold' }) },
      'zones',
      { name: `${consumer}-x` },
      false,
    ],
    [
      'a cluster namespace that is gone',
      { ...prefixed, namespace: undefined },
      'zones',
      { name: `${consumer}-x` },
      false,
    ],
  ])('%s', (_, state, resource, object, expected) => {
    expect(sees(state, resource, object)).toBe(expected);
  });

  it('is of claimed objects what lies where no other consumer has anything, and had nothing before', () => {
    const { claims, claimNamespaces } = consumerView(
      kubeBindDialect,
      observed({
        exports: [exportOf(databases, { isolation: 'None', claims: ['secrets'] })],
        serviceNamespaces: [
          serviceNamespace('alone', undefined, 'alone'),
          serviceNamespace('both', undefined, 'both', true),
          serviceNamespace('left', { 'kube-bind.io/api-service-namespace': 'kube-bind-b/left' }, 'left'),
          serviceNamespace('open', { 'hawser.dev/shared-namespace': 'true' }, 'open'),
        ],
      }),
    );
    expect([[...claims], [...claimNamespaces]]).toEqual([['secrets.core'], ['alone']]);
  });

  it('is under isolation Namespaced what is in its cluster namespace', () => {
    const state = {
      exports: [exportOf(databases, { isolation: 'Namespaced' })],
      boundSchemas: schemas(schemaOf(databases, 'Cluster')),
    };
    expect(sees(state, 'databases', { name: 'x', namespace: consumer })).toBe(true);
    expect(sees(state, 'databases', { name: 'x', namespace: `${consumer}-x` })).toBe(false);
  });
});
