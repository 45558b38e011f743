import type { Client, KubeObject } from '@hawser/client';
import type { InformerHandle, InformerSpec } from '@hawser/informer';
import type { ProviderConnection } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  type ClusterBinding,
  resources,
} from '@hawser/kube-bind';

/** What this controller reads. */
export interface Sources {
  readonly consumer: Client;
  readonly provider: Client;
  readonly bindings: InformerHandle<APIServiceBinding>;
  /** Metadata only: a cluster may have hundreds of large CRDs, of which few are ours. */
  readonly crds: InformerHandle<KubeObject>;
  readonly exports: InformerHandle<APIServiceExport>;
  readonly schemas: InformerHandle<BoundSchema>;
  readonly clusterBindings: InformerHandle<ClusterBinding>;
  /** Watched while some binding has no export; undefined before its first list. */
  requests(): InformerHandle<APIServiceExportRequest> | undefined;
}

export const consumerSpecs = {
  bindings: { resource: resources.apiServiceBindings },
  crds: { resource: resources.customResourceDefinitions, projection: 'metadata' },
} as const satisfies Record<string, InformerSpec>;

/** What is watched in the cluster namespace on the provider. */
export function providerSpecs({ clusterNamespace }: ProviderConnection) {
  return {
    exports: { resource: resources.apiServiceExports, namespace: clusterNamespace },
    schemas: { resource: resources.boundSchemas, namespace: clusterNamespace },
    clusterBindings: { resource: resources.clusterBindings, namespace: clusterNamespace },
    requests: { resource: resources.apiServiceExportRequests, namespace: clusterNamespace },
  } as const satisfies Record<string, InformerSpec>;
}

/** The caches without which nothing can be decided: fill them before the controller starts. */
export function requiredInformers(connection: ProviderConnection): readonly InformerSpec[] {
  const { exports, clusterBindings } = providerSpecs(connection);
  return [exports, clusterBindings];
}
