/**
 * Why a control plane is unavailable.
 *
 * - `binaries-unavailable`: no source had the programs; the message names each source and its answer.
 * - `start-failed`: a program ended or never became ready; the message has the end of its log.
 * - `command-failed`: a helper program (`kubectl`, `go`) failed.
 * - `request-failed`: the API server refused a request of the test environment itself.
 * - `timeout`: a condition was not met in time.
 * - `not-shared`: a shared control plane was requested outside a jest run with the global setup.
 */
export type TestenvErrorCode =
  'binaries-unavailable' | 'start-failed' | 'command-failed' | 'request-failed' | 'timeout' | 'not-shared';

/** The only error class of this package. */
export class TestenvError extends Error {
  override readonly name = 'TestenvError';
  readonly code: TestenvErrorCode;

  constructor(code: TestenvErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
