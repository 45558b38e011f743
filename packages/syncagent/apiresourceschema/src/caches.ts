import type { KubeObject } from '@hawser/client';
import type { Cluster, Scope } from '@hawser/controller';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';

/** What is known of both clusters without asking. */
export class Caches {
  readonly publishedResources;
  readonly definitions;
  readonly schemas;
  readonly #exports;
  readonly #agent: Agent;

  constructor({ service, provider }: Readonly<Record<'service' | 'provider', Cluster>>, scope: Scope, agent: Agent) {
    this.#agent = agent;
    this.publishedResources = scope.informer(service.informers.acquire<PublishedResource>(publishedResourcesOf(agent)));
    this.definitions = scope.informer(
      service.informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }),
    );
    this.schemas = scope.informer(
      provider.informers.acquire<KubeObject>({ resource: kcpResources.apiResourceSchemas, projection: 'metadata' }),
    );
    // The one of the controller that writes it.
    this.#exports = scope.informer(
      provider.informers.acquire<APIExport>({
        resource: kcpResources.apiExports,
        fieldSelector: `metadata.name=${agent.exportName}`,
      }),
    );
  }

  onExportChange(scope: Scope, changed: () => void): void {
    scope.onChange(this.#exports, changed);
  }

  /** Names of the schemas in the export. */
  exported(): readonly string[] {
    return (this.#exports.get({ name: this.#agent.exportName })?.spec?.resources ?? []).map(({ schema }) => schema);
  }

  /** The CRDs in the group of a PublishedResource. */
  definitionsFor(object: PublishedResource): readonly KubeObject[] {
    return this.definitions.list().filter(({ metadata }) => isInGroup(metadata.name, object));
  }
}

/** A CRD is named after its group. */
export function isInGroup(definition: string, { spec }: PublishedResource): boolean {
  return definition.endsWith(`.${spec.resource.apiGroup}`);
}
