import { versionOf } from '@hawser/client';
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
    case 'shareNamespace':
    case 'read':
      return action.type;
  }
}

/**
 * The same text for a step that is taken a second time only if the first had no effect, or was undone. Undefined for those that may be repeated, and for `patchCopy`, whose repetitions are
 * spaced as corrections.
 */
export function effortOf(action: Action): string | undefined {
  switch (action.type) {
    case 'createCopy':
      return `${action.type}/${action.side}/${action.from}`;
    case 'markOriginal':
      return `${action.type}/${action.side}/${action.original.metadata.uid ?? ''}`;
    case 'deleteCopy':
      return `${action.type}/${action.side}/${action.copy.metadata.uid ?? ''}`;
    case 'recordRewritten':
      return `${action.type}/${action.side}/${action.hash}/${versionOf(action.copy)}`;
    case 'shareNamespace':
      return `${action.type}/${action.consumerNamespace}/${action.binding}`;
    case 'patchCopy':
    case 'proveGone':
    case 'requestNamespace':
    case 'read':
      return undefined;
  }
}
