import type { KubeObject } from '@hawser/client';
import type { BindableResourcesRequest, ClusterBinding, Secret } from '@hawser/kube-bind';

/** Constants of the controller. */
export interface OnboardingSettings {
  /** Prefix of cluster namespaces' names. */
  readonly namespacePrefix: string;
  /** Display name of the provider. */
  readonly prettyName: string;
  /**
   * The only namespaces in which requests are answered, for any consumer. Undefined: all, but each consumer belongs to
   * the namespace of its first request.
   */
  readonly requestNamespaces: readonly string[] | undefined;
  /** Whether a namespace belongs to a consumer of another dialect: no request is answered there. Default: never. */
  readonly isOtherConsumers?: ((namespace: KubeObject) => boolean) | undefined;
}

/** One request and everything that it concerns. An immutable snapshot. */
export interface ObservedRequest {
  /** Undefined: not in the cache. */
  readonly request: BindableResourcesRequest | undefined;
  /** The namespace of the request. Only the metadata of namespaces counts. */
  readonly home: KubeObject | undefined;
  /** Whether the request's template exists. */
  readonly hasTemplate: boolean;
  /** The namespace with the contract's name. */
  readonly named: KubeObject | undefined;
  /** All namespaces that claim to be this consumer's, with their ClusterBinding. */
  readonly claiming: readonly { readonly namespace: KubeObject; readonly binding: ClusterBinding | undefined }[];
  /** State of the cluster namespace, if it is unambiguous. */
  readonly hasRights: boolean;
  readonly kubeconfig: Secret | undefined;
  /** Other requests of the same namespace. */
  readonly siblings: readonly BindableResourcesRequest[];
}
