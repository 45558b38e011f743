import type { KubeObject } from '@hawser/client';
import type { BindableResourcesRequest, ClusterBinding, Secret } from '@hawser/kube-bind';

/** What does not change during the life of the controller. */
export interface OnboardingSettings {
  /** Of the names of cluster namespaces. */
  readonly namespacePrefix: string;
  /** Name of the provider for people. */
  readonly prettyName: string;
  /** The only namespaces in which requests are answered, for any consumer. Undefined: all, but each consumer belongs to the namespace that asked for it first. */
  readonly requestNamespaces: readonly string[] | undefined;
  /** Whether a namespace is a consumer's of another dialect: no request is answered there. Default: none is. */
  readonly isOtherConsumers?: ((namespace: KubeObject) => boolean) | undefined;
}

/** One request and everything that it concerns. A snapshot: nothing in it changes. */
export interface ObservedRequest {
  /** Undefined: not in the cache. */
  readonly request: BindableResourcesRequest | undefined;
  /** The namespace that the request stands in. Of namespaces, only the metadata counts. */
  readonly home: KubeObject | undefined;
  /** Whether the template exists that the request names. */
  readonly hasTemplate: boolean;
  /** The namespace that has the name of the contract. */
  readonly named: KubeObject | undefined;
  /** All that say they are this consumer's, with their ClusterBinding. */
  readonly claiming: readonly { readonly namespace: KubeObject; readonly binding: ClusterBinding | undefined }[];
  /** Of the cluster namespace, if it is settled which it is. */
  readonly hasRights: boolean;
  readonly kubeconfig: Secret | undefined;
  /** Other requests of the same namespace. */
  readonly siblings: readonly BindableResourcesRequest[];
}
