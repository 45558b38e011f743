import type { Action } from './decision.js';

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
