import type { KubeObject } from '@hawser/client';
import type { Binding, Connection } from '@hawser/core-kbind';
import type { APIServiceBinding, APIServiceExportRequest, BoundRole, Dialect } from '@hawser/kube-bind';

/** One thing to be done, in its order. Nothing else is written. */

export type BindStep =
  /** On the provider: asks for the export, and waits for the answer. */
  | { readonly kind: 'request'; readonly object: APIServiceExportRequest }
  /** On the provider: a request that is there has not been answered yet. */
  | { readonly kind: 'awaitRequest'; readonly name: string }
  /** On the consumer: the CRD of a binding that is gone is still there; the garbage collector removes it with its objects. */
  | { readonly kind: 'awaitCRDGone'; readonly name: string; readonly uid: string | undefined }
  /** On the consumer: the CRDs of the dialect. */
  | { readonly kind: 'installCRDs'; readonly dialect: Dialect['name'] | 'core-kbind'; readonly apiGroup: string }
  | { readonly kind: 'namespace'; readonly object: KubeObject }
  /** `object` holds a credential. */
  | { readonly kind: 'createSecret'; readonly object: KubeObject }
  | { readonly kind: 'updateSecret'; readonly namespace: string; readonly name: string; readonly patch: object }
  /** On the consumer: what the chart's konnector needs for the binding. Who may not grant it goes on without: a konnector may have all rights. */
  | { readonly kind: 'grantKonnector'; readonly object: BoundRole; readonly found: KubeObject | undefined }
  | { readonly kind: 'connection'; readonly object: Connection }
  /** A ClusterBinding, or a Binding, of `core.kbind.io`. */
  | { readonly kind: 'coreBinding'; readonly object: Binding }
  | {
      readonly kind: 'binding';
      readonly object: APIServiceBinding;
      /** Undefined: there are no claims, or each is answered by itself. */ readonly agreesTo?: Agreement | undefined;
    };

/** What a binding lets the provider do with objects of the consumer, by being made. */

export interface Agreement {
  /** Address of its API server, and the namespace that it has assigned. */
  readonly provider: { readonly server: string; readonly clusterNamespace: string };
  /** In words, each. */
  readonly claims: readonly string[];
}
