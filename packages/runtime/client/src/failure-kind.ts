import type { ApiErrorCode } from './api-error.js';

/** What a failed request says about what has to happen. */
export type FailureKind =
  /** The server understood the object and does not take it. */
  | 'content'
  /** Whoever asks may not. */
  | 'rights'
  /** What was asked for is not there, or not to be had in this way. */
  | 'unserved'
  /** Nobody has to do anything: it passes, or is a matter of what was known. */
  | 'passing';

/** One reading of the codes for everybody who tells people about failures. */
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
