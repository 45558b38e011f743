/** Why a kubeconfig is unusable. Closed: switch over it. */
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
  /** Two contexts, clusters or users have the selected name. */
  | 'DuplicateName'
  | 'ServerMissing'
  | 'ServerInvalid'
  | 'ServerNotHttps'
  | 'TlsServerNameInvalid'
  | 'InsecureSkipTlsVerify'
  | 'ProxyUrl'
  | 'ProxyUrlInvalid'
  | 'CertificateAuthorityInvalid'
  /** A file path: it would be read on the machine of the reader. */
  | 'FileReference'
  /** A program to run. */
  | 'Exec'
  | 'AuthProvider'
  | 'Impersonation'
  | 'BasicAuth'
  | 'CredentialsMissing'
  | 'CredentialsInvalid';

/** One defect. `message` says what is wrong and what to do; it never quotes the kubeconfig. */
export interface KubeconfigProblem {
  readonly code: KubeconfigProblemCode;
  readonly message: string;
}
