import type { Client } from '@hawser/client';
import { type APIServiceNamespace, type Dialect, resources } from '@hawser/kube-bind';
import type { ServiceNamespaces } from '@hawser/konnector-sync';

import type { ProviderView } from './binding-view.js';

/** The namespaces of both sides as they are now. What is asked for goes to `client`, as when a konnector runs. */
export function namespaceMap(client: Client, { clusterNamespace, serviceNamespaces: objects }: Pick<ProviderView, 'clusterNamespace' | 'serviceNamespaces'>, { apiVersion }: Dialect): ServiceNamespaces {
  const byName = new Map(objects.map((object) => [object.metadata.name, object]));
  const assignedTo = (object: APIServiceNamespace | undefined): string | undefined => {
    const namespace = object?.status?.namespace;
    return namespace === '' ? undefined : namespace;
  };
  return {
    toProvider: (consumer) => assignedTo(byName.get(consumer)),
    toConsumer(provider) {
      const owners = objects.filter((object) => assignedTo(object) === provider);
      // Two consumer namespaces in one provider namespace: nobody can tell whose an object is, so it is nobody's.
      return owners.length === 1 ? owners[0]?.metadata.name : undefined;
    },
    pendingSince(consumer) {
      const object = byName.get(consumer);
      if (object === undefined || assignedTo(object) !== undefined) return undefined;
      return Date.parse(object.metadata.creationTimestamp ?? '') || 0;
    },
    async ensure(name, owner, signal) {
      if (byName.has(name)) return assignedTo(byName.get(name)) === undefined ? 'pending' : 'assigned';
      const object: APIServiceNamespace = { apiVersion, kind: 'APIServiceNamespace', metadata: { name, namespace: clusterNamespace, ownerReferences: [owner] } };
      await client.create(resources.apiServiceNamespaces, object, { signal });
      return 'pending';
    },
    // Who else uses a namespace changes nothing about the object that is looked at.
    share: () => Promise.resolve(),
    unshared: () => undefined,
    onChange: () => ({ close: () => undefined }),
    assigned: () => objects.flatMap((object) => {
      const provider = assignedTo(object);
      return provider === undefined ? [] : [{ consumer: object.metadata.name, provider }];
    }),
  };
}
