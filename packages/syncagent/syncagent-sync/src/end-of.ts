import type { Action } from './decision.js';

/** The side of a pair that an action writes or reads. */
export function endOf(action: Action): 'source' | 'destination' {
  switch (action.type) {
    case 'addFinalizer':
    case 'releaseFinalizer':
    case 'confirmHolder':
    case 'writeStatusBack':
    case 'confirmDeletion':
      return 'source';
    case 'create':
    case 'adopt':
    case 'take':
    case 'confirmWritten':
    case 'confirmAgreement':
    case 'patch':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'delete':
    case 'forget':
    case 'writeStatusForward':
      return 'destination';
  }
}
