import type { Client, ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import { type Dialect, resources } from '@hawser/kube-bind';
import {
  type ServiceNamespaceObject,
  type ServiceNamespaces,
  type ServiceNamespacesOptions,
  createServiceNamespaces,
} from '@hawser/konnector-sync';

import type { ProviderView } from './binding-view.js';

/** The konnector's own map of namespaces, over objects already read. Requests go to `client`. */
export function namespaceMap(
  client: Client,
  {
    clusterNamespace,
    serviceNamespaces,
    identities,
  }: Pick<ProviderView, 'clusterNamespace' | 'serviceNamespaces' | 'identities'>,
  { resources: { apiServiceNamespaces: resource } }: Pick<Dialect, 'resources'>,
  now: () => number,
): ServiceNamespaces {
  const known = new Map<string, ServiceNamespaceObject>(
    serviceNamespaces.map((object) => [object.metadata.name, object]),
  );
  const map = createServiceNamespaces({
    client,
    resource,
    clusterNamespace,
    informer: asRead(known),
    now,
    consumerCluster: () => identities.consumer,
  });
  return {
    ...map,
    // A konnector counts from its first look at the request, which is about the time of its creation.
    pendingSince: (consumer) =>
      map.pendingSince(consumer) === undefined
        ? undefined
        : Date.parse(known.get(consumer)?.metadata.creationTimestamp ?? '') || 0,
  };
}

/** The APIServiceNamespaces already read. */
export function readNamespace(
  { serviceNamespaces }: Pick<ProviderView, 'serviceNamespaces'>,
  { resource }: Resource,
  { name }: ObjectKey,
): UnstructuredObject | undefined {
  return resource === resources.apiServiceNamespaces.resource
    ? (serviceNamespaces.find(({ metadata }) => metadata.name === name) as UnstructuredObject | undefined)
    : undefined;
}

/** A cache with the objects already read and later writes. */
function asRead(objects: Map<string, ServiceNamespaceObject>): ServiceNamespacesOptions['informer'] {
  let keysOf: (object: ServiceNamespaceObject) => readonly string[] = () => [];
  return {
    get: (key) => (typeof key === 'string' ? undefined : objects.get(key.name)),
    list: () => [...objects.values()],
    addIndex: (_, keys) => {
      keysOf = keys;
    },
    byIndex: (_, value) => [...objects.values()].filter((object) => keysOf(object).includes(value)),
    observe: (object) => {
      objects.set(object.metadata.name, object);
    },
    addHandler: () => ({ close: () => undefined }),
  };
}
