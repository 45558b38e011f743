/** What a controller was used for against its contract. Closed: switch over it. */
export type ControllerErrorCode =
  /** Started a second time. Make another one instead: each runs once. */
  | 'AlreadyStarted'
  /** Started after it was stopped, or stopped while it started. */
  | 'Stopped'
  /** One action of a key led to the next without an end. */
  | 'NotSettled'
  /** What was to be written is gone. The run of its key ends: the watch is about to bring that. */
  | 'ObjectGone'
  /** A status was written, and the answer has it otherwise: the key fails, so that it is written again ever less often. */
  | 'StatusUndone';

const texts: Readonly<Record<ControllerErrorCode, string>> = {
  AlreadyStarted: 'was started already',
  Stopped: 'was stopped',
  NotSettled:
    'takes one action after the other for a key without an end: either an action does not change what is observed, or another controller undoes it',
  ObjectGone: 'cannot write an object that is gone',
  StatusUndone: 'has written a status that did not stay: the API server answers with another one',
};

/** The one error of this package. A retry helps only after `NotSettled` and `StatusUndone`. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError';

  constructor(
    readonly code: ControllerErrorCode,
    controller: string,
  ) {
    super(`controller ${controller} ${texts[code]}`);
  }
}
