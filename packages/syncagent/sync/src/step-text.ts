import { createHash } from 'node:crypto';

import { canonical } from '@hawser/json';

import type { Action } from './decision.js';

/** The same text for the same step with the same content. */
export function stepText(action: Action): string {
  switch (action.type) {
    case 'create':
      return `create/${digest(action.object)}`;
    case 'patch':
      return `patch/${digest(action.patch)}`;
    case 'writeStatusBack':
    case 'writeStatusForward':
      return `${action.type}/${digest(action.status ?? null)}`;
    case 'addFinalizer':
    case 'releaseFinalizer':
    case 'adopt':
    case 'take':
    case 'confirmWritten':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'delete':
    case 'forget':
      return action.type;
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64');
}
