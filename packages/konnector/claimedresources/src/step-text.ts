import type { Action } from './decision.js';

/** The same text for the same step with the same content. */
export function stepText(action: Action): string {
  switch (action.type) {
    case 'createCopy':
    case 'patchCopy':
    case 'recordRewritten':
      return `${action.type}/${action.side}/${action.hash}`;
    case 'markOriginal':
    case 'deleteCopy':
    case 'proveGone':
      return `${action.type}/${action.side}`;
    case 'requestNamespace':
    case 'read':
      return action.type;
  }
}
