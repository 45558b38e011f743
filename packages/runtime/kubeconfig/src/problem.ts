/** Why a kubeconfig cannot be used. Closed: switch over it. */
export type KubeconfigProblemCode =
  | 'Empty'
  | 'TooLarge'
  | 'NotYaml'
  | 'NotKubeconfig'
  | 'NoCurrentContext'
  | 'ContextMissing'
  | 'NamespaceMissing'
  | 'NamespaceInvalid'
  | 'ClusterMissing'
  | 'UserMissing'
  /** Two contexts, clusters or users of the name that is meant. */
  | 'DuplicateName'
  | 'ServerMissing'
  | 'ServerInvalid'
  | 'ServerNotHttps'
  | 'TlsServerNameInvalid'
  | 'InsecureSkipTlsVerify'
  | 'ProxyUrl'
  | 'ProxyUrlInvalid'
  | 'CertificateAuthorityInvalid'
  /** A path of a file on the machine of whoever reads the kubeconfig. */
  | 'FileReference'
  /** A program to run. */
  | 'Exec'
  | 'AuthProvider'
  | 'Impersonation'
  | 'BasicAuth'
  | 'CredentialsMissing'
  | 'CredentialsInvalid';

/** One thing that is wrong. `message` says what, and what to do; it never quotes anything from the kubeconfig. */
export interface KubeconfigProblem {
  readonly code: KubeconfigProblemCode;
  readonly message: string;
}
