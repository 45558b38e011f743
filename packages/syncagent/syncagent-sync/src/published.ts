import type { Resource } from '@hawser/client';

/** One side of a published resource, from discovery and projection (`spec/api-syncagent.md §9.6`). */
export interface PublishedSide {
  readonly resource: Resource;
  readonly kind: string;
  readonly scope: 'Cluster' | 'Namespaced';
  /** `status` and `scale`, as far as this side's version declares them. */
  readonly subresources: readonly string[];
}

/** A resource on both sides: `service` is the cluster of the provider, `kcp` the view of workspaces. */
export interface PublishedKinds {
  readonly service: PublishedSide;
  readonly kcp: PublishedSide;
}
