/**
 * `NotOurs`: the CRD has another group. `Incompatible`: a CRD of that name is installed with another kind or scope.
 * `NotEstablished`: the API server did not accept the CRD in time. `Failed`: a request failed, see `cause`.
 */
export type CRDInstallErrorCode = 'NotOurs' | 'Incompatible' | 'NotEstablished' | 'Failed';

/** Why a CRD could not be installed. */
export class CRDInstallError extends Error {
  override readonly name = 'CRDInstallError';

  constructor(
    readonly code: CRDInstallErrorCode,
    readonly crd: string,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`CRD ${crd}: ${message}`, options);
  }
}
