import { isApiError } from './api-error.js';

/** The answer is not what a Kubernetes API sends. The message never quotes it. */
export class MalformedError extends Error {
  override readonly name: string = 'MalformedError';
}

/** The answer is longer than was asked for; it was given up, and the rest was not read. */
export class AnswerTooLongError extends MalformedError {
  override readonly name = 'AnswerTooLongError';

  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
  }
}

/** Whether a request failed because its answer is longer than was to be read: then a smaller page may fit. */
export function isAnswerTooLong(error: unknown): boolean {
  return isApiError(error, 'Malformed') && error.cause instanceof AnswerTooLongError;
}
