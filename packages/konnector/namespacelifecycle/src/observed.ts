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
      /** Report for the binding; undefined: not everything was processed yet, and the former report stays. */
      readonly problems: readonly NamespaceProblem[] | undefined;
      readonly now: number;
    };

/** Everything that decides about one APIServiceNamespace. */
export interface ObservedRequest {
  readonly request: APIServiceNamespace;
  readonly namespace: NamespaceReading;
  /** Why a provider may not request a namespace of that name; undefined if it may. */
  readonly protection: string | undefined;
  /** The provider's namespace limit, present only if it is reached. */
  readonly limit?: number | undefined;
  /** Whether this connection serves any binding: before that nothing was requested. */
  readonly bound: boolean;
  /** The provider's identity: read only before creating a namespace for it. */
  readonly provider?: string | undefined;
  /** Read only if the namespace of the request is missing. */
  readonly proof?: Proof | undefined;
  /** Retry period for objects kept for the provider. */
  readonly lookAgainMs: number;
}

/** Cached state of the consumer's namespace. */
export type NamespaceReading =
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  /** Not read yet. */
  | { readonly kind: 'unknown' }
  /** The consumer refuses the read. */
  | { readonly kind: 'denied'; readonly error: string };

/** Whether an APIServiceNamespace is unused, from live reads. */
export type Proof =
  | { readonly kind: 'unused' }
  /** The consumer still has the namespace. */
  | { readonly kind: 'namespaceExists' }
  /** Another consumer cluster with the same kubeconfig made it. */
  | { readonly kind: 'otherConsumer' }
  /** Its maker's consumer cluster is not recorded. */
  | { readonly kind: 'unknownConsumer'; readonly identity: string }
  | { readonly kind: 'objectsLeft'; readonly object: string }
  | { readonly kind: 'unproven'; readonly why: string };
