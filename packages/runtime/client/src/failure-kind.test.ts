import { expect, it } from '@jest/globals';

import { ApiError, type ApiErrorCode, failureKind } from './index.js';

const CODES: Readonly<Record<ApiErrorCode, ReturnType<typeof failureKind>>> = {
  Invalid: 'content',
  BadRequest: 'content',
  TooLarge: 'content',
  Forbidden: 'rights',
  Unauthorized: 'rights',
  NotFound: 'unserved',
  MethodNotAllowed: 'unserved',
  UnsupportedMediaType: 'unserved',
  Unknown: 'unserved',
  AlreadyExists: 'passing',
  Conflict: 'passing',
  Expired: 'passing',
  TooManyRequests: 'passing',
  InternalError: 'passing',
  Unavailable: 'passing',
  ServerTimeout: 'passing',
  Unreachable: 'passing',
  Timeout: 'passing',
  Aborted: 'passing',
  Malformed: 'passing',
};

it.each(Object.entries(CODES) as [ApiErrorCode, string][])(
  '%s is a matter of %s; nobody is sent for what a retry mends',
  (code, kind) => {
    expect(failureKind(code)).toBe(kind);
    const { retryable } = new ApiError(code, 'x', {
      cluster: 'provider',
      verb: 'get',
      resource: 'databases.example.com',
    });
    if (retryable) expect(failureKind(code)).toBe('passing');
  },
);
