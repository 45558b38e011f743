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

/** A RoleBinding or ClusterRoleBinding of Kubernetes. */
export interface RightsBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup?: string | undefined; readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[] | null | undefined;
}

/** A Deployment of Kubernetes, as far as it is looked at here. */
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

/** What does not change during the life of the controller. */
export interface Settings {
  /** Image of the konnectors; undefined: each AppClusterBinding names its own. */
  readonly konnectorImage: string | undefined;
  /** What consumers are told of the provider. */
  readonly prettyName: string;
}

/** The Secret that an AppClusterBinding names. */
export type Source =
  | { readonly kind: 'found'; readonly secret: Secret }
  | { readonly kind: 'absent' }
  /** The API server refused to show it. */
  | { readonly kind: 'forbidden' };

/** One AppClusterBinding that stands, and what there is of it. A snapshot: nothing in it changes. */
export interface Observed {
  readonly binding: AppClusterBinding;
  readonly source: Source;
  /** The namespace of the root namespace's name, whosoever; only its metadata counts. */
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
  /** By the name of what they offer; of several, the first by name. */
  readonly templates: ReadonlyMap<string, APIServiceExportTemplate>;
  /** A Deployment, as `<hash>/<generation>`, that somebody changes back whenever it is written. */
  readonly unreachable: string | undefined;
}

/** A provider namespace of one of the app cluster's namespaces. */
export interface ServiceNamespace {
  /** Only its metadata counts. */
  readonly namespace: KubeObject;
  /** The first object in it, where that was looked for. */
  readonly holds: string | undefined;
}

/** One AppClusterBinding that is being deleted, and what is left of it, all of it read live. */
export interface ObservedDeletion {
  readonly binding: AppClusterBinding;
  /** Undefined: gone, or somebody else's. */
  readonly root: KubeObject | undefined;
  readonly bindings: readonly APIServiceBinding[];
  readonly deployment: KubeObject | undefined;
  readonly clusterRoleBinding: KubeObject | undefined;
  /** One for this AppClusterBinding alone, as Klutch makes them. */
  readonly clusterRole: KubeObject | undefined;
  readonly roleBinding: KubeObject | undefined;
  readonly mirror: KubeObject | undefined;
  readonly account: KubeObject | undefined;
  /** Those that say themselves that they were made for it, whether there is still an APIServiceNamespace or not. */
  readonly serviceNamespaces: readonly ServiceNamespace[];
  /** The APIServiceNamespaces of the root namespace. */
  readonly records: readonly KubeObject[];
  /** Names of cluster-scoped instances, as far as they were looked for. */
  readonly clusterScoped: readonly string[];
  /** Why it is not known what there is. */
  readonly unknown: string | undefined;
  readonly note: KubeObject | undefined;
}
