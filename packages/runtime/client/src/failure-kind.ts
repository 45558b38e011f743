import type { ApiErrorCode } from './api-error.js';

/** Classifies a failed request by the reaction it needs. */
export type FailureKind =
  /** The server understood the object and refuses its content. */
  | 'content'
  /** The user lacks the right. */
  | 'rights'
  /** The target does not exist, or does not support the request. */
  | 'unserved'
  /** No action is needed: it passes, or the caller knew an old state. */
  | 'passing';

/** Maps an error code to its kind. Everything that reports failures uses this one mapping. */
export function failureKind(code: ApiErrorCode): FailureKind {
  switch (code) {
    case 'Invalid':
    case 'BadRequest':
    case 'TooLarge':
      return 'content';
    case 'Forbidden':
    case 'Unauthorized':
      return 'rights';
    case 'NotFound':
    case 'MethodNotAllowed':
    case 'UnsupportedMediaType':
    case 'Unknown':
      return 'unserved';
    case 'AlreadyExists':
    case 'Conflict':
    case 'Expired':
    case 'TooManyRequests':
    case 'InternalError':
    case 'Unavailable':
    case 'ServerTimeout':
    case 'Unreachable':
    case 'Timeout':
    case 'Aborted':
    case 'Malformed':
      return 'passing';
  }
}
