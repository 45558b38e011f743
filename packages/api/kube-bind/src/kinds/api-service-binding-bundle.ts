import type { KubeObject } from '@hawser/client';
import { type Infer, rootWithOptionalSpec, s } from '@hawser/crd';
import { bindingColumns } from './api-service-binding.js';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { clusterSecretKeyRef } from './shared.js';

const spec = s.object({
  kubeconfigSecretRef: s.immutable(s.described('The secret with the kubeconfig of the provider.', clusterSecretKeyRef)),
});

const status = s.object({ conditions: s.optional(conditions) });

export type APIServiceBindingBundleSpec = Infer<typeof spec>;
export type APIServiceBindingBundleStatus = Infer<typeof status>;

/** On the consumer: binds every export that one kubeconfig reaches (spec/kube-bind-api.md §6.2). */
export interface APIServiceBindingBundle extends KubeObject {
  readonly spec?: APIServiceBindingBundleSpec | undefined;
  readonly status?: APIServiceBindingBundleStatus | undefined;
}

export const apiServiceBindingBundleKind: KindDefinition = {
  kind: 'APIServiceBindingBundle',
  plural: 'apiservicebindingbundles',
  scope: 'Cluster',
  shortNames: ['sbb'],
  category: 'kube-bindings',
  description: 'Binds everything that is exported to one kubeconfig.',
  versions: [{ name: 'v1alpha2', storage: true, columns: bindingColumns, schema: rootWithOptionalSpec(spec, status) }],
};
