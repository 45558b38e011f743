import type { APIServiceExportRequestSpec } from '@hawser/kube-bind';

/** What is to be bound. */
export type Offer =
  /** All that a template of the provider has. */
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'resources'; readonly resources: APIServiceExportRequestSpec['resources'] };

/** What somebody wants bound. */
export interface BindingWish {
  /** Of the request, the export and the binding, which all have the same. */
  readonly name: string;
  readonly offer: Offer;
  /** Of the provider, as the konnector will use it; see `portableKubeconfig` of `@hawser/kubeconfig`. Holds a credential. */
  readonly kubeconfig: string;
  /** Namespace of the consumer on the provider: that of the kubeconfig's context. */
  readonly clusterNamespace: string;
  /** Default: a Secret that reaches the same cluster namespace, else `kubeconfig-<name>`. */
  readonly secretName?: string | undefined;
}
