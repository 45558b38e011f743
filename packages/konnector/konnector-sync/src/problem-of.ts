import { failureKind, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import { MAX_DEPTH, isTooDeep } from '@hawser/json';

import type { Action, Decision } from './decision.js';
import { isDenied, refusalProblem, refusedRequest, unservedProblem } from './refused-right.js';
import { held } from './verdicts.js';
import { REWRITTEN_HASH, SYNCER_FINALIZER } from './marks.js';

/**
 * A change of the provider's schema that this consumer lacks: the provider's API server validates with it, the
 * consumer's does not.
 */
export interface HeldSchema {
  /** Who holds it: the provider on the export, or the konnector by the policy of the binding. */
  readonly by: 'provider' | 'binding';
  /** Reason of the condition `SchemaUpdateHeld`. */
  readonly reason: string;
  readonly message: string;
}

/** Longest quote of the held change, in characters. */
const MAX_QUOTED = 400;

/** Explains a failed write to a person: the server's words, and who must act. Undefined for transient failures. */
export function problemOf(
  error: unknown,
  action: Action,
  finalizer = SYNCER_FINALIZER,
  held?: HeldSchema,
): Problem | undefined {
  if (!isApiError(error)) return undefined;
  const side = sideOf(action);
  const serverMessage = error.status?.message ?? error.message;
  switch (failureKind(error.code)) {
    case 'content':
      // A webhook or policy has its own rules, and a size limit does not depend on the schema.
      if (side === 'provider' && held !== undefined && error.code === 'Invalid' && !isDenied(serverMessage))
        return heldSchemaProblem(serverMessage, held);
      if (side === 'provider')
        return {
          reason: 'RejectedByProvider',
          message: `The provider refuses this object: ${serverMessage}. Change the object so that the provider accepts it.`,
          actor: 'consumer',
        };
      return action.type !== 'writeStatus'
        ? {
            reason: 'RejectedOnConsumer',
            message: `The consumer's API server refuses ${writtenBy(action, finalizer)}: ${serverMessage}. The operator has to let the konnector write that, as by an exception in the admission webhook or policy that the message names.`,
            actor: 'operator',
          }
        : {
            reason: 'StatusRejected',
            message: `The consumer's API server refuses what the provider reports: ${serverMessage}. The schema of the bound API has to be updated.`,
            actor: 'provider',
          };
    case 'rights':
      return refusalProblem(error, side, {
        consequence:
          action.type === 'writeStatus'
            ? 'The status does not arrive until then.'
            : 'The object is not synced until then.',
        chart: 'boundResources',
      });
    case 'unserved':
      return unservedProblem(error, side);
    case 'passing':
      return undefined;
  }
}

function heldSchemaProblem(
  serverMessage: string,
  { by, reason, message }: HeldSchema,
): Problem & { readonly reason: 'SchemaChangeHeld' } {
  const quoted = message.length > MAX_QUOTED ? `${message.slice(0, MAX_QUOTED - 1)}…` : message;
  const remedy =
    by === 'provider'
      ? 'The provider must let the change through, or take it back.'
      : 'The operator must approve the change on the APIServiceBinding, or have the provider take it back.';
  return {
    reason: 'SchemaChangeHeld',
    message: `The provider refuses this object: ${serverMessage}. The provider has changed the schema, and the change is held, so the CRD here does not have it. ${remedy} Until then only objects that fit both schemas are synced. The held change (${reason}): ${quoted}`,
    actor: by === 'provider' ? 'provider' : 'operator',
  };
}

/**
 * Explains a step that was repeated several times and is needed again. `by`: the last other field manager. Undefined:
 * the answer to the write already lacked the content, so an admission of the cluster removes it.
 */
export function undoneProblem(
  action: Action,
  by: string | undefined,
  finalizer = SYNCER_FINALIZER,
): Problem & { readonly reason: 'WritesUndone' } {
  const side = sideOf(action);
  const culprit =
    by === undefined
      ? `an admission webhook or policy of the ${side}`
      : by === ''
        ? `another client of the ${side}`
        : `"${by}" (the field manager that wrote last)`;
  const remedy = by === undefined ? 'let that pass for the konnector' : 'have it leave that alone';
  const actor = side === 'provider' ? 'provider' : 'operator';
  const message = `On the ${side}, ${writtenBy(action, finalizer)} does not stay as written: ${culprit} undoes it.${consequenceOf(action)} The ${actor} has to ${remedy}. It is written again by itself, ever less often.`;
  return { reason: 'WritesUndone', message, actor };
}

/** Explains steps that follow each other without end. */
export function stalledProblem(action: Action): Problem & { readonly reason: 'NoProgress' } {
  const side = sideOf(action);
  return {
    reason: 'NoProgress',
    message: `This object gets no further: step ${action.type} on the ${side} was taken again and again, and nothing comes of it. The operator has to see what the log of the konnector says about it. It is tried again by itself, ever less often.`,
    actor: 'operator',
  };
}

function writtenBy(action: Action, finalizer: string): string {
  switch (action.type) {
    case 'addFinalizer':
      return `finalizer "${finalizer}" on this object`;
    case 'removeFinalizer':
      return `the removal of finalizer "${finalizer}" from this object`;
    case 'createConsumerObject':
      return 'this object, which was made on the provider,';
    case 'recordCopy':
    case 'recordRoute':
      return `what the konnector notes on this object (${Object.keys(action.annotations).join(', ')})`;
    case 'recordRewritten':
      return `what the konnector notes on the copy (annotation ${REWRITTEN_HASH})`;
    case 'createCopy':
      return 'the copy of this object';
    case 'deleteCopy':
      return 'the deletion of the copy';
    case 'writeStatus':
      return 'the status that the provider reports';
    case 'patchCopy':
      return 'the content of the copy';
    case 'requestNamespace':
    case 'shareNamespace':
    case 'inspectCopy':
    case 'inspectMaker':
    case 'nameWriters':
    case 'confirmGone':
    case 'proveDeletion':
    case 'confirmDeletion':
    case 'proveGone':
      return 'this object';
  }
}

function consequenceOf({ type }: Action): string {
  if (type === 'addFinalizer' || type === 'recordRoute')
    return ' No copy is made, and no deletion passed on, without it.';
  return type === 'removeFinalizer' ? ' This object cannot go before that.' : '';
}

/**
 * Explains a transient failure that lasts. Undefined if the whole server is out of order: the connection's conditions
 * report that.
 */
export function lastingProblemOf(
  error: unknown,
  side: 'consumer' | 'provider',
): (Problem & { readonly reason: 'KeepsFailing'; readonly actor: 'provider' | 'operator' }) | undefined {
  if (!isApiError(error, 'InternalError', 'Conflict', 'AlreadyExists', 'Expired', 'Malformed')) return undefined;
  return {
    reason: 'KeepsFailing',
    message: `${refusedRequest(error, side)} It is tried again by itself, ever less often.`,
    actor: side === 'provider' ? 'provider' : 'operator',
  };
}

/** Looks at an object that fail in a row, without an error of a server, before a report. */
const LOOKS_BEFORE_TELLING = 3;

/**
 * Explains that an object cannot be handled. Undefined for answers of servers, reported otherwise, and for what may
 * pass. Omits the error's text: it may quote the object, which may be a Secret.
 */
export function unhandledProblem(
  error: unknown,
  failures: number,
): (Problem & { readonly reason: 'TooDeep' | 'NotHandled'; readonly actor: 'consumer' | 'operator' }) | undefined {
  if (isTooDeep(error)) {
    return {
      reason: 'TooDeep',
      message: `This object or its copy is nested deeper than ${MAX_DEPTH} levels. It is not synced, and stays as it is. Nest it less deeply.`,
      actor: 'consumer',
    };
  }
  if (failures < LOOKS_BEFORE_TELLING || isApiError(error) || (error instanceof Error && isApiError(error.cause)))
    return undefined;
  return {
    reason: 'NotHandled',
    message: `Hawser cannot handle this object (${error instanceof Error ? error.name : typeof error}). It stays as it is, and is tried again ever less often. The operator finds the error in the log of Hawser, and should report it.`,
    actor: 'operator',
  };
}

/**
 * A decision for people to read. An object whose decision throws counts as held, so the other objects are shown as
 * well.
 */
export function decidedOrHeld(decide: () => Decision): Decision {
  try {
    return decide();
  } catch (error) {
    const problem = unhandledProblem(error, Infinity);
    if (problem === undefined) throw error;
    return held(problem.reason, problem.message, problem.actor);
  }
}

/** The side that an action writes or reads. */
export function sideOf(action: Action): 'consumer' | 'provider' {
  switch (action.type) {
    case 'addFinalizer':
    case 'removeFinalizer':
    case 'createConsumerObject':
    case 'proveDeletion':
    case 'confirmDeletion':
    case 'proveGone':
    case 'writeStatus':
    case 'recordCopy':
    case 'recordRoute':
      return 'consumer';
    case 'requestNamespace':
    case 'shareNamespace':
    case 'createCopy':
    case 'inspectCopy':
    case 'inspectMaker':
    case 'patchCopy':
    case 'nameWriters':
    case 'recordRewritten':
    case 'deleteCopy':
    case 'confirmGone':
      return 'provider';
  }
}
