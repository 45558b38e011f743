import type { KubeObject } from '@hawser/client';
import { columns, type Infer, rootWithOptionalSpec, s } from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { clusterSecretKeyRef, groupResource, permissionClaim, v1alpha1ClusterSecretKeyRef } from './shared.js';

const spec = s.object({
  kubeconfigSecretRef: s.immutable(s.described('The secret with the kubeconfig of the provider.', clusterSecretKeyRef)),
});

const status = s.object({
  providerPrettyName: s.optional(s.string({ description: 'Name of the provider for people.' })),
  conditions: s.optional(conditions),
  boundSchemas: s.optional(
    s.array(groupResource, { minItems: 1, description: 'Every resource that was ever bound here.' }),
  ),
  permissionClaims: s.optional(s.array(permissionClaim, { description: 'The claims of the export.' })),
});

export type APIServiceBindingSpec = Infer<typeof spec>;
export type APIServiceBindingStatus = Infer<typeof status>;

/** On the consumer: binds the export of the same name that this kubeconfig reaches (spec/kube-bind-api.md §6.1). */
export interface APIServiceBinding extends KubeObject {
  readonly spec?: APIServiceBindingSpec | undefined;
  readonly status?: APIServiceBindingStatus | undefined;
}

/** Columns of bundles; a binding has one more. */
export const bindingColumns = [
  columns.of('Provider', '.status.providerPrettyName'),
  columns.of('Resources', '.metadata.annotations.kube-bind\\.io/resources', 1),
  columns.ready,
  columns.message,
  columns.age,
];

/**
 * Hawser's own: CRDs of the Go programs lack this column, and existing CRDs keep their columns. Empty as long as every
 * object was always in sync.
 */
const ownColumns = bindingColumns.flatMap((column) =>
  column === columns.ready
    ? [column, columns.of('InSync', '.status.conditions[?(@.type=="ObjectsInSync")].status')]
    : [column],
);

export const apiServiceBindingKind: KindDefinition = {
  kind: 'APIServiceBinding',
  plural: 'apiservicebindings',
  scope: 'Cluster',
  shortNames: ['sb'],
  category: 'kube-bindings',
  description: 'Binds the export of the same name that is reachable with a kubeconfig.',
  versions: [
    {
      name: 'v1alpha1',
      storage: false,
      columns: ownColumns,
      schema: rootWithOptionalSpec(
        s.object({
          kubeconfigSecretRef: s.immutable(
            s.described('The secret with the kubeconfig of the provider.', v1alpha1ClusterSecretKeyRef),
          ),
        }),
        s.object({ providerPrettyName: s.optional(s.string()), conditions: s.optional(conditions) }),
      ),
    },
    { name: 'v1alpha2', storage: true, columns: ownColumns, schema: rootWithOptionalSpec(spec, status) },
  ],
};
