/** Why a term of leadership ended, or an elector refused. Closed: switch over it. */
export type LeaseErrorCode =
  /** The lease could not be renewed in time: the API server did not answer, or the event loop was blocked. */
  | 'RenewDeadlinePassed'
  /** Another process holds the lease. */
  | 'LeaseLost'
  /** The elector was stopped. */
  | 'Stopped'
  /** The leader's work ended by itself. */
  | 'WorkEnded'
  /** `run` was called while it runs. */
  | 'AlreadyRunning'
  /** Incompatible durations. */
  | 'InvalidOptions';

/** The one error of this package. Never retry: the elector campaigns again by itself. */
export class LeaseError extends Error {
  override readonly name = 'LeaseError';

  constructor(
    readonly code: LeaseErrorCode,
    message: string,
  ) {
    super(message);
  }
}
