import type { CustomResourceDefinition } from '@hawser/crd';

/** The source that a PublishedResource names. */
export interface Source {
  readonly group: string;
  readonly kind: string;
}

/**
 * Resolves to the CRD of a resource of the service cluster, or to a synthesised one. Rejects if the resource does not
 * exist, or that is unknown.
 */
export type Discover = (source: Source, signal: AbortSignal) => Promise<CustomResourceDefinition>;
