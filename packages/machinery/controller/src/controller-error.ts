/** What a controller was used for against its contract. Closed: switch over it. */
export type ControllerErrorCode =
  /** Started a second time. Make another one instead: each runs once. */
  | 'AlreadyStarted'
  /** Started after it was stopped, or stopped while it started. */
  | 'Stopped';

/** The one error of this package. A retry does not help. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError';

  constructor(readonly code: ControllerErrorCode, controller: string) {
    super(code === 'Stopped' ? `controller ${controller} was stopped` : `controller ${controller} was started already`);
  }
}
