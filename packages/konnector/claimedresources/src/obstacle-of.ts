import { type Client, isApiError } from '@hawser/client';
import { type Obstacle, missingRight } from '@hawser/controller';

import type { Action } from './decision.js';

/** What a step has failed at for no fault of its object, as far as that can be: a right that is missing, or an endpoint that answers 500, as where its webhook cannot be reached. */
export function obstacleOf(error: unknown, action: Action, client: Client): Obstacle | undefined {
  return isApiError(error, 'InternalError') ? { id: endpointOf(action) } : missingRight(error, client);
}

/** What answers a step: where one is answered well, others of the same text may be. */
export function endpointOf(action: Action): string {
  switch (action.type) {
    case 'requestNamespace':
    case 'shareNamespace':
      return 'provider/namespace';
    case 'read':
      return `${action.sides.join('+')}/read`;
    case 'proveGone':
      return `${action.side}/read`;
    case 'markOriginal':
    case 'createCopy':
    case 'patchCopy':
    case 'recordRewritten':
    case 'deleteCopy':
      return `${action.side}/write`;
  }
}
