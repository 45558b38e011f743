import { type Client, isApiError } from '@hawser/client';
import { type Obstacle, missingRight } from '@hawser/controller';

import type { Action } from './decision.js';
import { sideOf } from './problem-of.js';

/**
 * What a step has failed at for no fault of its object, as far as that can be: a right that is missing, or an endpoint that answers 500, as where its webhook cannot be reached. A server that cannot be
 * reached is none: its connection notices when it can. What a server answers about the object (4xx) is the object's, and so is an answer that cannot be read.
 */
export function obstacleOf(error: unknown, action: Action, client: Client): Obstacle | undefined {
  return isApiError(error, 'InternalError') ? { id: endpointOf(action) } : missingRight(error, client);
}

/** What answers a step: where one is answered well, others of the same text may be. */
export function endpointOf(action: Action): string {
  return `${sideOf(action)}/${kindOf(action)}`;
}

function kindOf({ type }: Action): 'write' | 'status' | 'read' | 'namespace' {
  switch (type) {
    case 'addFinalizer':
    case 'removeFinalizer':
    case 'createConsumerObject':
    case 'recordCopy':
    case 'createCopy':
    case 'patchCopy':
    case 'recordRewritten':
    case 'deleteCopy':
      return 'write';
    case 'writeStatus':
      return 'status';
    case 'requestNamespace':
    case 'shareNamespace':
      return 'namespace';
    case 'proveDeletion':
    case 'proveGone':
    case 'inspectCopy':
    case 'inspectMaker':
    case 'nameWriters':
    case 'confirmGone':
      return 'read';
  }
}
