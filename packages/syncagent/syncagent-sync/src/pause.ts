import { type PublishedResource, hawserAnnotations } from '@hawser/syncagent-api';

import { describe } from './keys.js';
import type { Observed } from './observed.js';

/** A person's request to write nothing. */
export interface Pause {
  readonly of: 'publication' | 'object';
  /** Text of the annotation. */
  readonly reason: string;
}

/** The pause of a PublishedResource. Any value pauses, also an empty one. */
export function pauseOfPublication({ metadata }: Pick<PublishedResource, 'metadata'>): Pause | undefined {
  const reason = metadata.annotations?.[hawserAnnotations.paused];
  return reason === undefined ? undefined : { of: 'publication', reason };
}

/** The pause of a pair: that of its source comes first, since its owner can end that. */
export function pauseOf({ source }: Pick<Observed, 'source'>, publication: Pause | undefined): Pause | undefined {
  const reason = source?.metadata.annotations?.[hawserAnnotations.paused];
  return reason === undefined ? publication : { of: 'object', reason };
}

/** Describes a pause, and who can end it. */
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
