import { describe, expect, it } from '@jest/globals';

import type { APIServiceBinding, APIServiceExport, BoundSchema, CustomResourceDefinition } from '@hawser/kube-bind';

import { type ExportSnapshot, type ResourceSnapshot, type SyncPlan, planSyncs } from './plan-syncs.js';

const binding = { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', metadata: { name: 'databases', uid: 'binding-uid' } } as APIServiceBinding;
const apiExport = (isolation = 'Prefixed'): APIServiceExport =>
  ({ apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceExport', metadata: { name: 'databases', namespace: 'kube-bind-x', uid: 'export-uid' }, spec: { resources: [{ group: 'example.com', resource: 'databases' }], informerScope: 'Namespaced', isolation } }) as APIServiceExport;
const schema = (spec: Record<string, unknown> = {}): BoundSchema =>
  ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BoundSchema',
    metadata: { name: 'databases.example.com' },
    spec: { informerScope: 'Namespaced', group: 'example.com', names: { plural: 'databases', kind: 'Database' }, scope: 'Namespaced', versions: [{ name: 'v1alpha1', served: false, storage: false, schema: {} }, { name: 'v1', served: true, storage: true, schema: {}, subresources: { status: {} } }], ...spec },
  });
const crd = (metadata: Record<string, unknown> = {}, established = 'True'): CustomResourceDefinition =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'databases.example.com', ownerReferences: [{ apiVersion: 'kube-bind.io/v1alpha1', kind: 'APIServiceBinding', name: 'databases', uid: 'binding-uid' }], ...metadata },
    status: { conditions: [{ type: 'Established', status: established }] },
  }) as unknown as CustomResourceDefinition;
const resource = (change: Partial<ResourceSnapshot> = {}): ResourceSnapshot => ({ name: 'databases.example.com', schema: { kind: 'found', schema: schema() }, crd: crd(), ...change });
const plan = (change: Partial<ExportSnapshot> = {}, part: Partial<ResourceSnapshot> = {}): SyncPlan => {
  const first = planSyncs({ export: apiExport(), binding, resources: [resource(part)], ...change })[0];
  if (first === undefined) throw new Error('expected a plan');
  return first;
};

describe('the sync of an exported resource', () => {
  it('runs in the first served version, in service namespaces, with everything it depends on named', () => {
    expect(plan()).toEqual({
      kind: 'run',
      name: 'databases.example.com',
      config: {
        group: 'example.com', version: 'v1', plural: 'databases', crdName: 'databases.example.com', isolation: 'ServiceNamespace', informerScope: 'Namespaced', statusSubresource: true,
        bindingName: 'databases', bindingUid: 'binding-uid', exportName: 'databases', exportUid: 'export-uid',
      },
    });
  });

  it.each(['None', 'Prefixed', 'Namespaced'])('of cluster scope follows the isolation %s of the export', (isolation) => {
    expect(plan({ export: apiExport(isolation) }, { schema: { kind: 'found', schema: schema({ scope: 'Cluster' }) } })).toMatchObject({ kind: 'run', config: { isolation } });
  });

  it('never falls back to no isolation', () => {
    expect(plan({ export: apiExport('Something') }, { schema: { kind: 'found', schema: schema({ scope: 'Cluster' }) } })).toMatchObject({ kind: 'stop', reason: 'UnknownIsolation' });
  });

  it('is left alone while its BoundSchema cannot be read', () => {
    expect(plan({}, { schema: { kind: 'unreadable', message: 'connection refused' } })).toEqual({ kind: 'keep', name: 'databases.example.com', message: 'connection refused' });
  });

  it.each<[string, Partial<ExportSnapshot>, Partial<ResourceSnapshot>, string]>([
    ['nobody of this connection binds the export', { binding: undefined }, {}, 'NotBound'],
    ['the binding is going', { binding: { ...binding, metadata: { ...binding.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } }, {}, 'NotBound'],
    ['there is no BoundSchema', {}, { schema: { kind: 'missing' } }, 'BoundSchemaMissing'],
    ['no version is served', {}, { schema: { kind: 'found', schema: schema({ versions: [{ name: 'v1', served: false, storage: true, schema: {} }] }) } }, 'NoServedVersion'],
    ['there is no CRD', {}, { crd: undefined }, 'CustomResourceDefinitionMissing'],
    ['the CRD is a user’s own', {}, { crd: crd({ ownerReferences: [] }) }, 'ForeignCustomResourceDefinition'],
    ['the CRD belongs to an earlier binding of that name', {}, { crd: crd({ ownerReferences: [{ apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', name: 'databases', uid: 'old' }] }) }, 'ForeignCustomResourceDefinition'],
    ['the CRD is not established', {}, { crd: crd({}, 'False') }, 'CustomResourceDefinitionNotEstablished'],
  ])('stops when %s', (_, change, part, reason) => {
    expect(plan(change, part)).toMatchObject({ kind: 'stop', reason });
  });

  it('goes on while the CRD is being deleted, to hold its objects', () => {
    expect(plan({}, { crd: crd({ deletionTimestamp: '2026-01-01T00:00:00Z' }, 'False') })).toMatchObject({ kind: 'run' });
  });
});
