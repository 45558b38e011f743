import type { KubeObject } from '@hawser/client';
import type {
  APIServiceBinding,
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceExportTemplate,
  AppClusterBinding,
  ClusterBinding,
} from '@hawser/klutch';
import type { Secret } from '@hawser/kube-bind';
import type { Container } from './overrides.js';

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A Kubernetes RoleBinding or ClusterRoleBinding. */
export interface RightsBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup?: string | undefined; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[] | null | undefined;
}

/** A Kubernetes Deployment, reduced to the fields in use. */
export interface Deployment extends KubeObject {
  readonly spec: {
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> | undefined };
    readonly template: {
      readonly metadata?:
        | {
            readonly labels?: Readonly<Record<string, string>> | undefined;
            readonly annotations?: Readonly<Record<string, string>> | undefined;
          }
        | undefined;
      readonly spec: { readonly serviceAccountName?: string | undefined; readonly containers: readonly Container[] };
    };
  };
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly availableReplicas?: number | undefined;
        readonly conditions?:
          | readonly { readonly type: string; readonly status: string; readonly message?: string | undefined }[]
          | undefined;
      }
    | undefined;
}

/** Constants of the controller. */
export interface Settings {
  /** Image of the konnectors; undefined: each AppClusterBinding names its own. */
  readonly konnectorImage: string | undefined;
  /** Provider name shown to consumers. */
  readonly prettyName: string;
}

/** The Secret that an AppClusterBinding names. */
export type Source =
  | { readonly kind: 'found'; readonly secret: Secret }
  | { readonly kind: 'absent' }
  /** The API server refused to show it. */
  | { readonly kind: 'forbidden' };

/** One AppClusterBinding that is not being deleted, and its objects. An immutable snapshot. */
export interface Observed {
  readonly binding: AppClusterBinding;
  readonly source: Source;
  /** The namespace with the root namespace's name, whoever owns it; only its metadata counts. */
  readonly root: KubeObject | undefined;
  /** In the root namespace. */
  readonly account: KubeObject | undefined;
  readonly mirror: Secret | undefined;
  readonly clusterBinding: ClusterBinding | undefined;
  readonly roleBinding: RightsBinding | undefined;
  readonly clusterRoleBinding: RightsBinding | undefined;
  readonly bindings: readonly APIServiceBinding[];
  readonly requests: readonly APIServiceExportRequest[];
  readonly exports: readonly APIServiceExport[];
  /** Of the root namespace. */
  readonly deployments: readonly Deployment[];
  /** Resource → template; of several, the first by name. */
  readonly templates: ReadonlyMap<string, APIServiceExportTemplate>;
  /** A Deployment, as `<hash>/<generation>`, that another writer reverts at each write. */
  readonly unreachable: string | undefined;
}

/** A provider namespace of one of the app cluster's namespaces. */
export interface ServiceNamespace {
  /** Only its metadata counts. */
  readonly namespace: KubeObject;
  /** The first object in it, if that was checked. */
  readonly holds: string | undefined;
}

/** One AppClusterBinding that is being deleted, and its remaining objects, all read live. */
export interface ObservedDeletion {
  readonly binding: AppClusterBinding;
  /** Undefined: gone, or foreign. */
  readonly root: KubeObject | undefined;
  readonly bindings: readonly APIServiceBinding[];
  readonly deployment: KubeObject | undefined;
  readonly clusterRoleBinding: KubeObject | undefined;
  /** The ClusterRole of only this AppClusterBinding, as Klutch makes them. */
  readonly clusterRole: KubeObject | undefined;
  readonly roleBinding: KubeObject | undefined;
  readonly mirror: KubeObject | undefined;
  readonly account: KubeObject | undefined;
  /** Namespaces that name it as their owner, with or without an APIServiceNamespace. */
  readonly serviceNamespaces: readonly ServiceNamespace[];
  /** The APIServiceNamespaces of the root namespace. */
  readonly records: readonly KubeObject[];
  /** Names of cluster-scoped instances, if they were checked. */
  readonly clusterScoped: readonly string[];
  /** Why it is not known what exists. */
  readonly unknown: string | undefined;
  readonly note: KubeObject | undefined;
}
