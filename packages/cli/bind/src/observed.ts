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

/** A Secret of the consumer with a kubeconfig in it; no credential. */
export interface KubeconfigSecret {
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly uid: string | undefined;
  /** Which connection it holds; undefined if nothing can be made of it. */
  readonly reaches: { readonly server: string; readonly clusterNamespace: string } | undefined;
  /** It says what the kubeconfig says that is to be stored, the credential included. */
  readonly isSame: boolean;
  /** It has the label that makes konnectors connect before anything is bound. */
  readonly isLabelled: boolean;
}

/** Both sides, read live, as far as they matter to one wish. */
export interface Observed {
  /** `unknown`: the provider was not asked. */
  readonly clusterBinding: ClusterBinding | 'unknown' | undefined;
  /** Undefined as well where resources are named. */
  readonly template: APIServiceExportTemplate | undefined;
  readonly request: APIServiceExportRequest | undefined;
  readonly export: APIServiceExport | undefined;
  /** Klutch: what the export claims, to which a binding says yes or no. Elsewhere it has none of these. */
  readonly claims: readonly PermissionClaim[];
  /** The consumer serves APIServiceBindings. */
  readonly isServed: boolean;
  readonly namespace: KubeObject | undefined;
  readonly secrets: readonly KubeconfigSecret[];
  readonly bindings: readonly APIServiceBinding[];
  /** The ClusterRole by which the chart's konnector has its rights for the binding; `unknown` where it may not be read, or is not asked for. */
  readonly konnectorRole: BoundRole | 'unknown' | undefined;
  /** CRDs of the consumer that have the names of what is to be bound. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Where the kubeconfig that is to be stored leads. */
  readonly server: string;
}
