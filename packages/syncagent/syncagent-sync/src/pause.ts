import { type PublishedResource, hawserAnnotations } from '@hawser/syncagent-api';

import { describe } from './keys.js';
import type { Observed } from './observed.js';

/** Somebody wants nothing to be written. */
export interface Pause {
  readonly of: 'publication' | 'object';
  /** What the annotation says. */
  readonly reason: string;
}

/** Whether a PublishedResource is paused. Any value pauses, also an empty one. */
export function pauseOfPublication({ metadata }: Pick<PublishedResource, 'metadata'>): Pause | undefined {
  const reason = metadata.annotations?.[hawserAnnotations.paused];
  return reason === undefined ? undefined : { of: 'publication', reason };
}

/** Whether anything pauses a pair: its source comes first, since whoever has it can end that. */
export function pauseOf({ source }: Pick<Observed, 'source'>, publication: Pause | undefined): Pause | undefined {
  const reason = source?.metadata.annotations?.[hawserAnnotations.paused];
  return reason === undefined ? publication : { of: 'object', reason };
}

/** In words, with who can end it. */
export function inWords(
  { of, reason }: Pause,
  { source }: Pick<Observed, 'source'>,
): { readonly message: string; readonly actor: 'consumer' | 'provider' } {
  const why = reason === '' ? '' : ` ("${reason}")`;
  switch (of) {
    case 'object':
      return {
        message: `The annotation ${hawserAnnotations.paused}${why} on ${source === undefined ? 'the object' : describe(source)} wants nothing to be written for it. Remove the annotation.`,
        actor: 'consumer',
      };
    case 'publication':
      return {
        message: `The annotation ${hawserAnnotations.paused}${why} on the PublishedResource wants nothing to be written for its objects. Remove the annotation.`,
        actor: 'provider',
      };
  }
}
