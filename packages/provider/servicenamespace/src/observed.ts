import type { KubeObject } from '@hawser/client';
import type { APIServiceNamespace, Dialect, Isolation } from '@hawser/kube-bind';

/** What may become of the namespace of a deleted APIServiceNamespace. */
export type ReclaimPolicy =
  /** It stays. */
  | 'Never'
  /** It is deleted once it is proven to be ours and to hold nothing. */
  | 'WhenEmpty';

/** What does not change during the life of the controller. */
export interface Settings {
  readonly dialect: Dialect;
  readonly isolation: Isolation;
  readonly reclaim: ReclaimPolicy;
  /** Namespaces that no consumer gets, whatever the isolation. */
  readonly reservedNamespaces: readonly string[];
  /** Names that consumers may have under isolation None; `*` stands for any characters. */
  readonly consumerNamespaces: readonly string[];
  /** With these begin namespaces that the provider makes for itself; under isolation None no consumer gets such a name. */
  readonly ownPrefixes: readonly string[];
  /** Namespaces that are made for one consumer. */
  readonly namespacesPerConsumer: number;
}

/** One APIServiceNamespace and the namespaces that could be its own. A snapshot: nothing in it changes. */
export interface Observed {
  readonly clusterNamespace: string;
  /** Name of the APIServiceNamespace, which is that of the consumer's namespace. */
  readonly consumerNamespace: string;
  /** Undefined: not in the cache. */
  readonly serviceNamespace: APIServiceNamespace | undefined;
  /** Of the {@link candidateNames}, those that exist, by name; only their metadata counts. */
  readonly namespaces: ReadonlyMap<string, KubeObject>;
  /** Those of the consumer, oldest first; none where owners may not be written. Only their metadata counts. */
  readonly exports: readonly KubeObject[];
  /** Namespaces that were made for this consumer, whether something still asks for them or not, and those that are being made or may have been; not this one. Only where none is assigned. */
  readonly made: number;
  /** Something counts among those that may never have been made. Nothing tells when it counts no more. */
  readonly isUnsure?: boolean | undefined;
}
