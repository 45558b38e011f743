import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, rootWithOptionalSpec, s } from '@hawser/crd';
import { clusterSecretKeyRef, conditions, permissionClaimShape, secretKeyRef } from './shared.js';

const namespaceStatus = s.object({
  namespace: s.optional(s.string({ description: 'The provider namespace; absent until it is assigned.' })),
});

/** On the provider: pairs the consumer namespace of its name with a provider namespace. */
export interface APIServiceNamespace extends KubeObject {
  readonly status?: Infer<typeof namespaceStatus> | undefined;
}

export const apiServiceNamespaceKind: KindDefinition = {
  kind: 'APIServiceNamespace',
  plural: 'apiservicenamespaces',
  scope: 'Namespaced',
  categories: ['kube-bindings'],
  description: 'Pairs the consumer namespace of its name with a provider namespace.',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [columns.of('Namespace', '.status.namespace'), columns.age],
      schema: rootWithOptionalSpec(s.emptyObject(), namespaceStatus),
    },
  ],
};

const clusterBindingSpec = s.object({
  kubeconfigSecretRef: s.immutable(
    s.described('The secret whose content the konnector mirrors to the consumer.', secretKeyRef),
  ),
  providerPrettyName: s.string({ minLength: 1 }),
  serviceProviderSpec: s.optional(s.freeObject()),
});
const clusterBindingStatus = s.object({
  lastHeartbeatTime: s.optional(s.dateTime()),
  heartbeatInterval: s.optional(s.string()),
  konnectorVersion: s.optional(s.string()),
  conditions: s.optional(conditions),
});

/** On the provider, named `cluster`: the connection to one consumer. */
export interface ClusterBinding extends KubeObject {
  readonly spec: Infer<typeof clusterBindingSpec>;
  readonly status?: Infer<typeof clusterBindingStatus> | undefined;
}

export const clusterBindingKind: KindDefinition = {
  kind: 'ClusterBinding',
  plural: 'clusterbindings',
  scope: 'Namespaced',
  categories: ['kube-bindings'],
  description: 'The connection to one consumer.',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [columns.of('Konnector Version', '.status.konnectorVersion'), columns.ready, columns.age],
      schema: root(clusterBindingSpec, clusterBindingStatus),
    },
  ],
};

const bindingSpec = s.object({
  kubeconfigSecretRef: s.immutable(s.described('The secret with the kubeconfig of the provider.', clusterSecretKeyRef)),
  permissionClaims: s.optional(
    s.array(s.object({ ...permissionClaimShape, state: s.enumeration(['Accepted', 'Rejected']) })),
  ),
});
const bindingStatus = s.object({ providerPrettyName: s.optional(s.string()), conditions: s.optional(conditions) });

/** On the consumer: binds the export of its name. Cluster-scoped there, as in every release so far. */
export interface APIServiceBinding extends KubeObject {
  readonly spec: Infer<typeof bindingSpec>;
  readonly status?: Infer<typeof bindingStatus> | undefined;
}

export const apiServiceBindingKind: KindDefinition = {
  kind: 'APIServiceBinding',
  plural: 'apiservicebindings',
  scope: 'Cluster',
  shortNames: ['sb'],
  categories: ['kube-bindings'],
  description: 'Binds the export of the same name.',
  // The column InSync is ours alone; CRDs that exist keep their columns.
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [
        columns.of('Provider', '.status.providerPrettyName'),
        columns.ready,
        columns.of('InSync', '.status.conditions[?(@.type=="ObjectsInSync")].status'),
        columns.message,
        columns.age,
      ],
      schema: root(bindingSpec, bindingStatus),
    },
  ],
};

/** On a control plane, where the bindings of many app clusters stand side by side, each in the root namespace of its AppClusterBinding. */
export const namespacedBindingKind: KindDefinition = { ...apiServiceBindingKind, scope: 'Namespaced' };
