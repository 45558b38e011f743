/** Why the operator's own kubeconfig is unusable. */
export type KubeconfigErrorCode =
  /** There is none: no file, no KUBECONFIG, no home file, and no pod. */
  | 'NotFound'
  /** The kubeconfig, or a file that it names, is unreadable. */
  | 'Unreadable'
  | 'Invalid'
  /** It requires an unsupported login method. */
  | 'Unsupported'
  /** Its program or login service returned no credentials. */
  | 'NoCredentials';

/** The one error of this package. Its message is safe to show: it names files, never their content. */
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
