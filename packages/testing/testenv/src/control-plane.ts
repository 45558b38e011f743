import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { AuditLog } from './audit-log.js';
import type { ControlPlaneBinaries } from './binaries.js';
import type { EtcdEntry } from './etcd.js';
import type { RawRequest, RawResponse } from './request.js';

/** Options of a control plane. Everything is optional. */
export interface ControlPlaneOptions {
  /** Appears in messages and as the context of kubeconfigs. Default `testenv`. */
  readonly name?: string;
  /** Default: {@link locateBinaries} for `kubernetesVersion`. */
  readonly binaries?: ControlPlaneBinaries;
  /** For example `1.36.3`. Default: the version that this package targets. */
  readonly kubernetesVersion?: string;
  /** Loopback port of the API server. Default: a free one. */
  readonly port?: number;
  /**
   * Also run kube-controller-manager with the controllers that finish what an API server begins: garbage collection,
   * deletion of namespaces, default ServiceAccounts and their token Secrets, aggregated ClusterRoles, the root CA
   * ConfigMap. Default false.
   */
  readonly controllerManager?: boolean;
  /**
   * With {@link controllerManager}: also the controller of ResourceQuotas, without which a quota never frees what it
   * counts. It watches every resource. Default false.
   */
  readonly quotas?: boolean;
  /**
   * Written into etcd before the API server starts: objects keep their uid, managedFields and times. See {@link
   * etcdEntries}.
   */
  readonly load?: readonly EtcdEntry[];
  /** More flags for kube-apiserver, without the dashes: `{ 'max-requests-inflight': '10' }`. They override ours. */
  readonly apiServerFlags?: Readonly<Record<string, string>>;
  /** Feature gates of the API server and the controller manager. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Progress and reasons, line by line. Default: nothing is printed. */
  readonly print?: (line: string) => void;
  /** Time limit for the API server to become ready. Default 60 s; it needs about 3. */
  readonly startTimeoutMs?: number;
}

/** Access to a cluster as one identity. */
export interface ClusterAccess {
  readonly connection: ConnectionConfig;
  /** The same as kubeconfig text. */
  readonly kubeconfig: string;
}

export interface ServiceAccountOptions {
  /** Namespace of the kubeconfig's context. Default: the ServiceAccount's own. */
  readonly contextNamespace?: string;
  /** Lifetime of the token. Default 24 h; the API server's minimum is 10 min. */
  readonly expirationSeconds?: number;
}

export interface KubectlOptions {
  /** Standard input, for `apply -f -`. */
  readonly input?: string;
  /** Default: the administrator's. */
  readonly kubeconfigFile?: string;
}

/** Operations of a test on a control plane that others share. */
export interface SharedControlPlane extends ClusterAccess {
  readonly name: string;
  /** Administrator (`system:masters`). */
  readonly connection: ConnectionConfig;
  readonly kubeconfig: string;
  /** File with {@link kubeconfig}; gone after the control plane has stopped. */
  readonly kubeconfigFile: string;
  /** For example `1.36.3`, from the server itself. */
  readonly kubernetesVersion: string;
  /** Access as a user with a client certificate. RBAC grants decide its rights; at first it has none. */
  userAccess(user: string, groups?: readonly string[]): Promise<ClusterAccess>;
  /** The kubeconfig of {@link userAccess}. */
  userKubeconfig(user: string, groups?: readonly string[]): Promise<string>;
  /**
   * Access as a ServiceAccount, with a token from the TokenRequest API. Creates a missing ServiceAccount; its namespace
   * must exist.
   */
  serviceAccountAccess(namespace: string, name: string, options?: ServiceAccountOptions): Promise<ClusterAccess>;
  /** The kubeconfig of {@link serviceAccountAccess}. */
  serviceAccountKubeconfig(namespace: string, name: string, options?: ServiceAccountOptions): Promise<string>;
  /** Requests to the API server, and their users. */
  auditLog(): AuditLog;
  /** Runs kubectl as administrator and returns its output. Throws {@link TestenvError} `command-failed` with its message. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /**
   * Removes an object from etcd behind the API server's back, regardless of finalizers: watches report a deletion
   * without a request. Throws {@link TestenvError} `request-failed` if etcd has no such key. Keys of custom resources
   * are `/registry/GROUP/RESOURCE/NAMESPACE/NAME`.
   */
  removeFromStorage(key: string): Promise<void>;
  /** One HTTP request as administrator; returns any status. */
  request(request: RawRequest): Promise<RawResponse>;
}

export interface RestartOptions {
  /** `SIGTERM` (default) lets the server finish its requests; `SIGKILL` cuts them off. */
  readonly signal?: 'SIGTERM' | 'SIGKILL';
  /** Runs while the server is down. */
  readonly whileDown?: () => Promise<void>;
}

/** A control plane that belongs to its starter. */
export interface ControlPlane extends SharedControlPlane, AsyncDisposable {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** Stops the API server and restarts it on the same port with the same data. Resolves when it is ready. */
  restartApiServer(options?: RestartOptions): Promise<void>;
  /** Compacts etcd to the current versions of objects, as the API server does every five minutes. */
  compact(): Promise<void>;
  /** Log of one of the programs, for diagnosis after a failure. */
  logFile(program: 'etcd' | 'kube-apiserver' | 'kube-controller-manager'): string;
  /** Ends all programs and removes their data. Idempotent. */
  stop(): Promise<void>;
}
