import { createHash } from 'node:crypto';

import { canonical } from '@hawser/json';

import type { Action } from './decision.js';

/** The same text for the same step with the same content. */
export function stepText(action: Action): string {
  if (action.type === 'createCopy' || action.type === 'patchCopy') return `${action.type}/${action.wantedHash}`;
  if (action.type !== 'writeStatus') return action.type;
  return `${action.type}/${createHash('sha256').update(canonical(action.copy['status'] ?? null)).digest('hex')}`;
}
