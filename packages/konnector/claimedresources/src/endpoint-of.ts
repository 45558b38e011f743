import type { Action } from './decision.js';

/** Endpoint that answers a step: after one success, other steps of the same text may succeed. */
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
