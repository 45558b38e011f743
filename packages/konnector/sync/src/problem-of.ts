import { type ApiError, isApiError } from '@hawser/client';

import type { Action } from './decision.js';
import type { Problem } from './problems.js';

/**
 * What a failed write means to a person: the server's words, and who must act. Undefined for failures that pass by themselves.
 */
export function problemOf(error: unknown, action: Action): Problem | undefined {
  if (!isApiError(error)) return undefined;
  const side = sideOf(action);
  const said = error.status?.message ?? error.message;
  switch (error.code) {
    case 'Invalid':
    case 'BadRequest':
    case 'TooLarge':
      return side === 'provider'
        ? { reason: 'RejectedByProvider', message: `The provider refuses this object: ${said}. Change the object so that the provider accepts it.`, actor: 'consumer' }
        : { reason: 'StatusRejected', message: `The consumer's API server refuses what the provider reports: ${said}. The schema of the bound API has to be updated.`, actor: 'provider' };
    case 'Forbidden':
    case 'Unauthorized':
      return {
        reason: side === 'provider' ? 'ForbiddenByProvider' : 'ForbiddenOnConsumer',
        message: `${describe(error, side)}: ${said}. ${side === 'provider' ? 'The provider has to grant the right, or raise the quota.' : 'Grant the konnector this right.'}`,
        actor: side === 'provider' ? 'provider' : 'operator',
      };
    case 'NotFound':
    case 'MethodNotAllowed':
    case 'UnsupportedMediaType':
    case 'Unknown':
      return { reason: side === 'provider' ? 'FailedOnProvider' : 'FailedOnConsumer', message: `${describe(error, side)}: ${said}.`, actor: side === 'provider' ? 'provider' : 'operator' };
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
      return undefined;
  }
}

function describe(error: ApiError, side: 'consumer' | 'provider'): string {
  const { verb, resource, namespace } = error.request;
  return `Cannot ${verb} ${resource}${namespace === undefined ? '' : ` in namespace "${namespace}"`} on the ${side}`;
}

/** On which side an action writes or reads. */
export function sideOf(action: Action): 'consumer' | 'provider' {
  switch (action.type) {
    case 'addFinalizer':
    case 'removeFinalizer':
    case 'proveDeletion':
    case 'writeStatus':
    case 'recordCopy':
      return 'consumer';
    case 'requestNamespace':
    case 'createCopy':
    case 'inspectCopy':
    case 'patchCopy':
    case 'recordRewritten':
    case 'deleteCopy':
    case 'confirmGone':
      return 'provider';
  }
}
