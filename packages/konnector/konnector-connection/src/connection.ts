import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { ServedBindings } from './served-bindings.js';

/** Selects a value of a Secret on the consumer. */
export interface SecretKeyRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/**
 * One provider, identified by one kubeconfig. Bindings and bundles whose Secrets hold the same bytes share a
 * connection, whatever the names of the Secrets.
 */
export interface ProviderConnection {
  /**
   * SHA-256 of the bytes of the kubeconfig in use, hex. Internal: never on the wire. Changes when the token is replaced
   * in place.
   */
  readonly hash: string;
  /** The present way to reach the provider. */
  readonly config: ConnectionConfig;
  /**
   * The namespace of the current context: the only provider namespace with kube-bind objects for this consumer
   * (`spec/konnector.md`, conventions).
   */
  readonly clusterNamespace: string;
  /** The bindings served, with changes. */
  readonly bindings: ServedBindings;
  /** The APIServiceBindingBundles served, with changes. */
  readonly bundles: ServedBindings;
  /** The consumer Secrets that hold this kubeconfig now, without duplicates. */
  secrets(): readonly SecretKeyRef[];
}
