import type { KubeObject } from '@hawser/client';
import type { Setup, Watched } from '@hawser/controller';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';

export type ClusterNames = 'service' | 'provider';

/** Cached state of both clusters. Keys are names of PublishedResources. */
export class Caches {
  readonly publishedResources: Watched<PublishedResource>;
  readonly definitions: Watched<KubeObject>;
  readonly schemas: Watched<KubeObject>;
  readonly #exports: Watched<APIExport>;
  readonly #agent: Agent;

  /**
   * `kept`: those whose kind the export still has. Any change of the export, or of a PublishedResource, leads to a look
   * at them.
   */
  constructor({ clusters, watch }: Setup<ClusterNames>, agent: Agent, kept: () => readonly string[]) {
    const { service, provider } = clusters;
    this.#agent = agent;
    this.publishedResources = watch<PublishedResource>(
      service,
      { ...publishedResourcesOf(agent), kind: 'PublishedResource' },
      ({ metadata }) => [metadata.name, ...kept()],
      { cures: true },
    );
    this.definitions = watch(
      service,
      { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', projection: 'metadata' },
      ({ metadata }) => this.#namesWhere((object) => isInGroup(metadata.name, object)),
      { cures: true },
    );
    this.schemas = watch(
      provider,
      { resource: kcpResources.apiResourceSchemas, kind: 'APIResourceSchema', projection: 'metadata' },
      ({ metadata }, change) =>
        change === 'delete' ? this.#namesWhere(({ status }) => status?.resourceSchemaName === metadata.name) : [],
    );
    // The cache of the controller that writes it.
    this.#exports = watch<APIExport>(
      provider,
      { resource: kcpResources.apiExports, kind: 'APIExport', fieldSelector: `metadata.name=${agent.exportName}` },
      kept,
    );
  }

  /** Names of the schemas in the export. */
  exported(): readonly string[] {
    return (this.#exports.get({ name: this.#agent.exportName })?.spec?.resources ?? []).map(({ schema }) => schema);
  }

  /** The CRDs in the group of a PublishedResource. */
  definitionsFor(object: PublishedResource): readonly KubeObject[] {
    return this.definitions.list().filter(({ metadata }) => isInGroup(metadata.name, object));
  }

  #namesWhere(isMeant: (object: PublishedResource) => boolean): readonly string[] {
    return this.publishedResources.list().flatMap((object) => (isMeant(object) ? [object.metadata.name] : []));
  }
}

/** A CRD's name ends with its group. */
function isInGroup(definition: string, { spec }: PublishedResource): boolean {
  return definition.endsWith(`.${spec.resource.apiGroup}`);
}
