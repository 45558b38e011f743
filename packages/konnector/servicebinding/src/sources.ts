import type { Client, KubeObject } from '@hawser/client';
import type { WatchSpec } from '@hawser/controller';
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

/** The sources of this controller. */
export interface Sources {
  readonly consumer: Client;
  readonly provider: Client;
  readonly bindings: InformerHandle<APIServiceBinding>;
  /** Metadata only: a cluster may have hundreds of large CRDs, few of them ours. */
  readonly crds: InformerHandle<KubeObject>;
  readonly exports: InformerHandle<APIServiceExport>;
  readonly schemas: InformerHandle<BoundSchema>;
  readonly clusterBindings: InformerHandle<ClusterBinding>;
  /** Watched while some binding has no export; undefined before its first list. */
  requests(): InformerHandle<APIServiceExportRequest> | undefined;
}

/** Watches on the consumer. */
export const consumerSpecs = {
  bindings: { resource: resources.apiServiceBindings, kind: 'APIServiceBinding' },
  crds: { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', projection: 'metadata' },
} as const satisfies Record<string, WatchSpec>;

/** Watches in the cluster namespace on the provider. */
export function providerSpecs({ clusterNamespace: namespace }: ProviderConnection) {
  return {
    exports: { resource: resources.apiServiceExports, kind: 'APIServiceExport', namespace },
    schemas: { resource: resources.boundSchemas, kind: 'BoundSchema', namespace },
    clusterBindings: { resource: resources.clusterBindings, kind: 'ClusterBinding', namespace },
    requests: { resource: resources.apiServiceExportRequests, kind: 'APIServiceExportRequest', namespace },
  } as const satisfies Record<string, WatchSpec>;
}

/** The caches that every decision needs: fill them before the controller starts. */
export function requiredInformers(connection: ProviderConnection): readonly InformerSpec[] {
  const { exports, clusterBindings } = providerSpecs(connection);
  return [exports, clusterBindings].map(({ resource, namespace }) => ({ resource, namespace }));
}
