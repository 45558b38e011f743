import { type KubeObject, isNotFound, listAll } from '@hawser/client';
import {
  type APIServiceNamespace,
  annotations,
  apiServiceNamespaceKey,
  apiVersion,
  boundSchemaFromCRD,
  boundSchemaSpecFromCRD,
  crdName,
  schemaHash,
  resources,
  serviceNamespaceName,
} from '@hawser/kube-bind';
import { type ProbeApi, type ProbeSchema, probeCrd } from '../probe.js';
import { type World, claimedLabel } from './world.js';

/**
 * Plays a backend for a konnector checked alone: exports, schemas, service namespaces (spec/kube-bind-backend.md
 * §8–10).
 */
export interface PlayedBackend {
  /** Makes the export of an API, with its BoundSchema. */
  offer(name: string, api: ProbeApi, schema?: ProbeSchema): Promise<void>;
  /** Removes it, like a backend that has lost it. */
  withdraw(name: string, api: ProbeApi): Promise<void>;
  /** Gives each APIServiceNamespace its namespace, and removes the namespace of a deleted one. */
  answer(): Promise<void>;
}

export function playBackend(world: World): PlayedBackend {
  const { provider } = world;
  /** APIServiceNamespace → the namespace made for it. */
  const made = new Map<string, string>();
  return {
    async offer(name, api, schema = 'first') {
      const namespace = world.clusterNamespace;
      const crd = probeCrd(api, schema);
      const options = {
        name: crd.metadata.name,
        namespace,
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      } as const;
      const bound = boundSchemaFromCRD(crd, options);
      const hash = schemaHash(boundSchemaSpecFromCRD(crd, options));
      const spec = {
        resources: [{ group: api.group, resource: api.plural, versions: ['v1'] }],
        permissionClaims: [
          { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: claimedLabel } } },
        ],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      };
      const write = (annotations: Readonly<Record<string, string>>): Promise<KubeObject> =>
        world.apply(
          provider,
          resources.apiServiceExports,
          { metadata: { name, namespace, annotations }, spec },
          apiVersion,
          'APIServiceExport',
        );
      const key = { namespace, name };
      const exported = (await world.read<KubeObject>(provider, resources.apiServiceExports, key)) ?? (await write({}));
      const owner = {
        apiVersion,
        kind: 'APIServiceExport',
        name,
        uid: exported.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      };
      await world.applyObject(provider, resources.boundSchemas, {
        ...bound,
        metadata: { ...bound.metadata, annotations: { [annotations.sourceSpecHash]: hash }, ownerReferences: [owner] },
      } as KubeObject);
      // Last: konnectors read a schema once the hash of its export has changed.
      await write({ [annotations.sourceSpecHash]: hash });
    },
    async withdraw(name, api) {
      const { clusterNamespace: namespace } = world;
      await provider.delete(resources.apiServiceExports, { namespace, name });
      // Its owner is gone: the garbage collector may have been faster.
      await provider
        .delete(resources.boundSchemas, { namespace, name: crdName(api.plural, api.group) })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    },
    async answer() {
      const { clusterNamespace } = world;
      const wanted = await listAll<APIServiceNamespace>(provider, resources.apiServiceNamespaces, {
        namespace: clusterNamespace,
      });
      for (const { metadata, status } of wanted) {
        const { name } = metadata;
        const namespace = serviceNamespaceName('Prefixed', clusterNamespace, name);
        if (status?.namespace === namespace) continue;
        await world.apply(
          provider,
          resources.namespaces,
          {
            metadata: {
              name: namespace,
              annotations: { [annotations.apiServiceNamespace]: apiServiceNamespaceKey(clusterNamespace, name) },
            },
          },
          'v1',
          'Namespace',
        );
        await provider.patch(
          resources.apiServiceNamespaces,
          { namespace: clusterNamespace, name },
          { type: 'merge', patch: { status: { namespace } } },
          { subresource: 'status' },
        );
        made.set(name, namespace);
      }
      for (const [name, namespace] of made) {
        if (wanted.some(({ metadata }) => metadata.name === name)) continue;
        made.delete(name);
        await provider.delete(resources.namespaces, { name: namespace });
      }
    },
  };
}
