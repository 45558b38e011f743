import type { Client, OwnerReference } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import { roughEdge } from '@hawser/testenv';
import { expect } from '@jest/globals';
import { type ServiceNamespaceObject, createServiceNamespaces } from './service-namespaces.js';

const owner = (name: string): OwnerReference => ({ apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceExport', name, uid: `uid-${name}` });

roughEdge('R35', 'an APIServiceNamespace belongs to every export that uses it, not to the first alone', async () => {
  let stored: ServiceNamespaceObject = { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceNamespace', metadata: { name: 'team-a', namespace: 'kube-bind-x', uid: 'u', resourceVersion: '1', ownerReferences: [owner('databases')] } };
  const client: Partial<Client> = {
    patch: ((_resource: unknown, _key: unknown, { patch }: { readonly patch: ServiceNamespaceObject }) => Promise.resolve({ ...stored, metadata: { ...stored.metadata, ...patch.metadata } })) as Client['patch'],
  };
  const informer: Partial<InformerHandle<ServiceNamespaceObject>> = { addIndex: () => undefined, get: () => stored, observe: (object) => { stored = object; } };
  const resource = { group: 'kube-bind.io', version: 'v1alpha2', resource: 'apiservicenamespaces' };
  const namespaces = createServiceNamespaces({ client: client as Client, resource, clusterNamespace: 'kube-bind-x', informer: informer as InformerHandle<ServiceNamespaceObject>, now: () => 0 });
  await namespaces.share('team-a', owner('zones'), new AbortController().signal);
  expect(stored.metadata.ownerReferences).toEqual([owner('databases'), owner('zones')]);
});
