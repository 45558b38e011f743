import type { KubeObject } from '@hawser/client';
import type { PermissionClaim } from '@hawser/klutch';
import type {
  APIServiceBinding,
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceExportTemplate,
  BoundRole,
  ClusterBinding,
  CustomResourceDefinition,
} from '@hawser/kube-bind';

/** A Secret of the consumer with a kubeconfig; no credential. */
export interface KubeconfigSecret {
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly uid: string | undefined;
  /** The connection that it holds; undefined if the kubeconfig is unreadable. */
  readonly reaches: { readonly server: string; readonly clusterNamespace: string } | undefined;
  /** It holds the same kubeconfig as the one to store, credential included. */
  readonly isSame: boolean;
  /** Its label makes konnectors connect before any binding exists. */
  readonly isLabelled: boolean;
}

/** Both sides, read live, as far as they matter to one wish. */
export interface Observed {
  /** `unknown`: the provider was not asked. */
  readonly clusterBinding: ClusterBinding | 'unknown' | undefined;
  /** Also undefined if the wish names resources. */
  readonly template: APIServiceExportTemplate | undefined;
  readonly request: APIServiceExportRequest | undefined;
  readonly export: APIServiceExport | undefined;
  /** Klutch: the claims of the export, to which a binding says yes or no. Empty in other dialects. */
  readonly claims: readonly PermissionClaim[];
  /** The consumer serves APIServiceBindings. */
  readonly isServed: boolean;
  readonly namespace: KubeObject | undefined;
  readonly secrets: readonly KubeconfigSecret[];
  readonly bindings: readonly APIServiceBinding[];
  /**
   * The ClusterRole that gives the chart's konnector its rights for the binding; `unknown` if unreadable or not wanted.
   */
  readonly konnectorRole: BoundRole | 'unknown' | undefined;
  /** CRDs of the consumer with the names of the APIs to bind. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Server of the kubeconfig to store. */
  readonly server: string;
}
