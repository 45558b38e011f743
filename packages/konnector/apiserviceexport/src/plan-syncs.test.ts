import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';

import type { APIServiceBinding, APIServiceExport, BoundSchema, CustomResourceDefinition } from '@hawser/kube-bind';

import { type ExportSnapshot, type ResourceSnapshot, type SyncPlan, planSyncs } from './plan-syncs.js';

const binding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'databases', uid: 'binding-uid' },
} as APIServiceBinding;
const apiExport = (isolation = 'Prefixed'): APIServiceExport =>
  ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExport',
    metadata: { name: 'databases', namespace: 'kube-bind-x', uid: 'export-uid' },
    spec: { resources: [{ group: 'example.com', resource: 'databases' }], informerScope: 'Namespaced', isolation },
  }) as APIServiceExport;
const schema = (spec: Record<string, unknown> = {}): BoundSchema => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'BoundSchema',
  metadata: { name: 'databases.example.com' },
  spec: {
    informerScope: 'Namespaced',
    group: 'example.com',
    names: { plural: 'databases', kind: 'Database' },
    scope: 'Namespaced',
    versions: [
      { name: 'v1alpha1', served: false, storage: false, schema: {} },
      { name: 'v1', served: true, storage: true, schema: {}, subresources: { status: {} } },
    ],
    ...spec,
  },
});
const crd = (metadata: Record<string, unknown> = {}, established = 'True'): CustomResourceDefinition =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'databases.example.com',
      ownerReferences: [
        { apiVersion: 'kube-bind.io/v1alpha1', kind: 'APIServiceBinding', name: 'databases', uid: 'binding-uid' },
      ],
      ...metadata,
    },
    status: { conditions: [{ type: 'Established', status: established }] },
  }) as unknown as CustomResourceDefinition;
const resource = (change: Partial<ResourceSnapshot> = {}): ResourceSnapshot => ({
  name: 'databases.example.com',
  schema: { kind: 'found', schema: schema() },
  crd: crd(),
  providerScope: 'unknown',
  ...change,
});
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
        group: 'example.com',
        version: 'v1',
        plural: 'databases',
        crdName: 'databases.example.com',
        isolation: 'ServiceNamespace',
        informerScope: 'Namespaced',
        statusSubresource: true,
        bindingName: 'databases',
        bindingUid: 'binding-uid',
        exportName: 'databases',
        exportUid: 'export-uid',
      },
    });
  });

  it.each(['None', 'Prefixed', 'Namespaced'])(
    'of cluster scope follows the isolation %s of the export',
    (isolation) => {
      expect(
        plan({ export: apiExport(isolation) }, { schema: { kind: 'found', schema: schema({ scope: 'Cluster' }) } }),
      ).toMatchObject({ kind: 'run', config: { isolation } });
    },
  );

  it('never falls back to no isolation', () => {
    expect(
      plan({ export: apiExport('Something') }, { schema: { kind: 'found', schema: schema({ scope: 'Cluster' }) } }),
    ).toMatchObject({ kind: 'stop', reason: 'UnknownIsolation' });
  });

  it.each([
    ['None', 'Cluster', 'Namespaced', 'isolation Namespaced'],
    ['Prefixed', 'Cluster', 'Namespaced', 'isolation Namespaced'],
    ['Namespaced', 'Cluster', 'Cluster', 'isolation Prefixed or None'],
    ['None', 'Namespaced', 'Cluster', 'CRD namespaced again'],
    ['Prefixed', 'Namespaced', 'Cluster', 'CRD namespaced again'],
    ['Namespaced', 'Namespaced', 'Cluster', 'CRD namespaced again'],
  ] as const)('has no place under %s for what is %s here and %s there', (isolation, scope, providerScope, remedy) => {
    const found = { kind: 'found', schema: schema({ scope }) } as const;
    expect(plan({ export: apiExport(isolation) }, { schema: found, providerScope })).toMatchObject({
      kind: 'stop',
      reason: 'NoPlaceForCopies',
      actor: 'provider',
      message: expect.stringContaining(remedy),
    });
    // With the other scope, or without an answer, it runs.
    const other = providerScope === 'Cluster' ? 'Namespaced' : 'Cluster';
    for (const right of [other, 'unknown'] as const)
      expect(plan({ export: apiExport(isolation) }, { schema: found, providerScope: right })).toMatchObject({
        kind: 'run',
      });
    // Objects of a CRD that is going are held or released all the same.
    expect(
      plan(
        { export: apiExport(isolation) },
        { schema: found, providerScope, crd: crd({ deletionTimestamp: '2026-01-01T00:00:00Z' }) },
      ),
    ).toMatchObject({ kind: 'run' });
  });

  it('says why the consumer does not establish the CRD', () => {
    const refused = {
      ...crd({}, 'False'),
      status: {
        conditions: [
          { type: 'NamesAccepted', status: 'False', message: '"Database" is already in use' },
          { type: 'Established', status: 'False' },
        ],
      },
    } as unknown as CustomResourceDefinition;
    expect(plan({}, { crd: refused })).toMatchObject({
      kind: 'stop',
      reason: 'CustomResourceDefinitionNotEstablished',
      actor: 'consumer',
      message: expect.stringContaining('"Database" is already in use'),
    });
  });

  it('is left alone while its BoundSchema cannot be read', () => {
    expect(plan({}, { schema: { kind: 'unreadable', message: 'connection refused' } })).toEqual({
      kind: 'keep',
      name: 'databases.example.com',
      message: 'connection refused',
    });
  });

  it.each<[string, Partial<ExportSnapshot>, Partial<ResourceSnapshot>, string]>([
    ['nobody of this connection binds the export', { binding: undefined }, {}, 'NotBound'],
    [
      'the binding is going',
      { binding: { ...binding, metadata: { ...binding.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } },
      {},
      'NotBound',
    ],
    ['there is no BoundSchema', {}, { schema: { kind: 'missing' } }, 'BoundSchemaMissing'],
    [
      'no version is served',
      {},
      {
        schema: {
          kind: 'found',
          schema: schema({ versions: [{ name: 'v1', served: false, storage: true, schema: {} }] }),
        },
      },
      'NoServedVersion',
    ],
    ['there is no CRD', {}, { crd: undefined }, 'CustomResourceDefinitionMissing'],
    ['the CRD is a user’s own', {}, { crd: crd({ ownerReferences: [] }) }, 'ForeignCustomResourceDefinition'],
    [
      'the CRD belongs to an earlier binding of that name',
      {},
      {
        crd: crd({
          ownerReferences: [
            { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', name: 'databases', uid: 'old' },
          ],
        }),
      },
      'ForeignCustomResourceDefinition',
    ],
    ['the CRD is not established', {}, { crd: crd({}, 'False') }, 'CustomResourceDefinitionNotEstablished'],
  ])('stops when %s', (_, change, part, reason) => {
    expect(plan(change, part)).toMatchObject({ kind: 'stop', reason });
  });

  it.each(['Delete', 'Block'])('goes on, over from the start, while the binding is going under %s', (policy) => {
    const going = {
      ...binding,
      metadata: {
        ...binding.metadata,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['hawser.dev/unbind'],
        annotations: { 'hawser.dev/unbind-policy': policy },
      },
    } as APIServiceBinding;
    expect(plan({ binding: going })).toMatchObject({ kind: 'run', config: { unbinding: policy } });
    const released = {
      ...going,
      metadata: {
        ...going.metadata,
        annotations: { ...going.metadata.annotations, 'hawser.dev/release': 'the provider is gone' },
      },
    };
    expect(plan({ binding: released })).toMatchObject({ kind: 'stop', reason: 'NotBound' });
  });

  it('goes on while the CRD is being deleted, to hold its objects', () => {
    expect(plan({}, { crd: crd({ deletionTimestamp: '2026-01-01T00:00:00Z' }, 'False') })).toMatchObject({
      kind: 'run',
    });
  });
});

describe('syncs, where the Go konnector has others', () => {
  roughEdge('R9', 'nothing is synced whose CRD does not belong to the binding', () => {
    for (const ownerReferences of [
      [],
      [{ apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', name: 'databases', uid: 'former' }],
    ])
      expect(plan({}, { crd: crd({ ownerReferences }) })).toMatchObject({
        kind: 'stop',
        reason: 'ForeignCustomResourceDefinition',
      });
  });
  roughEdge('R11', 'a BoundSchema that cannot be read stops nothing', () => {
    expect(plan({}, { schema: { kind: 'unreadable', message: 'no' } }).kind).toBe('keep');
  });
  roughEdge('R34', 'an isolation that is not known is not taken for None', () => {
    expect(
      plan({ export: apiExport('Strict') }, { schema: { kind: 'found', schema: schema({ scope: 'Cluster' }) } }),
    ).toMatchObject({ kind: 'stop', reason: 'UnknownIsolation' });
  });
});
