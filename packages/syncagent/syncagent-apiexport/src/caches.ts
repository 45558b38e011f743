import type { KubeObject } from '@hawser/client';
import type { Cluster, Scope } from '@hawser/controller';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';

/** What is watched. */
export class Caches {
  readonly publishedResources;
  readonly definitions;
  /** The one export of the agent. */
  readonly exports;

  constructor({ service, provider }: Readonly<Record<'service' | 'provider', Cluster>>, scope: Scope, agent: Agent) {
    this.publishedResources = scope.informer(service.informers.acquire<PublishedResource>(publishedResourcesOf(agent)));
    this.definitions = scope.informer(
      service.informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }),
    );
    this.exports = scope.informer(
      provider.informers.acquire<APIExport>({
        resource: kcpResources.apiExports,
        fieldSelector: `metadata.name=${agent.exportName}`,
      }),
    );
  }
}
