import { type ApiError, failureKind, isApiError, versionOf } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import {
  refusalProblem,
  refusingSide,
  rejectedProblem,
  undoneStepProblem,
  unservedProblem,
} from '@hawser/konnector-sync';
import { type Action } from './decision.js';
import type { Side } from './rules.js';

/** Explains a failed step. Undefined for failures that pass by themselves. */
export function problemOf(error: unknown): Problem | undefined {
  if (!isApiError(error)) return undefined;
  const side = refusingSide(error);
  switch (failureKind(error.code)) {
    case 'content':
      return rejectedProblem(error, side, 'Change the original, or what refuses the copy.');
    case 'rights':
      return refused(error, side);
    case 'unserved':
      return unservedProblem(error, side);
    case 'passing':
      return undefined;
  }
}

export function refused(error: ApiError, side: Side): Problem {
  return refusalProblem(error, side, {
    consequence: 'Related objects are not synced there until then.',
    chart: 'claimedResources',
  });
}

/** Reports a step that was taken several times in a row and is needed again. */
export function undoneProblem(action: Action): Problem {
  const what = action.type === 'deleteCopy' ? 'the deletion of the copy' : 'what the konnector writes';
  return undoneStepProblem('side' in action ? action.side : 'provider', what);
}

/** The same text for the same step with the same content. */
export function stepText(action: Action): string {
  switch (action.type) {
    case 'createCopy':
    case 'patchCopy':
      return `${action.type}/${action.side}/${action.hash}`;
    case 'prove':
    case 'deleteCopy':
      return `${action.type}/${action.side}`;
    case 'read':
      return action.type;
  }
}

/**
 * The same text for a step that repeats only if the first had no effect or was undone. Repeated patches are spaced as
 * corrections.
 */
export function effortOf(action: Action): string | undefined {
  switch (action.type) {
    case 'createCopy':
      return `${action.type}/${action.side}/${action.from}`;
    case 'deleteCopy':
      return `${action.type}/${action.side}/${versionOf(action.copy)}`;
    case 'patchCopy':
    case 'prove':
    case 'read':
      return undefined;
  }
}

/** The endpoint that a step calls: a side, and read or write. */
export function endpointOf(action: Action): string {
  return action.type === 'read' ? 'read' : `${action.side}/${action.type === 'prove' ? 'read' : 'write'}`;
}
