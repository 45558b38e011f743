import type { InformerSpec } from '@hawser/informer';
import { resources } from '@hawser/syncagent-api';

/** Who publishes, what, and where to. One agent has one APIExport. */
export interface Agent {
  /** `--agent-name`: label and annotation on what it makes. */
  readonly name: string;
  /** Name of the APIExport in the provider workspace. */
  readonly exportName: string;
  /** `--namespace`: where the agent keeps what it has to remember. */
  readonly namespace: string;
  /** `--published-resource-selector`: a label selector as the API server takes it. Absent or empty: every PublishedResource. */
  readonly selector?: string | undefined;
}

/**
 * The PublishedResources of an agent. The API server selects: one whose labels no longer match goes like one that was deleted, so nobody works on it any
 * more (`spec/api-syncagent.md §17`, 2).
 */
export function publishedResourcesOf({ selector }: Pick<Agent, 'selector'>): InformerSpec {
  return {
    resource: resources.publishedResources,
    ...(selector === undefined || selector === '' ? {} : { labelSelector: selector }),
  };
}
