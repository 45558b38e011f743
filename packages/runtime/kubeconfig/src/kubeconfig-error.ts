/** Why the operator's own kubeconfig cannot be used. */
export type KubeconfigErrorCode =
  /** There is none: no file, no KUBECONFIG, no home file, and this is not a pod. */
  | 'NotFound'
  /** A file that it names, or the kubeconfig itself, cannot be read. */
  | 'Unreadable'
  | 'Invalid'
  /** It asks for a way to log in that is not supported. */
  | 'Unsupported'
  /** Its program or login service gave no credentials. */
  | 'NoCredentials';

/** The one error of this package. Its message may be shown: it names files, never their content. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';

  constructor(
    readonly code: KubeconfigErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
