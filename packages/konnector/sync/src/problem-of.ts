import { type ApiError, failureKind, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import type { Action } from './decision.js';

/**
 * What a failed write means to a person: the server's words, and who must act. Undefined for failures that pass by themselves.
 */
export function problemOf(error: unknown, action: Action): Problem | undefined {
  if (!isApiError(error)) return undefined;
  const side = sideOf(action);
  const said = error.status?.message ?? error.message;
  switch (failureKind(error.code)) {
    case 'content':
      return side === 'provider'
        ? { reason: 'RejectedByProvider', message: `The provider refuses this object: ${said}. Change the object so that the provider accepts it.`, actor: 'consumer' }
        : { reason: 'StatusRejected', message: `The consumer's API server refuses what the provider reports: ${said}. The schema of the bound API has to be updated.`, actor: 'provider' };
    case 'rights':
      return {
        reason: side === 'provider' ? 'ForbiddenByProvider' : 'ForbiddenOnConsumer',
        message: `${refusedRequest(error, side)} ${side === 'provider' ? 'The provider has to grant the right, or raise the quota.' : 'Grant the konnector this right.'}`,
        actor: side === 'provider' ? 'provider' : 'operator',
      };
    case 'unserved':
      return { reason: side === 'provider' ? 'FailedOnProvider' : 'FailedOnConsumer', message: refusedRequest(error, side), actor: side === 'provider' ? 'provider' : 'operator' };
    case 'passing':
      return undefined;
  }
}

/**
 * The same for a failure that was expected to pass and has not: undefined where the server as a whole is out of order, which the connection's conditions tell.
 */
export function lastingProblemOf(error: unknown, side: 'consumer' | 'provider'): (Problem & { readonly reason: 'KeepsFailing'; readonly actor: 'provider' | 'operator' }) | undefined {
  if (!isApiError(error, 'InternalError', 'Conflict', 'AlreadyExists', 'Expired', 'Malformed')) return undefined;
  return { reason: 'KeepsFailing', message: `${refusedRequest(error, side)} It is tried again by itself, ever less often.`, actor: side === 'provider' ? 'provider' : 'operator' };
}

/** The request that was refused, and the server's words. */
export function refusedRequest(error: ApiError, side: 'consumer' | 'provider'): string {
  return `${describe(error, side)}: ${error.status?.message ?? error.message}.`;
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
    case 'createConsumerObject':
    case 'proveDeletion':
    case 'proveGone':
    case 'writeStatus':
    case 'recordCopy':
      return 'consumer';
    case 'requestNamespace':
    case 'createCopy':
    case 'inspectCopy':
    case 'patchCopy':
    case 'nameWriters':
    case 'recordRewritten':
    case 'deleteCopy':
    case 'confirmGone':
      return 'provider';
  }
}
