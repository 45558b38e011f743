import type { KubeObject } from '@hawser/client';
import type { Binding, Connection } from '@hawser/core-kbind';
import type { APIServiceBinding, APIServiceExportRequest, BoundRole, Dialect } from '@hawser/kube-bind';

/** One step of a plan, in its order. A plan writes nothing else. */

export type BindStep =
  /** On the provider: requests the export and waits for the answer. */
  | { readonly kind: 'request'; readonly object: APIServiceExportRequest }
  /** On the provider: an existing request has no answer yet. */
  | { readonly kind: 'awaitRequest'; readonly name: string }
  /** On the consumer: the CRD of a deleted binding still exists; the garbage collector removes it with its objects. */
  | { readonly kind: 'awaitCRDGone'; readonly name: string; readonly uid: string | undefined }
  /** On the consumer: installs the CRDs of the dialect. */
  | { readonly kind: 'installCRDs'; readonly dialect: Dialect['name'] | 'core-kbind'; readonly apiGroup: string }
  | { readonly kind: 'namespace'; readonly object: KubeObject }
  /** `object` holds a credential. */
  | { readonly kind: 'createSecret'; readonly object: KubeObject }
  | { readonly kind: 'updateSecret'; readonly namespace: string; readonly name: string; readonly patch: object }
  /**
   * On the consumer: grants the chart's konnector its rights for the binding. A user who may not grant them skips this
   * step: the konnector may already have all rights.
   */
  | { readonly kind: 'grantKonnector'; readonly object: BoundRole; readonly found: KubeObject | undefined }
  | { readonly kind: 'connection'; readonly object: Connection }
  /** A ClusterBinding, or a Binding, of `core.kbind.io`. */
  | { readonly kind: 'coreBinding'; readonly object: Binding }
  | {
      readonly kind: 'binding';
      readonly object: APIServiceBinding;
      /** Undefined: there are no claims, or each is answered by itself. */ readonly agreesTo?: Agreement | undefined;
    };

/** What a binding lets the provider do with objects of the consumer. */

export interface Agreement {
  /** Address of the provider's API server, and the namespace that the provider assigned. */
  readonly provider: { readonly server: string; readonly clusterNamespace: string };
  /** Each claim in words. */
  readonly claims: readonly string[];
}
