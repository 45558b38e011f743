import { isApiError } from './api-error.js';

/** The answer is not what a Kubernetes API sends. The message never quotes it. */
export class MalformedError extends Error {
  override readonly name: string = 'MalformedError';
}

/** The answer is longer than the limit; the rest was not read. */
export class AnswerTooLongError extends MalformedError {
  override readonly name = 'AnswerTooLongError';

  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
  }
}

/** Whether a request failed because its answer was too long: a smaller page may fit. */
export function isAnswerTooLong(error: unknown): boolean {
  return isApiError(error, 'Malformed') && error.cause instanceof AnswerTooLongError;
}
