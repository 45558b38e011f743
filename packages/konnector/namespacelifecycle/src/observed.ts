import type { APIServiceNamespace } from '@hawser/kube-bind';

/** Everything that decides about one APIServiceNamespace, read at one moment. */
export interface Observed {
  readonly request: APIServiceNamespace;
  readonly namespace: NamespaceReading;
  /** Why a provider may not have a namespace of that name made; undefined if it may. */
  readonly protection: string | undefined;
  /** How many namespaces the provider may have made, where it has as many already. */
  readonly limit?: number | undefined;
  /** Whether anything is bound over this connection: until then nobody has asked for anything. */
  readonly bound: boolean;
}

/** What is known of the consumer's namespace, from a cache. */
export type NamespaceReading =
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  /** Not looked yet. */
  | { readonly kind: 'unknown' }
  /** The consumer does not let us look. */
  | { readonly kind: 'denied'; readonly error: string };

/** Whether nobody needs an APIServiceNamespace any more, from live reads. */
export type Proof =
  | { readonly kind: 'unused' }
  /** The consumer has the namespace after all. */
  | { readonly kind: 'namespaceExists' }
  /** Another consumer cluster, with the same kubeconfig, has made it. */
  | { readonly kind: 'otherConsumer' }
  /** It does not say which consumer cluster made it. */
  | { readonly kind: 'unknownConsumer'; readonly identity: string }
  | { readonly kind: 'objectsLeft'; readonly object: string }
  | { readonly kind: 'unproven'; readonly why: string };
