import { versionOf } from '@hawser/client';
import type { Action } from './decision.js';

/** Text equal for equal steps with equal content. */
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
 * Text equal for steps repeated only if the first had no effect, or was undone. Undefined for repeatable steps, and for
 * `patchCopy`, whose repetitions are spaced as corrections.
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
