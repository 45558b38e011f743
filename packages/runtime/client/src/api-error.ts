import type { Status } from './object.js';

/** Why a request failed. Closed: switch over it. */
export type ApiErrorCode =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'Conflict'
  | 'AlreadyExists'
  | 'Expired'
  | 'TooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'Unavailable'
  | 'ServerTimeout'
  /** Any other answer of the server. */
  | 'Unknown'
  /** No answer: connection refused, reset, TLS failure. */
  | 'Unreachable'
  /** No answer in time. */
  | 'Timeout'
  /** The caller's signal, or the write guard, ended it. */
  | 'Aborted'
  /** The answer was not what a Kubernetes API sends. */
  | 'Malformed';

/** Names a request in errors and logs. Contains no credential and no content of an object. */
export interface RequestDescription {
  readonly cluster: string;
  readonly verb: string;
  /** `databases.example.com`, with `/status` for a subresource. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The one error of this package. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    readonly request: RequestDescription,
    readonly details: {
      readonly httpStatus?: number | undefined;
      /** The server's own Status, if it sent one. */
      readonly status?: Status | undefined;
      /** The server asked to wait this long. */
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
  }

  get httpStatus(): number | undefined {
    return this.details.httpStatus;
  }

  get status(): Status | undefined {
    return this.details.status;
  }

  get retryAfterMs(): number | undefined {
    return this.details.retryAfterMs;
  }

  /**
   * Whether the same request can succeed later without a change by the caller: true for overload, conflicts, timeouts
   * and lost connections.
   */
  get retryable(): boolean {
    switch (this.code) {
      case 'Conflict':
      case 'Expired':
      case 'TooManyRequests':
      case 'InternalError':
      case 'Unavailable':
      case 'ServerTimeout':
      case 'Unreachable':
      case 'Timeout':
      case 'Malformed':
        return true;
      case 'BadRequest':
      case 'Unauthorized':
      case 'Forbidden':
      case 'NotFound':
      case 'MethodNotAllowed':
      case 'AlreadyExists':
      case 'TooLarge':
      case 'UnsupportedMediaType':
      case 'Invalid':
      case 'Unknown':
      case 'Aborted':
        return false;
    }
  }
}

/** Whether `error` is an ApiError, of one of `codes` if any are given. */
export function isApiError(error: unknown, ...codes: readonly ApiErrorCode[]): error is ApiError {
  return error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));
}

export const isNotFound = (error: unknown): error is ApiError => isApiError(error, 'NotFound');
export const isConflict = (error: unknown): error is ApiError => isApiError(error, 'Conflict');
export const isAlreadyExists = (error: unknown): error is ApiError => isApiError(error, 'AlreadyExists');
export const isForbidden = (error: unknown): error is ApiError => isApiError(error, 'Forbidden');
export const isInvalid = (error: unknown): error is ApiError => isApiError(error, 'Invalid');

/**
 * Whether the server understood the request and refused it. Report a refusal, and retry it rarely. `NotFound` is no
 * refusal: the object may still come.
 */
export const isRefusal = (error: unknown): error is ApiError =>
  isApiError(error) && error.status !== undefined && !error.retryable && error.code !== 'NotFound';
