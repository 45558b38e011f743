/**
 * `NotServed`: the cluster serves no such group, or no such kind in it. `NotEstablished`: there is a CRD, but the cluster does not serve it yet, or any more.
 * `NoModel`: a version is served, and nothing says what its objects look like. `Unusable`: they cannot be described by a schema of a CRD.
 */
export type DiscoveryErrorCode = 'NotServed' | 'NotEstablished' | 'NoModel' | 'Unusable';

/** Why a type was not found. What the API server answers otherwise is an `ApiError`. */
export class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  /** Whether it can become right by itself: a CRD that is being set up, an API that is being rolled out. */
  readonly retryable: boolean;

  constructor(
    readonly code: DiscoveryErrorCode,
    message: string,
  ) {
    super(message);
    this.retryable = code !== 'Unusable';
  }
}
