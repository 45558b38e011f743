/**
 * `NotServed`: the cluster does not serve the group, or the kind in it. `NotEstablished`: a CRD exists, but the cluster
 * does not serve it yet, or no longer. `NoModel`: a version is served, but without a description of its objects.
 * `Unusable`: a CRD schema cannot describe them.
 */
export type DiscoveryErrorCode = 'NotServed' | 'NotEstablished' | 'NoModel' | 'Unusable';

/** Why a type was not found. Other answers of the API server are `ApiError`s. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  /** Whether it may pass: a CRD being established, an API being rolled out. */
  readonly retryable: boolean;

  constructor(
    readonly code: DiscoveryErrorCode,
    message: string,
  ) {
    super(message);
    this.retryable = code !== 'Unusable';
  }
}
