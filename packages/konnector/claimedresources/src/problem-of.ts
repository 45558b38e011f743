import { type ApiError, failureKind, isApiError } from '@hawser/client';
import {
  type RefusalProblem,
  refusalProblem,
  refusingSide,
  rejectedProblem,
  undoneStepProblem,
  unservedProblem,
} from '@hawser/konnector-sync';

import type { Action } from './decision.js';
import type { ClaimedObjectProblem } from './verdict.js';
import type { Side } from './marks.js';

/** Describes a failed step for a person. Undefined for failures that pass by themselves. */
export function problemOf(error: unknown, action: Action): ClaimedObjectProblem | undefined {
  if (!isApiError(error)) return undefined;
  const side = refusingSide(error);
  switch (failureKind(error.code)) {
    case 'content':
      return rejectedProblem(error, side, 'The object has to be changed, or whatever refuses it.');
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
      return unservedProblem(error, side);
    case 'passing':
      return undefined;
  }
}

/** Describes a step taken several times in a row and needed again. */
export function undoneProblem(action: Action): ClaimedObjectProblem {
  const what =
    action.type === 'markOriginal'
      ? 'what the konnector notes on the original'
      : action.type === 'recordRewritten'
        ? 'what the konnector notes on the copy'
        : action.type === 'deleteCopy'
          ? 'the deletion of the copy'
          : 'what the konnector writes';
  return undoneStepProblem('side' in action ? action.side : 'provider', what);
}

/** Describes a refusal for claimed objects. `more`: further namespaces refused alike. */
export function refusedClaim(error: ApiError, side: Side, more = 0): RefusalProblem {
  return refusalProblem(error, side, {
    consequence: 'Claimed objects are not synced there until then.',
    more,
    chart: 'claimedResources',
  });
}
