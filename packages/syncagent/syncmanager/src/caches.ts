import type { KubeObject } from '@hawser/client';
import type { Cluster, Scope } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type APIExport, type APIExportEndpointSlice, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';

/** Clusters of the syncmanager. `endpoints`: the workspace of the APIExportEndpointSlice. */
export type ClusterNames = 'service' | 'provider' | 'endpoints';

export interface CachesOptions {
  readonly agent: Agent;
  /** Name of the APIExportEndpointSlice. */
  readonly endpointSlice: string;
}

/** Watched objects of the syncmanager. */
export class Caches {
  readonly publishedResources: InformerHandle<PublishedResource>;
  readonly definitions: InformerHandle<KubeObject>;
  readonly slices: InformerHandle<APIExportEndpointSlice>;
  readonly exports: InformerHandle<APIExport>;
  readonly #endpointSlice: string;

  constructor(
    clusters: Readonly<Record<ClusterNames, Cluster>>,
    scope: Scope,
    { agent, endpointSlice }: CachesOptions,
  ) {
    const { service, provider, endpoints } = clusters;
    this.#endpointSlice = endpointSlice;
    this.publishedResources = scope.cache<PublishedResource>(service, publishedResourcesOf(agent));
    this.definitions = scope.cache<KubeObject>(service, {
      resource: resources.customResourceDefinitions,
      projection: 'metadata',
    });
    this.slices = scope.cache<APIExportEndpointSlice>(endpoints, {
      resource: kcpResources.apiExportEndpointSlices,
      fieldSelector: `metadata.name=${endpointSlice}`,
    });
    this.exports = scope.cache<APIExport>(provider, {
      resource: kcpResources.apiExports,
      fieldSelector: `metadata.name=${agent.exportName}`,
    });
  }

  get slice(): APIExportEndpointSlice | undefined {
    return this.slices.get({ name: this.#endpointSlice });
  }

  /** The PublishedResource of this name. */
  published(name: string): PublishedResource | undefined {
    return this.publishedResources.get({ name });
  }
}
