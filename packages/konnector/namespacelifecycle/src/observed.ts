import type { APIServiceBinding, APIServiceNamespace } from '@hawser/kube-bind';
import type { NamespaceProblem } from './problems.js';

/** Everything that decides about one key, read at one moment. */
export type Observed =
  | ({ readonly kind: 'request' } & ObservedRequest)
  /** The APIServiceNamespace of that name is gone. */
  | { readonly kind: 'gone'; readonly name: string }
  | {
      readonly kind: 'binding';
      /** Undefined: this connection does not serve it. */
      readonly binding: APIServiceBinding | undefined;
      /** To be said on it; undefined: not everything was looked at yet, so what was said before stands. */
      readonly problems: readonly NamespaceProblem[] | undefined;
      readonly now: number;
    };

/** Everything that decides about one APIServiceNamespace. */
export interface ObservedRequest {
  readonly request: APIServiceNamespace;
  readonly namespace: NamespaceReading;
  /** Why a provider may not have a namespace of that name made; undefined if it may. */
  readonly protection: string | undefined;
  /** How many namespaces the provider may have made, where it has as many already. */
  readonly limit?: number | undefined;
  /** Whether anything is bound over this connection: until then nothing was asked for. */
  readonly bound: boolean;
  /** The identity of the provider: read only where a namespace is to be made for it. */
  readonly provider?: string | undefined;
  /** Read only where the namespace of the request is missing. */
  readonly proof?: Proof | undefined;
  /** When to look again at what is kept for the provider's sake. */
  readonly lookAgainMs: number;
}

/** What is known of the consumer's namespace, from a cache. */
export type NamespaceReading =
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  /** Not looked yet. */
  | { readonly kind: 'unknown' }
  /** The consumer does not let us look. */
  | { readonly kind: 'denied'; readonly error: string };

/** Whether an APIServiceNamespace is no longer needed, from live reads. */
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
