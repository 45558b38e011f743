import { type ApiError, failureKind, isApiError } from '@hawser/client';
import { type RefusalProblem, refusalProblem, refusedRequest } from '@hawser/konnector-sync';

import type { Action } from './decision.js';
import type { ClaimedObjectProblem } from './verdict.js';
import type { Side } from './marks.js';

/** What a failed step means to a person. Undefined for failures that pass by themselves. */
export function problemOf(error: unknown, action: Action): ClaimedObjectProblem | undefined {
  if (!isApiError(error)) return undefined;
  const side = refusingSide(error);
  const actor = side === 'provider' ? 'provider' : 'operator';
  switch (failureKind(error.code)) {
    case 'content':
      return {
        reason: side === 'provider' ? 'RejectedByProvider' : 'RejectedByConsumer',
        message: `${refusedRequest(error, side)} The object has to be changed, or whatever refuses it.`,
        actor: side,
      };
    case 'rights':
      return refusedClaim(error, side);
    case 'unserved':
      if (error.code === 'NotFound' && side === 'consumer' && action.type === 'createCopy') {
        return {
          reason: 'ConsumerNamespaceMissing',
          message: `The provider has an object for namespace "${action.copy.metadata.namespace ?? ''}", which does not exist on the consumer. Create the Namespace.`,
          actor: 'consumer',
        };
      }
      return {
        reason: side === 'provider' ? 'FailedOnProvider' : 'FailedOnConsumer',
        message: refusedRequest(error, side),
        actor,
      };
    case 'passing':
      return undefined;
  }
}

/** What it means that a step was taken several times in a row, and is wanted again. */
export function undoneProblem(action: Action): ClaimedObjectProblem {
  const side = 'side' in action ? action.side : 'provider';
  const actor = side === 'provider' ? 'provider' : 'operator';
  const what =
    action.type === 'markOriginal'
      ? 'what the konnector notes on the original'
      : action.type === 'recordRewritten'
        ? 'what the konnector notes on the copy'
        : action.type === 'deleteCopy'
          ? 'the deletion of the copy'
          : 'what the konnector writes';
  return {
    reason: 'WritesUndone',
    message: `On the ${side}, ${what} does not stay as written: an admission webhook or policy, or another client, undoes it. The ${actor} has to have it leave that alone. It is written again by itself, ever less often.`,
    actor,
  };
}

/** On which side something was refused. */
export function refusingSide(error: unknown): Side {
  return isApiError(error) && error.request.cluster === 'provider' ? 'provider' : 'consumer';
}

/** What a refusal means for claimed objects. `more`: namespaces that are refused alike. */
export function refusedClaim(error: ApiError, side: Side, more = 0): RefusalProblem {
  return refusalProblem(error, side, {
    consequence: 'Claimed objects are not synced there until then.',
    more,
    chart: 'claimedResources',
  });
}
