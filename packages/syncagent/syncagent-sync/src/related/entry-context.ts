import type { FunctionMap } from '@hawser/gotemplate';
import type { Findings } from '../compilation.js';
import type { RelatedOrigin } from '@hawser/syncagent-api';
import { RelatedError, type RelatedErrorCode } from './related-error.js';
import type { PrimaryPair } from './primary-pair.js';

/** The entry being compiled. */
export interface EntryContext {
  readonly identifier: string;
  readonly origin: RelatedOrigin;
  /** Functions for templates. */
  readonly functions: FunctionMap;
  readonly findings: Findings;
}

export const relatedError = (
  { identifier }: EntryContext,
  code: RelatedErrorCode,
  field: string,
  reason: string,
  cause?: unknown,
): RelatedError => new RelatedError(code, identifier, field, reason, cause === undefined ? {} : { cause });

export const opposite = (side: RelatedOrigin): RelatedOrigin => (side === 'kcp' ? 'service' : 'kcp');

export const primaryOn = (primary: PrimaryPair, side: RelatedOrigin): PrimaryPair['kcp'] => primary[side];
