import { createHash } from 'node:crypto';

import { versionOf } from '@hawser/client';
import { canonical } from '@hawser/json';

import type { Action } from './decision.js';
import { ADOPTED_FROM, CONSUMER_UID } from './marks.js';

/** Equal for the same step with the same content. */
export function stepText(action: Action): string {
  if (action.type === 'createCopy' || action.type === 'patchCopy') return `${action.type}/${action.wantedHash}`;
  if (action.type !== 'writeStatus') return action.type;
  return `${action.type}/${createHash('sha256')
    .update(canonical(action.copy['status'] ?? null))
    .digest('hex')}`;
}

/**
 * Equal for a step that repeats only if the first had no effect, or was undone. Undefined for steps that may repeat,
 * and for `patchCopy`, whose repetitions are spaced as corrections.
 */
export function effortOf(action: Action): string | undefined {
  switch (action.type) {
    case 'shareNamespace':
      return `${action.type}/${action.consumerNamespace}`;
    case 'addFinalizer':
    case 'removeFinalizer':
      return `${action.type}/${action.consumer.metadata.uid ?? ''}`;
    case 'recordCopy':
    case 'recordRoute':
      return `${action.type}/${action.consumer.metadata.uid ?? ''}/${Object.values(action.annotations).join('/')}`;
    case 'createConsumerObject':
      return `${action.type}/${action.object.metadata.annotations?.[ADOPTED_FROM] ?? ''}`;
    case 'createCopy':
      return `${action.type}/${action.wantedHash}/${action.object.metadata.annotations?.[CONSUMER_UID] ?? ''}`;
    case 'recordRewritten':
      return `${action.type}/${action.wantedHash}/${versionOf(action.copy)}`;
    case 'deleteCopy':
      return `${action.type}/${action.copy.metadata.uid ?? ''}`;
    case 'writeStatus':
      return `${action.type}/${action.consumer.metadata.uid ?? ''}/${versionOf(action.copy)}`;
    case 'requestNamespace':
    case 'inspectCopy':
    case 'inspectMaker':
    case 'patchCopy':
    case 'nameWriters':
    case 'confirmGone':
    case 'proveDeletion':
    case 'confirmDeletion':
    case 'proveGone':
      return undefined;
  }
}
