import type { Setup, Watched } from '@hawser/controller';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { type Agent, publishedResourcesOf } from '@hawser/publication';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import { exportKey, statusKey } from './keys.js';

export type ClusterNames = 'service' | 'provider';

/** The watched caches. */
export class Caches {
  readonly publishedResources;
  readonly definitions;
  /** The one export of the agent. */
  readonly exports: Watched<APIExport>;
  readonly #exportName: string;

  constructor({ clusters: { service, provider }, watch }: Setup<ClusterNames>, agent: Agent) {
    this.#exportName = agent.exportName;
    this.publishedResources = watch<PublishedResource>(
      service,
      { ...publishedResourcesOf(agent), kind: 'PublishedResource' },
      ({ metadata }) => [exportKey, statusKey(metadata.name)],
      { cures: true },
    );
    this.definitions = watch(
      service,
      { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', projection: 'metadata' },
      () => [],
    );
    this.exports = watch<APIExport>(
      provider,
      { resource: kcpResources.apiExports, kind: 'APIExport', fieldSelector: `metadata.name=${agent.exportName}` },
      () => exportKey,
      { cures: true },
    );
  }

  /** The present export. */
  get export(): APIExport | undefined {
    return this.exports.get({ name: this.#exportName });
  }
}
