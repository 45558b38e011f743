import type { Resource } from '@hawser/client';

/** One side of a published resource, as discovery and projection found it (`spec/api-syncagent.md §9.6`). */
export interface PublishedSide {
  readonly resource: Resource;
  readonly kind: string;
  readonly scope: 'Cluster' | 'Namespaced';
  /** Of `status` and `scale`, those that this side's version declares. */
  readonly subresources: readonly string[];
}

/** A resource on both sides: `service` is the cluster of the provider, `kcp` what workspaces see. */
export interface PublishedKinds {
  readonly service: PublishedSide;
  readonly kcp: PublishedSide;
}
