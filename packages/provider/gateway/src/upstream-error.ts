import type { ApiError } from '@hawser/client';
import { Refused, expired, noSuchPath, unavailable } from './refused.js';

/**
 * The consumer's answer for a failed request of the gateway itself. Reveals neither caller nor subject of that request.
 */
export function refusalOf(error: ApiError): Refused {
  switch (error.code) {
    case 'Expired':
      return expired('The provided version is too old, please list again.');
    case 'NotFound':
      return noSuchPath();
    case 'BadRequest':
    case 'Invalid':
      return new Refused(400, 'BadRequest', 'the server rejected the request');
    case 'TooManyRequests':
      return new Refused(429, 'TooManyRequests', 'the server is busy, please try again later', undefined, 1);
    case 'ServerTimeout':
      return new Refused(504, 'Timeout', 'the server did not answer in time, please try again', undefined, 1);
    case 'Unauthorized':
    case 'Forbidden':
      return unavailable('the gateway has no right to read this resource; the provider must grant it');
    case 'MethodNotAllowed':
    case 'Conflict':
    case 'AlreadyExists':
    case 'TooLarge':
    case 'UnsupportedMediaType':
    case 'InternalError':
    case 'Malformed':
    case 'Unknown':
    case 'Unavailable':
    case 'Unreachable':
    case 'Timeout':
    case 'Aborted':
      return unavailable('the API server cannot be reached, please try again');
  }
}
