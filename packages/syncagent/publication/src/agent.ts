import type { InformerSpec } from '@hawser/informer';
import { resources } from '@hawser/syncagent-api';

/** Identity of an agent: what it publishes, and where. One agent has one APIExport. */
export interface Agent {
  /** `--agent-name`: label and annotation on what it creates. */
  readonly name: string;
  /** Name of the APIExport in the provider workspace. */
  readonly exportName: string;
  /** `--namespace`: where the agent keeps its state. */
  readonly namespace: string;
  /** `--published-resource-selector`: a label selector for the API server. Absent or empty: every PublishedResource. */
  readonly selector?: string | undefined;
}

/**
 * The PublishedResources of an agent. The API server selects: one whose labels no longer match counts as deleted, so no
 * agent handles it any more (`spec/api-syncagent.md §17`, 2).
 */
export function publishedResourcesOf({ selector }: Pick<Agent, 'selector'>): InformerSpec {
  return {
    resource: resources.publishedResources,
    ...(selector === undefined || selector === '' ? {} : { labelSelector: selector }),
  };
}
