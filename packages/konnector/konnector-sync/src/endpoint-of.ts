import type { Action } from './decision.js';
import { sideOf } from './problem-of.js';

/** The endpoint that answers a step: if one step succeeds there, others of the same text may. */
export function endpointOf(action: Action): string {
  return `${sideOf(action)}/${kindOf(action)}`;
}

function kindOf({ type }: Action): 'write' | 'status' | 'read' | 'namespace' {
  switch (type) {
    case 'addFinalizer':
    case 'removeFinalizer':
    case 'createConsumerObject':
    case 'recordCopy':
    case 'recordRoute':
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
    case 'confirmDeletion':
    case 'proveGone':
    case 'inspectCopy':
    case 'inspectMaker':
    case 'nameWriters':
    case 'confirmGone':
      return 'read';
  }
}
