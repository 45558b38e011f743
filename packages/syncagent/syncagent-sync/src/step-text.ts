import { createHash } from 'node:crypto';

import { canonical } from '@hawser/json';

import type { Action } from './decision.js';

/** Equal for the same step with the same content. */
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
    case 'confirmHolder':
    case 'confirmWritten':
    case 'confirmAgreement':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'confirmDeletion':
    case 'delete':
    case 'forget':
      return action.type;
  }
}

/**
 * Equal for a step that repeats only if the first had no effect, or was undone. Undefined for steps that may repeat:
 * reads, content kept at another place or changing to and fro, and steps spaced as corrections of marks or status.
 */
export function effortOf(action: Action): string | undefined {
  switch (action.type) {
    case 'addFinalizer':
    case 'releaseFinalizer':
      return `${action.type}/${action.source.metadata.uid ?? ''}`;
    case 'create':
      return stepText(action);
    case 'adopt':
    case 'delete':
      return `${action.type}/${action.destination.metadata.uid ?? ''}`;
    case 'writeStatusForward':
      return `${action.type}/${action.destination.metadata.uid ?? ''}/${action.from.metadata.uid ?? ''}/${action.from.metadata.resourceVersion ?? ''}`;
    case 'patch':
    case 'writeStatusBack':
    case 'take':
    case 'confirmHolder':
    case 'confirmWritten':
    case 'confirmAgreement':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'confirmDeletion':
    case 'forget':
      return undefined;
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64');
}
