import { malformation, resources as kubeBind } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { APIServiceBinding } from '../kinds/others.js';
import { acceptedClaims, bindingView, exportView, schemaView, viewOf } from './views.js';

const metadata = { name: 'databases.example.com', namespace: 'cluster-a', uid: 'uid', generation: 3 };
const names = { plural: 'databases', kind: 'Database', singular: 'database', listKind: 'DatabaseList' };
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const status = {
  conditions: [{ type: 'Connected', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  storedVersions: ['v1'],
};
const exported: APIServiceExport = {
  apiVersion: 'klutch.anynines.com/v1alpha1',
  kind: 'APIServiceExport',
  metadata,
  status,
  spec: {
    group: 'example.com',
    names,
    scope: 'Namespaced',
    versions: [version],
    informerScope: 'Namespaced',
    permissionClaims: [
      { resource: 'secrets', selector: { owner: 'Provider' } },
      { group: 'apps', resource: 'deployments' },
    ],
  },
};

describe('an export of Klutch', () => {
  it('is an export of one resource, which asks for no claims', () => {
    expect(exportView(exported)).toEqual({
      apiVersion: exported.apiVersion,
      kind: 'APIServiceExport',
      metadata,
      status,
      spec: {
        resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      },
    });
  });

  it.each(['Prefixed', 'Namespaced', 'None'] as const)('keeps isolation %s', (clusterScopedIsolation) => {
    expect(
      exportView({ ...exported, spec: { ...exported.spec, scope: 'Cluster', clusterScopedIsolation } }).spec.isolation,
    ).toBe(clusterScopedIsolation);
  });

  it('is its own BoundSchema, with the status that there is', () => {
    expect(schemaView(exported)).toEqual({
      apiVersion: exported.apiVersion,
      kind: 'APIServiceExport',
      metadata,
      status,
      spec: { informerScope: 'Namespaced', group: 'example.com', names, scope: 'Namespaced', versions: [version] },
    });
  });
});

describe('a binding of Klutch', () => {
  const ref = { namespace: 'klutch-bind', name: 'kubeconfig-abcde', key: 'kubeconfig' };
  const bindingWith = (spec: Partial<APIServiceBinding['spec']>): APIServiceBinding => ({
    apiVersion: exported.apiVersion,
    kind: 'APIServiceBinding',
    metadata: { name: 'databases.example.com' },
    spec: { kubeconfigSecretRef: ref, ...spec },
  });

  it('says in its name what it binds, and in its spec which claims are accepted', () => {
    const view = bindingView(
      bindingWith({
        permissionClaims: [
          { resource: 'secrets', selector: { owner: 'Provider' }, state: 'Accepted' },
          { resource: 'configmaps', state: 'Rejected' },
        ],
      }),
    );
    expect(view).toMatchObject({ apiVersion: 'klutch.anynines.com/v1alpha1', spec: { kubeconfigSecretRef: ref } });
    expect(view.status).toEqual({ boundSchemas: [{ group: 'example.com', resource: 'databases' }] });
    expect(acceptedClaims(view)).toEqual([{ resource: 'secrets', selector: { owner: 'Provider' } }]);
  });

  it('without claims accepts none', () => {
    expect(acceptedClaims(bindingWith({}))).toEqual([]);
  });
});

describe("an export of another shape than Klutch's", () => {
  it.each<[object | string | undefined, string]>([
    [undefined, 'spec is required'],
    ['x', 'spec must be of type object, is string'],
    [{ ...exported.spec, versions: 'x' }, 'spec.versions must be of type array, is string'],
    [{ ...exported.spec, versions: [null] }, 'spec.versions[0] must be of type object, is null'],
    [{ ...exported.spec, names: 'x' }, 'spec.names must be of type object, is string'],
  ])('%j keeps no other from being read, and says what is wrong', (spec, expected) => {
    for (const kind of [kubeBind.apiServiceExports, kubeBind.boundSchemas]) {
      const view = viewOf(kind)?.read({ ...exported, spec } as never);
      const problem = view === undefined ? undefined : malformation('APIServiceExport', view);
      expect(`${problem?.path ?? ''} ${problem?.message ?? ''}`).toBe(expected);
    }
  });
});

describe('viewOf', () => {
  it.each([
    [kubeBind.apiServiceBindings, 'apiservicebindings'],
    [kubeBind.apiServiceExports, 'apiserviceexports'],
    [kubeBind.boundSchemas, 'apiserviceexports'],
    [kubeBind.clusterBindings, 'clusterbindings'],
    [kubeBind.apiServiceNamespaces, 'apiservicenamespaces'],
    [kubeBind.apiServiceExportRequests, 'apiserviceexportrequests'],
  ])('finds %j', (kind, stored) => {
    expect(viewOf(kind)?.stored).toEqual({ group: 'klutch.anynines.com', version: 'v1alpha1', resource: stored });
  });

  it.each([
    [kubeBind.secrets],
    [kubeBind.customResourceDefinitions],
    [kubeBind.apiServiceBindingBundles],
    [{ group: 'example.com', version: 'v1', resource: 'apiserviceexports' }],
  ])('leaves %j as it is', (kind) => {
    expect(viewOf(kind)).toBeUndefined();
  });
});
