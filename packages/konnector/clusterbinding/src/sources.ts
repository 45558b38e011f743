import type { InformerSpec } from '@hawser/informer';
import type { ProviderConnection } from '@hawser/konnector-connection';
import { resources } from '@hawser/kube-bind';

export function clusterBindingsSpec({ clusterNamespace }: ProviderConnection): InformerSpec {
  return { resource: resources.clusterBindings, namespace: clusterNamespace };
}

/** Caches needed for every decision: fill them before the controller starts. */
export function requiredInformers(connection: ProviderConnection): readonly InformerSpec[] {
  return [clusterBindingsSpec(connection)];
}
