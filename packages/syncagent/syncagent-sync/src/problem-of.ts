import { type ApiError, failureKind, isApiError } from '@hawser/client';
import type { Actor, Problem } from '@hawser/controller';
import { MAX_DEPTH, isTooDeep } from '@hawser/json';

import type { Action } from './decision.js';
import { endOf } from './end-of.js';
import { CLEANUP_FINALIZER } from './marks.js';

export type SideName = 'kcp' | 'service';

/** The side of the pair on which an action failed. `origin`: the side of the source. */
export function sideOf(action: Action, origin: SideName): SideName {
  return endOf(action) === 'source' ? origin : origin === 'kcp' ? 'service' : 'kcp';
}

/** Explains a refused request to a person: the server's words, and who must act. Undefined for transient failures. */
export function problemOf(error: unknown, side: SideName, what: 'object' | 'status'): Problem | undefined {
  if (!isApiError(error)) return undefined;
  const message = serverMessage(error);
  if (side === 'kcp' && isLimit(error))
    return {
      reason: 'WorkspaceFull',
      message: `${refusedRequest(error, side)} Delete objects of this workspace that are not needed, or ask the operator of kcp for a higher limit. It is tried again by itself, ever less often.`,
      actor: 'consumer',
    };
  switch (failureKind(error.code)) {
    case 'content':
      return rejected(side, what, message);
    case 'rights':
      return side === 'service'
        ? {
            reason: 'ForbiddenOnServiceCluster',
            message: `${refusedRequest(error, side)} The provider has to grant this right, or raise the quota.`,
            actor: 'provider',
          }
        : {
            reason: 'ForbiddenInWorkspace',
            message: `${refusedRequest(error, side)} Accept the permission claims of the APIBinding in this workspace; if they are accepted, the agent lacks rights on the APIExport's content.`,
            actor: 'consumer',
          };
    case 'unserved':
      return {
        reason: side === 'service' ? 'FailedOnServiceCluster' : 'FailedInWorkspace',
        message: refusedRequest(error, side),
        actor: 'provider',
      };
    case 'passing':
      return undefined;
  }
}

/** Explains a transient failure that lasts. Undefined if the whole server is out of order. */
export function lastingProblemOf(error: unknown, side: SideName): Problem | undefined {
  if (!isApiError(error, 'InternalError', 'Conflict', 'AlreadyExists', 'Expired', 'Malformed', 'TooManyRequests'))
    return undefined;
  return {
    reason: 'KeepsFailing',
    message: `${refusedRequest(error, side)} It is tried again by itself, ever less often.`,
    actor: 'provider',
  };
}

/**
 * Explains a step that was repeated several times and is needed again. `atOnce`: the answer to the write already lacked
 * the content.
 */
export function undoneProblem(action: Action, side: SideName, atOnce: boolean): Problem {
  const where = side === 'service' ? 'On the service cluster' : 'In the workspace';
  const actor: Actor = side === 'service' ? 'provider' : 'consumer';
  const culprit = atOnce
    ? 'an admission webhook or policy undoes it'
    : 'another client, or an admission webhook or policy, undoes it';
  const consequence =
    action.type === 'addFinalizer'
      ? ' No copy is made without it.'
      : action.type === 'releaseFinalizer'
        ? ' This object cannot go before that.'
        : '';
  const message = `${where}, ${writtenBy(action)} does not stay as written: ${culprit}.${consequence} The ${actor} has to let the agent write that. It is written again by itself, ever less often.`;
  return { reason: 'WritesUndone', message, actor };
}

/** For the annotations on a primary that name its related objects. */
export function announcementUndone(): Problem {
  return {
    reason: 'WritesUndone',
    message:
      'In the workspace, the annotations that name the related objects of this object do not stay as written: an admission webhook or policy, or another client, undoes it. The consumer has to let the agent write that. It is written again by itself, ever less often.',
    actor: 'consumer',
  };
}

/** Explains steps that follow each other without end. */
export function stalledProblem(action: Action, side: SideName): Problem {
  const where = side === 'service' ? 'on the service cluster' : 'in the workspace';
  return {
    reason: 'NoProgress',
    message: `This object gets no further: step ${action.type} ${where} was taken again and again, and nothing comes of it. The operator has to see what the log of the agent says about it. It is tried again by itself, ever less often.`,
    actor: 'operator',
  };
}

function writtenBy(action: Action): string {
  switch (action.type) {
    case 'addFinalizer':
      return `finalizer "${CLEANUP_FINALIZER}" on this object`;
    case 'releaseFinalizer':
      return `the removal of finalizer "${CLEANUP_FINALIZER}" from this object`;
    case 'create':
    case 'adopt':
      return 'the copy of this object';
    case 'delete':
      return 'the deletion of the copy';
    case 'writeStatusBack':
    case 'writeStatusForward':
      return 'the status';
    case 'patch':
      return 'the content of the copy';
    case 'take':
    case 'confirmHolder':
    case 'confirmWritten':
    case 'confirmAgreement':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'confirmDeletion':
    case 'forget':
      return 'this object';
  }
}

/** Looks at an object that fail in a row, without an error of a server, before a report. */
const LOOKS_BEFORE_REPORT = 3;

/**
 * Explains that an object cannot be handled. Undefined for answers of servers, reported otherwise, and for what may
 * pass. Omits the error's text: it may quote the object, which may be a Secret.
 */
export function unhandledProblem(error: unknown, failures: number): Problem | undefined {
  if (isTooDeep(error)) {
    return {
      reason: 'TooDeep',
      message: `This object, its copy or a related object is nested deeper than ${MAX_DEPTH} levels. It is not synced, and stays as it is. Nest it less deeply.`,
      actor: 'consumer',
    };
  }
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (failures < LOOKS_BEFORE_REPORT || isApiError(error) || isApiError(cause)) return undefined;
  return {
    reason: 'NotHandled',
    message: `The agent cannot handle this object (${cause instanceof Error ? cause.name : typeof cause}). It stays as it is, and is tried again ever less often. The operator finds the error in the log of the agent, and should report it.`,
    actor: 'operator',
  };
}

/**
 * Beginnings of API servers' messages about exhausted limits: a ResourceQuota, and the number of objects of a workspace
 * (kcp after 0.32.3). Neither has a reason of its own.
 */
const LIMITS = ['exceeded quota: ', 'has reached its total object count limit'];

function isLimit(error: ApiError): boolean {
  const message = serverMessage(error);
  return isApiError(error, 'Forbidden', 'TooManyRequests') && LIMITS.some((limit) => message.includes(limit));
}

/** Longest quote of a server's message, in characters: it may quote the whole object. */
const MAX_MESSAGE_LENGTH = 1_000;

function serverMessage(error: ApiError): string {
  const message = error.status?.message ?? error.message;
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : message;
}

/** Describes the refused request, with the server's words. */
export function refusedRequest(error: ApiError, side: SideName): string {
  const { verb, resource, namespace } = error.request;
  const where = side === 'service' ? 'on the service cluster' : 'in the workspace';
  return `Cannot ${verb} ${resource}${namespace === undefined ? '' : ` in namespace "${namespace}"`} ${where}: ${serverMessage(error)}.`;
}

function rejected(side: SideName, what: 'object' | 'status', message: string): Problem {
  const by: Readonly<Record<SideName, string>> = { service: 'The service cluster', kcp: 'kcp' };
  const actor: Actor = side === 'service' && what === 'object' ? 'consumer' : 'provider';
  const remedy =
    actor === 'consumer'
      ? 'Change the object so that it is accepted.'
      : 'The published schema, or what is written there, has to be corrected.';
  return {
    reason: side === 'service' ? 'RejectedByServiceCluster' : 'RejectedByWorkspace',
    message: `${by[side]} refuses ${what === 'status' ? 'the status' : 'this object'}: ${message}. ${remedy}`,
    actor,
  };
}
