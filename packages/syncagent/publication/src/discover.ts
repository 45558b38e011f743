import type { CustomResourceDefinition } from '@hawser/crd';

/** What a PublishedResource names as its source. */
export interface Source {
  readonly group: string;
  readonly kind: string;
}

/** Resolves to the CRD of a resource of the service cluster, or to what stands for it where there is none. Rejects where there is no such resource, or nobody can tell. */
export type Discover = (source: Source, signal: AbortSignal) => Promise<CustomResourceDefinition>;
