/** How a controller's contract was broken. Closed: switch over it. */
export type ControllerErrorCode =
  /** Started twice. Each controller runs once: create another one. */
  | 'AlreadyStarted'
  /** Started after it was stopped, or stopped while it started. */
  | 'Stopped'
  /** The actions of a key follow each other without end. */
  | 'NotSettled'
  /** The object to write is gone. Ends the run of its key; the watch will deliver the deletion. */
  | 'ObjectGone'
  /** The answer to a status write lacks what was written. The key fails, and the write is retried with back-off. */
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
