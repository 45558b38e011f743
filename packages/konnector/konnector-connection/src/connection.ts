import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { ServedBindings } from './served-bindings.js';

/** Which value of which Secret on the consumer. */
export interface SecretKeyRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/**
 * One provider, as named by one kubeconfig. Bindings and bundles whose Secrets hold the same bytes share a connection, whatever the Secrets are called.
 */
export interface ProviderConnection {
  /** SHA-256 of the bytes of the kubeconfig that is used now, hex. Internal: never on the wire. Another one after the token was changed in place. */
  readonly hash: string;
  /** How to reach the provider, as of now. */
  readonly config: ConnectionConfig;
  /** The namespace of the current context: the only provider namespace with kube-bind objects for this consumer (`spec/konnector.md`, conventions). */
  readonly clusterNamespace: string;
  /** The bindings served, as of now and as they come and go. */
  readonly bindings: ServedBindings;
  /** The APIServiceBindingBundles served, likewise. */
  readonly bundles: ServedBindings;
  /** The consumer Secrets that hold this kubeconfig now, without repetition. */
  secrets(): readonly SecretKeyRef[];
}
