import type { KubeObject } from '@hawser/client';
import type { APIServiceNamespace, Dialect, Isolation } from '@hawser/kube-bind';

/** Policy for the namespace of a deleted APIServiceNamespace. */
export type ReclaimPolicy =
  /** It stays. */
  | 'Never'
  /** It is deleted once it is proven to be ours and empty. */
  | 'WhenEmpty';

/** Constants of the controller. */
export interface Settings {
  readonly dialect: Dialect;
  readonly isolation: Isolation;
  readonly reclaim: ReclaimPolicy;
  /** Namespaces that no consumer gets, whatever the isolation. */
  readonly reservedNamespaces: readonly string[];
  /** Names open to consumers under isolation None; `*` stands for any characters. */
  readonly consumerNamespaces: readonly string[];
  /** Prefixes of the provider's own namespaces; under isolation None no consumer gets such a name. */
  readonly ownPrefixes: readonly string[];
  /** Limit of namespaces made for one consumer. */
  readonly namespacesPerConsumer: number;
}

/** One APIServiceNamespace and its candidate namespaces. An immutable snapshot. */
export interface Observed {
  readonly clusterNamespace: string;
  /** Name of the APIServiceNamespace: that of the consumer's namespace. */
  readonly consumerNamespace: string;
  /** Undefined: not in the cache. */
  readonly serviceNamespace: APIServiceNamespace | undefined;
  /** The existing {@link candidateNames}, by name; only their metadata counts. */
  readonly namespaces: ReadonlyMap<string, KubeObject>;
  /** The consumer's exports, oldest first; none where owners may not be written. Only their metadata counts. */
  readonly exports: readonly KubeObject[];
  /**
   * Number of namespaces made for this consumer, in use or not, and of those being made or possibly made; without this
   * one. Only if none is assigned.
   */
  readonly made: number;
  /** The number may include a namespace that was never made. No event reports the end of its count. */
  readonly isUnsure?: boolean | undefined;
}
